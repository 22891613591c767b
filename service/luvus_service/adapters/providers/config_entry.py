"""Reads one `[providers.<name>]` table of the user's configuration, field by field."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, Final, cast, get_args
from urllib.parse import urlsplit

from luvus_service.adapters.providers.endpoint import Endpoint
from luvus_service.adapters.providers.keys import KeySource
from luvus_service.adapters.providers.models import assumed_model
from luvus_service.adapters.providers.wire import WAYS_OF_THINKING, Dialect, FormatName
from luvus_service.luxe.domain.limits import CONNECT_S, READ_S
from luvus_service.luxe.domain.thinking import LEVELS
from luvus_service.luxe.domain.values import Model, PriceTier, Pricing, ThinkingLevel

MODELS: Final = 500
PRICE_TIERS: Final = 16
LONGEST_WAIT_S: Final = 3_600.0

_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
_HEADER: Final = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}")
_VALUE: Final = re.compile(r"[\x20-\x7e]{0,4096}")
_ENTRY: Final = frozenset(
    {
        "format",
        "base_url",
        "key_env",
        "key_file",
        "key_required",
        "headers",
        "header_env",
        "models",
        "lists_models",
        "prices",
        "thinking",
        "output_limit_field",
        "caching",
        "usage_in_stream",
        "extra_body",
        "connect_s",
        "silence_s",
    }
)
_MODEL: Final = frozenset(field.name for field in fields(Model)) - {"provider"}


class EntryFault(Exception):
    """An entry cannot be used; the text names the field and never a secret."""


class _Table:
    """A table whose fields are taken by type."""

    def __init__(self, table: Mapping[str, Any], known: frozenset[str], place: str = "") -> None:
        self._table = table
        self._place = place
        for name in table:
            if name not in known:
                raise EntryFault(
                    f"{place}`{name[:80]}` is not known; use {', '.join(sorted(known))}"
                )

    def __contains__(self, name: str) -> bool:
        return name in self._table

    def text(self, name: str, otherwise: str) -> str:
        value = self._table.get(name, otherwise)
        if not isinstance(value, str):
            raise EntryFault(f"{self._place}`{name}` must be a string")
        return value

    def truth(self, name: str, *, otherwise: bool) -> bool:
        value = self._table.get(name, otherwise)
        if not isinstance(value, bool):
            raise EntryFault(f"{self._place}`{name}` must be true or false")
        return value

    def number(self, name: str, otherwise: float, *, most: float) -> float:
        value = self._table.get(name, otherwise)
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= most:
            raise EntryFault(f"{self._place}`{name}` must be a number from 0 to {most:g}")
        return float(value)

    def table(self, name: str) -> Mapping[str, Any]:
        value = self._table.get(name, {})
        if not isinstance(value, dict):
            raise EntryFault(f"{self._place}`{name}` must be a table")
        return cast("dict[str, Any]", value)

    def items(self, name: str) -> list[Any]:
        value = self._table.get(name, [])
        if not isinstance(value, list):
            raise EntryFault(f"{self._place}`{name}` must be a list")
        return list(cast("Iterable[Any]", value))


def endpoint_of(
    name: str,
    entry: Mapping[str, Any],
    preset: Endpoint | None,
    home: Path,
    environment: Mapping[str, str],
) -> Endpoint:
    """Return the endpoint of an entry; `preset` is what it changes, None for one of its own.

    Raises:
        EntryFault: A field is missing, unknown or wrong.
    """
    if not _NAME.fullmatch(name):
        raise EntryFault("a name has 1 to 64 letters, digits, `-` or `_`")
    table = _Table(entry, _ENTRY)
    form = _format(table, preset)
    endpoint = Endpoint(
        name=name,
        format=form,
        base_url=_base_url(table, preset, form),
        keys=_keys(name, table, preset, home, environment),
        headers=_headers(table, preset, environment),
        dialect=_dialect(table, preset),
        prices=table.text("prices", (preset.prices if preset else None) or "") or None,
        lists_models=table.truth("lists_models", otherwise=True),
        connect_s=table.number("connect_s", CONNECT_S, most=LONGEST_WAIT_S),
        silence_s=table.number("silence_s", READ_S, most=LONGEST_WAIT_S),
    )
    own = [_model(endpoint, given) for given in table.items("models")[:MODELS]]
    names = {model.model for model in own}
    rest = [model for model in (preset.models if preset else ()) if model.model not in names]
    return replace(endpoint, models=(*own, *rest))


def _format(table: _Table, preset: Endpoint | None) -> FormatName:
    text = table.text("format", preset.format if preset else "openai-chat")
    for known in cast("tuple[FormatName, ...]", get_args(FormatName)):
        if text == known:
            return known
    raise EntryFault(f"`format` {text[:80]!r}: use {', '.join(get_args(FormatName))}")


def _base_url(table: _Table, preset: Endpoint | None, form: FormatName) -> str:
    text = table.text("base_url", preset.base_url if preset else "").strip().rstrip("/")
    try:
        parts = urlsplit(text)
        fine = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        fine, parts = False, urlsplit("")
    if not fine or not text.isascii() or not text.isprintable() or " " in text:
        raise EntryFault("`base_url` must be an address such as https://example.com/v1")
    if parts.username is not None or parts.password is not None or parts.query or parts.fragment:
        raise EntryFault("`base_url` must hold no credential, query or fragment; use key_env")
    return text.removesuffix("/v1") if form == "anthropic" else text


def _keys(
    name: str,
    table: _Table,
    preset: Endpoint | None,
    home: Path,
    environment: Mapping[str, str],
) -> KeySource:
    old = preset.keys if preset else KeySource(environment, file=home / "keys" / name)
    variables, bearer = old.variables, old.bearer_variables
    if variable := table.text("key_env", ""):
        variables, bearer = (variable,), ()
    file = old.file
    if given := table.text("key_file", ""):
        file = Path(
            given.replace("~", environment.get("HOME", "~"), 1) if given[:1] == "~" else given
        )
        file = home / file
    required = old.required if preset else bool(variables)
    return KeySource(
        environment, variables, bearer, file, table.truth("key_required", otherwise=required)
    )


def _headers(
    table: _Table, preset: Endpoint | None, environment: Mapping[str, str]
) -> Mapping[str, str]:
    headers = dict(preset.headers) if preset else {}
    given = table.table("headers")
    for name, variable in table.table("header_env").items():
        value = environment.get(variable) if isinstance(variable, str) else None
        if value is None:
            raise EntryFault(f"`header_env`: the variable of {name[:80]!r} is not set")
        given = {**given, name: value.strip()}
    for name, value in given.items():
        if not _HEADER.fullmatch(name) or not isinstance(value, str) or not _VALUE.fullmatch(value):
            raise EntryFault(f"`headers`: {name[:80]!r} is no header of printable letters")
        headers[name.lower()] = value
    return headers


def _dialect(table: _Table, preset: Endpoint | None) -> Dialect:
    old = preset.dialect if preset else Dialect()
    wanted = table.text("thinking", old.thinking)
    thinking = WAYS_OF_THINKING.get(wanted)
    if thinking is None:
        raise EntryFault(f"`thinking` {wanted[:80]!r}: use {', '.join(WAYS_OF_THINKING)}")
    return Dialect(
        thinking=thinking,
        output_limit_field=table.text("output_limit_field", old.output_limit_field),
        caching=table.truth("caching", otherwise=old.caching),
        usage_in_stream=table.truth("usage_in_stream", otherwise=old.usage_in_stream),
        extra_body=table.table("extra_body") if "extra_body" in table else old.extra_body,
    )


def _model(endpoint: Endpoint, given: Any) -> Model:
    if isinstance(given, str):
        given = {"model": given}
    if not isinstance(given, dict):
        raise EntryFault("`models` holds names or tables")
    table = _Table(cast("dict[str, Any]", given), _MODEL, "`models`: ")
    name = table.text("model", "")
    if not name or not name.isprintable():
        raise EntryFault("`models`: each one needs a `model`")
    base = assumed_model(endpoint.name, name, endpoint.format)
    levels = _levels(table, base)
    window = int(table.number("context_window", base.context_window, most=1e9))
    output = int(table.number("max_output_tokens", base.max_output_tokens, most=1e9))
    return replace(
        base,
        name=table.text("name", base.name),
        context_window=max(1, window),
        max_output_tokens=max(1, min(output, window)),
        supports_images=table.truth("supports_images", otherwise=base.supports_images),
        supports_thinking=levels != ("off",),
        thinking_levels=levels,
        pricing=_pricing(table) if "pricing" in table else base.pricing,
    )


def _levels(table: _Table, base: Model) -> tuple[ThinkingLevel, ...]:
    if "thinking_levels" in table:
        given = table.items("thinking_levels")
        levels: tuple[ThinkingLevel, ...] = tuple(level for level in LEVELS if level in given)
        if len(levels) != len(given):
            raise EntryFault(f"`models`: `thinking_levels` are among {', '.join(LEVELS)}")
        return levels or ("off",)
    if not base.supports_thinking and table.truth("supports_thinking", otherwise=False):
        return ("off", "low", "medium", "high")
    return base.thinking_levels


def _pricing(table: _Table) -> Pricing:
    known = frozenset(field.name for field in fields(Pricing))
    given = _Table(table.table("pricing"), known, "`pricing`: ")
    tiers = tuple(_tier(tier) for tier in given.items("tiers")[:PRICE_TIERS])
    return Pricing(**_rates(given), tiers=tiers)


def _tier(given: Any) -> PriceTier:
    if not isinstance(given, dict):
        raise EntryFault("`pricing`: `tiers` holds tables")
    known = frozenset(field.name for field in fields(PriceTier))
    table = _Table(cast("dict[str, Any]", given), known, "`tiers`: ")
    if "above_tokens" not in table:
        raise EntryFault("`pricing`: each of `tiers` needs `above_tokens`")
    return PriceTier(int(table.number("above_tokens", 0, most=1e9)), **_rates(table))


def _rates(prices: _Table) -> dict[str, float]:
    if "input" not in prices or "output" not in prices:
        raise EntryFault("`pricing` needs `input` and `output`, in USD for a million tokens")
    prompt, output = (prices.number(n, 0.0, most=1e6) for n in ("input", "output"))
    return {
        "input": prompt,
        "output": output,
        "cache_read": prices.number("cache_read", prompt, most=1e6),
        "cache_write": prices.number("cache_write", prompt, most=1e6),
    }
