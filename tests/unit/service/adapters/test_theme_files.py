"""Themes as they are found: ours, people's own, and broken ones."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from luvus_service.adapters.theme_files import BUILT_IN, FILE_BYTES, OLD_NAMES, ThemeFiles
from luvus_service.uhp.domain.themes import COLORS, parse

OURS = sorted(path.stem for path in BUILT_IN.glob("*.toml"))
PUBLISHED = {
    *("quattro-rally", "noir", "ocean", "dracula", "nord", "sky", "catppuccin-mocha"),
    *("catppuccin-macchiato", "catppuccin-frappe", "gruvbox", "sunset", "homebrew", "grass"),
    *("redsands", "catppuccin-latte", "gruvbox-light", "mono"),
}


def luminance(colour: str) -> float:
    """Return how bright a colour is, as WCAG 2 measures it."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str | None, other: str | None) -> float:
    """Return the contrast of two colours, from 1 to 21."""
    assert one is not None
    assert other is not None
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def write(home: Path, name: str, text: str) -> None:
    """Put a file into the folder of a home's own themes."""
    (home / "themes").mkdir(exist_ok=True)
    (home / "themes" / name).write_text(text, encoding="utf-8")


def test_every_published_theme_is_there() -> None:
    assert set(OURS) == PUBLISHED


@pytest.mark.parametrize("theme_id", OURS)
def test_a_theme_of_ours_is_readable_and_tells_its_surfaces_and_states_apart(
    theme_id: str,
) -> None:
    theme = parse(tomllib.loads((BUILT_IN / f"{theme_id}.toml").read_text(encoding="utf-8")))
    colors = theme.colors

    assert theme.id == theme_id
    assert contrast(colors["text"], colors["mantle"]) >= 4.5
    assert contrast(colors["subtext1"], colors["mantle"]) >= 3
    surfaces = ("crust", "mantle", "base", "surface0", "surface1")
    assert len({colors[name] for name in surfaces}) == len(surfaces)
    assert len({colors[name] for name in ("green", "mint", "amber", "coral")}) == 4


@pytest.mark.parametrize("theme_id", ["quattro-rally", "terminal"])
def test_the_usual_theme_leaves_viewers_their_own_colours(tmp_path: Path, theme_id: str) -> None:
    themes = ThemeFiles(tmp_path)

    assert theme_id in themes
    assert themes.shown(theme_id) is None


def test_a_theme_of_the_home_is_found_and_extends_one_of_ours(tmp_path: Path) -> None:
    extends = 'schema=1\nid="dusk"\ndisplay_name="Dusk"\nextends="nord"\n'
    write(tmp_path, "dusk.toml", extends + '[colors]\naccent = "#ff8800"\n')
    themes = ThemeFiles(tmp_path)

    shown = themes.shown("dusk")

    assert "dusk" in themes
    assert shown is not None
    assert (shown["id"], shown["appearance"]) == ("dusk", "dark")
    colors = shown["colors"]
    assert isinstance(colors, dict)
    assert set(colors) == set(COLORS)
    assert (colors["accent"], colors["base"]) == ("#ff8800", "#2e3440")


def test_a_theme_of_ours_cannot_be_replaced_by_a_file_of_the_home(tmp_path: Path) -> None:
    write(tmp_path, "nord.toml", 'schema=1\nid="nord"\ndisplay_name="x"\nextends="noir"\n')

    shown = ThemeFiles(tmp_path).shown("nord")

    assert shown is not None
    assert shown == ThemeFiles(tmp_path / "other").shown("nord")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("dusk", "not toml ="),
        ("dusk", "\udcff"),
        ("dusk", 'schema=1\nid="dawn"\ndisplay_name="x"\nextends="noir"\n'),
        ("dusk", 'schema=1\nid="dusk"\ndisplay_name="x"\nextends="gone"\n'),
        ("dusk", "#" * (FILE_BYTES + 1)),
        ("gone", "schema=1"),
        ("../dusk", "schema=1"),
    ],
)
def test_a_theme_that_cannot_be_read_cannot_be_chosen(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / "themes").mkdir()
    raw = text.encode("utf-8", "surrogateescape")
    (tmp_path / "themes" / "dusk.toml").write_bytes(raw)
    themes = ThemeFiles(tmp_path)

    assert name not in themes
    assert themes.shown(name) is None


@pytest.mark.parametrize(("old", "new"), OLD_NAMES.items())
def test_an_old_name_means_the_theme_that_has_another_now(
    tmp_path: Path, old: str, new: str
) -> None:
    themes = ThemeFiles(tmp_path)

    assert old in themes
    assert themes.shown(old) == themes.shown(new)
