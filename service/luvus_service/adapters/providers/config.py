"""Which endpoints there are: the presets whose keys are set, and those of `providers.toml`.

The file belongs to the user; a project can never name an address or a key. Nothing is asked of the
network, and the file's parser is imported only when there is a file.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

from luvus_service.adapters.providers.endpoint import Endpoint
from luvus_service.adapters.providers.keys import KeySource
from luvus_service.adapters.providers.models import claude_models, gpt_models
from luvus_service.adapters.providers.owned_file import read_owned
from luvus_service.adapters.providers.presets import PRESETS, Preset
from luvus_service.adapters.providers.provider import HttpProvider
from luvus_service.adapters.providers.transport import Http, HttpxClient
from luvus_service.luxe.domain.values import Model

FILE_NAME: Final = "providers.toml"
KEYS_FOLDER: Final = "keys"
FILE_BYTES: Final = 1024 * 1024
PROVIDERS: Final = 100


@dataclass(frozen=True, slots=True)
class Configured:
    """The providers, and what is wrong with entries that were left out."""

    providers: tuple[HttpProvider, ...]
    faults: tuple[str, ...]
    secret_variables: frozenset[str]
    """Variables that may hold keys: not for the children of tools."""
    http: Http


def configured(
    home: Path, environment: Mapping[str, str], *, http: Http | None = None
) -> Configured:
    """Return the providers of a user; `home` is the folder of Luxe's own files."""
    entries, faults = _entries(home / FILE_NAME)
    endpoints: dict[str, Endpoint] = {}
    secret = {name for preset in PRESETS for name in preset.all_variables}
    for preset in PRESETS:
        own = entries.get(preset.name)
        if own is not None or _wanted(preset, home, environment):
            endpoints[preset.name] = preset_endpoint(preset, home, environment)
    if entries:
        endpoints, wrong = _with_entries(endpoints, entries, home, environment)
        faults += [f"{home / FILE_NAME}: {fault}" for fault in wrong]
    for endpoint in endpoints.values():
        secret.update(endpoint.keys.variables, endpoint.keys.bearer_variables)
    http = http or HttpxClient()
    providers = tuple(HttpProvider(endpoint, http) for endpoint in endpoints.values())
    return Configured(providers, tuple(faults), frozenset(secret), http)


def _with_entries(
    endpoints: Mapping[str, Endpoint],
    entries: Mapping[str, Mapping[str, Any]],
    home: Path,
    environment: Mapping[str, str],
) -> tuple[dict[str, Endpoint], list[str]]:
    """Return the endpoints with those of the file before all others, and what is wrong there."""
    from luvus_service.adapters.providers.config_entry import EntryFault, endpoint_of

    written: dict[str, Endpoint] = {}
    faults: list[str] = []
    for name, entry in list(entries.items())[:PROVIDERS]:
        try:
            written[name] = endpoint_of(name, entry, endpoints.get(name), home, environment)
        except EntryFault as fault:
            faults.append(f"[providers.{name[:80]}] {fault}")
    rest = {name: found for name, found in endpoints.items() if name not in entries}
    return {**written, **rest}, faults


def without_keys(environment: Mapping[str, str], secret: Iterable[str]) -> dict[str, str]:
    """Return an environment without these variables."""
    dropped = set(secret)
    return {name: value for name, value in environment.items() if name not in dropped}


def preset_endpoint(preset: Preset, home: Path, environment: Mapping[str, str]) -> Endpoint:
    """Return the endpoint of a preset with the address that the environment names."""
    base, form = preset.base_url, preset.format
    named = environment.get(preset.url_variable or "", "").strip()
    foreign = False
    if named:
        base = _address(named, preset)
        foreign = base != preset.base_url
        if foreign and form == "openai-responses":
            # Servers that take the place of OpenAI speak chat completions, all of them.
            form = "openai-chat"
    return Endpoint(
        name=preset.name,
        format=form,
        base_url=base,
        keys=KeySource(
            environment,
            preset.variables,
            preset.bearer_variables,
            home / KEYS_FOLDER / preset.name,
            required=bool(preset.variables) and not (foreign and form == "openai-chat"),
        ),
        models=_known(preset.name, foreign=foreign),
        dialect=preset.dialect,
        prices=None if foreign or preset.name == "ollama" else preset.name,
    )


def _known(name: str, *, foreign: bool) -> tuple[Model, ...]:
    if name == "anthropic":
        return claude_models(name)
    return gpt_models(name) if name == "openai" and not foreign else ()


def _wanted(preset: Preset, home: Path, environment: Mapping[str, str]) -> bool:
    names = (*preset.all_variables, *filter(None, (preset.url_variable,)))
    return (
        preset.always
        or any(environment.get(name, "").strip() for name in names)
        or (home / KEYS_FOLDER / preset.name).exists()
    )


def _address(named: str, preset: Preset) -> str:
    """Return a base address; a bare host and port, as OLLAMA_HOST has it, is completed."""
    base = named.rstrip("/")
    if "://" not in base:
        base = f"http://{base}"
    if preset.name == "ollama":
        host = base.removesuffix("/v1").replace("//0.0.0.0", "//127.0.0.1")
        port = host.rpartition("/")[2].rpartition(":")[2]
        return f"{host}/v1" if port.isdigit() else f"{host}:11434/v1"
    return base.removesuffix("/v1") if preset.format == "anthropic" else base


def _entries(path: Path) -> tuple[dict[str, Mapping[str, Any]], list[str]]:
    # Whoever can write to it decides where conversations and keys are sent.
    remedy = "others can change it; run chmod go-w on it"
    try:
        raw = read_owned(path, limit=FILE_BYTES, forbidden=0o022, remedy=remedy)
    except OSError as error:
        return {}, [f"{path} is refused: {error}"]
    if raw is None:
        return {}, []
    import tomllib

    try:
        whole = tomllib.loads(raw.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        return {}, [f"{path} is no TOML: {error}"]
    found: Any = whole.get("providers", {})
    faults = [f"{path}: unknown key {name[:80]!r}" for name in whole if name != "providers"]
    if not isinstance(found, dict):
        return {}, [*faults, f"{path}: `providers` must be a table"]
    entries: dict[str, Mapping[str, Any]] = {}
    for name, entry in cast("dict[str, Any]", found).items():
        if isinstance(entry, dict):
            entries[name] = cast("dict[str, Any]", entry)
        else:
            faults.append(f"{path}: [providers.{name[:80]}] must be a table")
    return entries, faults
