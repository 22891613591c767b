"""Finds themes: ours in the package, people's own in the home; both are files of the same kind."""

from __future__ import annotations

import logging
import tomllib
from pathlib import Path

from luvus_service.uhp.domain.themes import BadTheme, Theme, parse, resolve, valid_id

_log = logging.getLogger(__name__)

FILE_BYTES = 65_536
BUILT_IN = Path(__file__).parent / "themes"
FOLDER = "themes"
"""Below the home; the theme `dusk` is in its `dusk.toml`."""
OWN_COLORS = frozenset({"quattro-rally", "terminal"})
"""Themes that leave every viewer its own colours, light or dark as its surroundings are."""
OLD_NAMES = {
    "mocha": "catppuccin-mocha",
    "latte": "catppuccin-latte",
    "gruvboxlight": "gruvbox-light",
}


class ThemeFiles:
    """The themes of a home."""

    def __init__(self, home: Path) -> None:
        self._folders = (BUILT_IN, home / FOLDER)

    def __contains__(self, theme_id: object) -> bool:
        """Say whether a theme can be chosen."""
        return isinstance(theme_id, str) and (
            theme_id in OWN_COLORS or self._resolved(theme_id) is not None
        )

    def shown(self, theme_id: str) -> dict[str, object] | None:
        """Return what viewers are told of a theme; None when they keep their own colours."""
        if theme_id in OWN_COLORS:
            return None
        theme = self._resolved(theme_id)
        if theme is None or theme.appearance == "terminal":
            return None
        return {"id": theme.id, "appearance": theme.appearance, "colors": dict(theme.colors)}

    def _resolved(self, theme_id: str) -> Theme | None:
        try:
            return resolve(OLD_NAMES.get(theme_id, theme_id), self._find)
        except BadTheme as fault:
            _log.warning("the theme %r cannot be used: %s", theme_id, fault)
            return None

    def _find(self, theme_id: str) -> Theme | None:
        if not valid_id(theme_id):
            return None
        for folder in self._folders:
            path = folder / f"{theme_id}.toml"
            try:
                with path.open("rb") as file:
                    raw = file.read(FILE_BYTES + 1)
            except OSError:
                continue
            return _read(path, raw, theme_id)
        return None


def _read(path: Path, raw: bytes, theme_id: str) -> Theme:
    if len(raw) > FILE_BYTES:
        raise BadTheme(f"{path} is larger than {FILE_BYTES} bytes")
    try:
        theme = parse(tomllib.loads(raw.decode()))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as fault:
        raise BadTheme(f"{path} is no TOML: {fault}") from fault
    if theme.id != theme_id:
        raise BadTheme(f"{path} holds the theme `{theme.id}`; name the file after it")
    return theme
