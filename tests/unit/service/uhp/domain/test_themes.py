"""Theme files, good and bad, and what they take from their parents."""

from __future__ import annotations

from typing import Any

import pytest

from luvus_service.uhp.domain.themes import COLORS, LEVELS, BadTheme, Theme, parse, resolve


def document(**changes: Any) -> dict[str, Any]:
    """Return a whole theme file with some keys changed; None leaves a key out."""
    whole = {
        "schema": 1,
        "id": "dusk",
        "display_name": "Dusk",
        "appearance": "light",
        "colors": dict.fromkeys(COLORS, "#ABCDEF"),
        **changes,
    }
    return {key: value for key, value in whole.items() if value is not None}


def test_a_theme_is_read_with_all_of_its_colours() -> None:
    theme = parse(document(description="At sea.", author="me", license="MIT", version="1.0.0"))

    assert theme == Theme("dusk", "light", None, dict.fromkeys(COLORS, "#abcdef"))


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("#0a0B0c", "#0a0b0c"),
        ("reset", None),
        ("ansi(0)", "#000000"),
        ("ansi(9)", "#ff0000"),
        ("ansi(16)", "#000000"),
        ("ansi(110)", "#87afd7"),
        ("ansi(231)", "#ffffff"),
        ("ansi(232)", "#080808"),
        ("ansi(255)", "#eeeeee"),
    ],
)
def test_a_colour_is_written_in_three_ways(written: str, shown: str | None) -> None:
    colors = {**dict.fromkeys(COLORS, "#000000"), "accent": written}

    assert parse(document(colors=colors)).colors["accent"] == shown


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"schema": 2}, "`schema` must be 1"),
        ({"schema": True}, "`schema` must be 1"),
        ({"schema": None}, "`schema` must be 1"),
        ({"id": None}, "`id` must be"),
        ({"id": "Dusk"}, "`id` must be"),
        ({"id": "../dusk"}, "`id` must be"),
        ({"id": "a" * 65}, "`id` must be"),
        ({"display_name": None}, "`display_name` must be a text"),
        ({"display_name": "é" * 49}, "at most 96 bytes"),
        ({"license": 5}, "`license` must be a text"),
        ({"appearance": "dim"}, "`appearance` must be one of"),
        ({"extends": "dusk"}, "`extends` must be the id of another theme"),
        ({"extends": 3}, "`extends` must be the id of another theme"),
        ({"font": "x"}, "`font` is no key of a theme"),
        ({"colors": {"accent": "#123456"}}, "`colors.crust` is missing"),
        ({"colors": []}, "`colors` must be a table"),
        ({"extends": "noir", "colors": {"pink": "#123456"}}, "`colors.pink` is no colour"),
        ({"extends": "noir", "colors": {"text": "#12345"}}, "`colors.text` must be"),
        ({"extends": "noir", "colors": {"text": "ansi(256)"}}, "`colors.text` must be"),
        ({"extends": "noir", "colors": {"text": 7}}, "`colors.text` must be"),
    ],
)
def test_a_bad_theme_is_refused_with_what_is_wrong(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(BadTheme) as refused:
        parse(document(**changes))

    assert said in str(refused.value)


def test_a_theme_takes_what_it_does_not_say_from_its_parents() -> None:
    known = {
        "dusk": parse(document()),
        "late": parse(document(id="late", extends="dusk", colors={"text": "#111111"})),
        "last": parse(
            document(id="last", appearance="dark", extends="late", colors={"accent": "reset"})
        ),
    }

    theme = resolve("last", known.get)

    expected = {**dict.fromkeys(COLORS, "#abcdef"), "text": "#111111", "accent": None}
    assert theme == Theme("last", "dark", None, expected)


def test_themes_above_one_another_have_an_end() -> None:
    ring = {
        f"t{n}": parse(document(id=f"t{n}", extends=f"t{(n + 1) % 3}", colors={})) for n in range(3)
    }

    with pytest.raises(BadTheme, match=f"more than {LEVELS} themes"):
        resolve("t0", ring.get)


def test_a_parent_that_is_not_installed_is_named() -> None:
    lonely = parse(document(extends="gone", colors={}))

    with pytest.raises(BadTheme, match="`gone` is not installed"):
        resolve("dusk", {"dusk": lonely}.get)
