from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from luvus_client.attaching.picture import (
    CLEAR,
    COLOURS,
    HELD_CHARACTERS,
    RESET,
    TABSTOPS,
    Picture,
    key_modes,
)

QUERIES = (
    "\x05",
    "\x1bZ",
    "\x1b[c",
    "\x1b[>c",
    "\x1b[=0c",
    "\x1b[5n",
    "\x1b[6n",
    "\x1b[?6n",
    "\x1b[?996n",
    "\x1b[?2026$p",
    "\x1b[4$p",
    "\x1b[>q",
    "\x1b[>0q",
    "\x1b[?u",
    "\x1b[18t",
    "\x1b[14;2t",
    "\x1b[x",
    "\x1b[?4m",
    "\x1b[?1;1;0S",
    "\x1b[3J",
    "\x1bP$qm\x1b\\",
    "\x1bP+q544e\x1b\\",
    "\x1b]11;?\x07",
    "\x1b]10;?\x1b\\",
    "\x1b]4;1;?\x1b\\",
    "\x1b]52;c;?\x07",
)
OUTPUT = (
    "text",
    "日本\r\n",
    "\x1b[1;31m",
    "\x1b[2J",
    "\x1b[10;20H",
    "\x1b[?25l",
    "\x1b[?1000;1006h",
    "\x1b[>4;1m",
    "\x1b[2 q",
    "\x1b]2;a title?\x07",
    "\x1b]8;;http://x/?a\x1b\\",
    "\x1b]52;c;aGk=\x07",
    "\x1b(0",
    "\x1bM",
    "\x1b7",
    "\x1b[>1u",
)


def translated(picture: Picture, text: str, cuts: list[int]) -> str:
    places = sorted({0, len(text), *(cut for cut in cuts if cut < len(text))})
    return "".join(picture.more(text[start:end]) for start, end in pairwise(places))


@given(
    st.lists(st.sampled_from([(q, False) for q in QUERIES] + [(o, True) for o in OUTPUT])),
    st.lists(st.integers(0, 300)),
)
def test_queries_are_taken_out_wherever_they_are_split(
    chosen: list[tuple[str, bool]], cuts: list[int]
) -> None:
    text = "".join(part for part, _ in chosen)

    shown = translated(Picture(reports=True), text, cuts)

    assert shown == "".join(part for part, kept in chosen if kept)


@pytest.mark.parametrize("mode", ["47", "1047", "1049"])
def test_the_alternate_screen_of_the_program_is_a_cleared_one(mode: str) -> None:
    picture = Picture(reports=True)

    assert picture.more(f"a\x1b[?{mode}hb") == "a\x1b[2Jb"
    assert not picture.outdated
    assert picture.more(f"\x1b[?{mode}l") == ""
    assert picture.outdated
    assert picture.anew("x").count("x") == 1
    assert not picture.outdated


def test_modes_beside_a_screen_switch_are_kept() -> None:
    picture = Picture(reports=True)

    assert picture.more("\x1b[?1049;2004h") == "\x1b[?2004h\x1b[2J"


def test_a_whole_reset_leaves_the_persons_terminal_on_its_other_screen() -> None:
    assert Picture(reports=True).more("\x1bc") == RESET + CLEAR


def test_one_who_only_reads_gets_no_reports() -> None:
    picture = Picture(reports=False)

    assert picture.more("\x1b[?1000h\x1b[?2004h\x1b[?1006;25h") == "\x1b[?25h"


def test_colours_and_tab_stops_are_reset_only_after_they_were_changed() -> None:
    untouched, touched = Picture(reports=True), Picture(reports=True)
    untouched.more("\x1b[31m\x1b]2;title\x07")
    touched.more("\x1b[3g\x1b]11;#000\x07")

    assert COLOURS not in untouched.leaving()
    assert TABSTOPS not in untouched.leaving()
    assert COLOURS in touched.leaving()
    assert TABSTOPS in touched.leaving()


def test_a_string_over_the_limit_is_not_held() -> None:
    text = "\x1b]52;c;" + "A" * HELD_CHARACTERS

    assert Picture(reports=True).more(text) == text


def test_only_modes_of_keys_are_told_where_output_is_not_shown() -> None:
    assert key_modes("a\x1b[?1h\x1b=\x1b[?25l\x1b[?1000h\x1b[?2004lb") == (
        "\x1b[?1h\x1b=\x1b[?2004l"
    )
