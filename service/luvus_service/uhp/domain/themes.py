"""What a theme file says: eighteen colours, some of them taken from a parent. Pure.

Knows neither where the files are nor what is coloured with them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias, cast

COLORS = (
    *("crust", "mantle", "base", "surface0", "surface1", "overlay0", "overlay1"),
    *("subtext0", "subtext1", "text", "accent", "sel_bg", "border", "border_focus"),
    *("green", "mint", "amber", "coral"),
)
LEVELS = 8
"""Themes that may stand above one another by `extends`."""
SCHEMA = 1

Appearance: TypeAlias = Literal["dark", "light", "terminal"]
_APPEARANCES: Mapping[str, Appearance] = {
    "dark": "dark",
    "light": "light",
    "terminal": "terminal",
}
_ID = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
_HEX = re.compile(r"#[0-9a-fA-F]{6}")
_ANSI = re.compile(r"ansi\((\d{1,3})\)")
_LENGTHS = {
    "display_name": 96,
    "description": 512,
    "author": 128,
    "license": 128,
    "version": 128,
    "requires_luvus": 128,
}
_KEYS = {"schema", "id", "appearance", "extends", "colors", *_LENGTHS}
# The sixteen that terminals agree on least; those of xterm.
_ANSI_16 = (
    *("#000000", "#cd0000", "#00cd00", "#cdcd00", "#0000ee", "#cd00cd", "#00cdcd", "#e5e5e5"),
    *("#7f7f7f", "#ff0000", "#00ff00", "#ffff00", "#5c5cff", "#ff00ff", "#00ffff", "#ffffff"),
)
_CUBE = (0, 95, 135, 175, 215, 255)


class BadTheme(Exception):
    """A theme cannot be used; the text says why."""


@dataclass(frozen=True, slots=True)
class Theme:
    """One theme; a colour is None where it is left to the terminal."""

    id: str
    appearance: Appearance
    extends: str | None
    colors: Mapping[str, str | None]


def valid_id(theme_id: str) -> bool:
    """Say whether a text can be the id of a theme."""
    return _ID.fullmatch(theme_id) is not None


def parse(document: Mapping[str, object]) -> Theme:
    """Read a theme file.

    Raises:
        BadTheme: A key is missing, unknown or has a value that is not allowed.
    """
    unknown = sorted(set(document) - _KEYS)
    if unknown:
        raise BadTheme(f"`{unknown[0]}` is no key of a theme")
    schema = document.get("schema")
    if isinstance(schema, bool) or schema != SCHEMA:
        raise BadTheme(f"`schema` must be {SCHEMA}")
    theme_id = document.get("id")
    if not isinstance(theme_id, str) or not valid_id(theme_id):
        raise BadTheme("`id` must be 1 to 64 of a-z, 0-9, `.`, `_`, `-`, not beginning with a sign")
    for key, longest in _LENGTHS.items():
        value = document.get(key, "" if key != "display_name" else None)
        if not isinstance(value, str) or len(value.encode()) > longest:
            raise BadTheme(f"`{key}` must be a text of at most {longest} bytes")
    wanted = document.get("appearance", "dark")
    appearance = _APPEARANCES.get(wanted) if isinstance(wanted, str) else None
    if appearance is None:
        raise BadTheme(f"`appearance` must be one of {', '.join(_APPEARANCES)}")
    extends = document.get("extends")
    if extends is not None and (not isinstance(extends, str) or extends == theme_id):
        raise BadTheme("`extends` must be the id of another theme")
    colors = _colors(document.get("colors", {}))
    if extends is None and (missing := [name for name in COLORS if name not in colors]):
        raise BadTheme(f"`colors.{missing[0]}` is missing")
    return Theme(theme_id, appearance, extends, colors)


def resolve(theme_id: str, find: Callable[[str], Theme | None]) -> Theme:
    """Return a theme with the colours that it has from its parents.

    Raises:
        BadTheme: It or a parent is not there, or they have no end.
    """
    chain: list[Theme] = []
    wanted: str | None = theme_id
    while wanted is not None:
        theme = find(wanted)
        if theme is None:
            raise BadTheme(f"the theme `{wanted}` is not installed")
        chain.append(theme)
        if len(chain) > LEVELS:
            raise BadTheme(f"`{theme_id}` has more than {LEVELS} themes above it")
        wanted = theme.extends
    colors: dict[str, str | None] = {}
    for theme in reversed(chain):
        colors |= theme.colors
    return replace(chain[0], extends=None, colors=colors)


def _colors(table: object) -> dict[str, str | None]:
    if not isinstance(table, dict):
        raise BadTheme("`colors` must be a table")
    given = cast("dict[str, object]", table)
    unknown = sorted(set(given) - set(COLORS))
    if unknown:
        raise BadTheme(f"`colors.{unknown[0]}` is no colour of a theme")
    return {name: _color(name, value) for name, value in given.items()}


def _color(name: str, value: object) -> str | None:
    if value == "reset":
        return None
    if isinstance(value, str):
        if _HEX.fullmatch(value):
            return value.lower()
        numbered = _ANSI.fullmatch(value)
        if numbered is not None and int(numbered[1]) <= 255:
            return _ansi(int(numbered[1]))
    raise BadTheme(f"`colors.{name}` must be #rrggbb, ansi(0) to ansi(255) or reset")


def _ansi(number: int) -> str:
    if number < len(_ANSI_16):
        return _ANSI_16[number]
    if number >= 232:
        grey = 8 + 10 * (number - 232)
        return f"#{grey:02x}{grey:02x}{grey:02x}"
    red, rest = divmod(number - 16, 36)
    green, blue = divmod(rest, 6)
    return f"#{_CUBE[red]:02x}{_CUBE[green]:02x}{_CUBE[blue]:02x}"
