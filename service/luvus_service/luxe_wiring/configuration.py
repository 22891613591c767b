"""The user's `config.toml`: how the agent behaves when no flag says otherwise.

A project cannot change any of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

from luvus_service.luxe_wiring.words import EXIT_USAGE, LEVELS, StartFault

FILE_NAME: Final = "config.toml"
FILE_BYTES: Final = 1024 * 1024
MODEL_CALLS_MOST: Final = 10_000


@dataclass(frozen=True, slots=True)
class Configuration:
    """What the file says; the defaults where it says nothing."""

    model: str | None = None
    thinking: str | None = None
    auto_compact: bool = True
    titles: bool = False
    """Whether a model call names each session; it costs one call."""
    web_fetch: bool = False
    max_model_calls: int = 200
    max_repeats: int = 3
    review_model: str | None = None
    """Gives second opinions."""
    plan_folder: str | None = None
    """Where plans are written, relative to the project's root."""


def configuration(home: Path, named: str | None = None) -> Configuration:
    """Read the file; there need not be one. `named` stands in for it.

    Raises:
        StartFault: It is no TOML, or a value is unknown or of the wrong type.
    """
    path = Path(named) if named else home / FILE_NAME
    if not path.exists():
        return Configuration()
    import tomllib

    try:
        with path.open("rb") as file:
            data = tomllib.loads(file.read(FILE_BYTES).decode("utf-8"))
    except (OSError, ValueError, RecursionError) as fault:
        raise StartFault(EXIT_USAGE, f"{path} cannot be read: {fault}") from fault
    try:
        return _checked(data)
    except ValueError as fault:
        raise StartFault(EXIT_USAGE, f"{path}: {fault}") from fault


def _checked(data: Mapping[str, Any]) -> Configuration:
    found: dict[str, Any] = {}
    for name, value in data.items():
        if name == "compaction":
            found["auto_compact"] = _auto(value)
            continue
        check = _CHECKS.get(name)
        if check is None:
            raise ValueError(f"`{name[:80]}` is not known; use {', '.join(_CHECKS)}, compaction")
        fault = check(value)
        if fault is not None:
            raise ValueError(f"`{name}` must be {fault}, not {value!r}"[:300])
        found[name] = value
    return Configuration(**found)


def _auto(value: object) -> bool:
    table: Mapping[str, object] = (
        cast("Mapping[str, object]", value) if isinstance(value, dict) else dict[str, object]()
    )
    auto = table.get("auto")
    if set(table) != {"auto"} or not isinstance(auto, bool):
        raise ValueError("`compaction` must be a table with `auto` true or false")
    return auto


def _text(value: object) -> str | None:
    return None if isinstance(value, str) and value else "a text"


def _folder(value: object) -> str | None:
    parts = value.split("/") if isinstance(value, str) else [""]
    inside = all(part not in {"", ".", "..", ".git"} and "\0" not in part for part in parts)
    return None if inside else "a folder in the project, such as docs/plans"


def _level(value: object) -> str | None:
    return None if value in LEVELS else f"one of {', '.join(LEVELS)}"


def _truth(value: object) -> str | None:
    return None if isinstance(value, bool) else "true or false"


def _number(value: object) -> str | None:
    if isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= MODEL_CALLS_MOST:
        return None
    return f"a number from 1 to {MODEL_CALLS_MOST}"


_CHECKS: Mapping[str, Callable[[object], str | None]] = {
    "model": _text,
    "review_model": _text,
    "plan_folder": _folder,
    "thinking": _level,
    "titles": _truth,
    "web_fetch": _truth,
    "max_model_calls": _number,
    "max_repeats": _number,
}
