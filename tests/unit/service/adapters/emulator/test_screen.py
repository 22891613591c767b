"""Trimming and cutting of captures."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from luvus_service.adapters.emulator.screen import (
    RESET,
    Tail,
    cursor_place,
    plain,
    tail_of,
    trimmed_lines,
)


def test_blanks_at_the_end_go_and_styled_blanks_stay() -> None:
    text = "a  \r\n\x1b[0m\x1b[7mb  \x1b[0m  \r\n \x1b[7m \r\n\x1b[0m\r\n  "

    assert trimmed_lines(text) == ["a", "\x1b[0m\x1b[7mb  \x1b[0m"]


def test_older_lines_are_dropped_whole() -> None:
    lines = ["one", "two", "three"]

    assert tail_of(lines, 2, 100, ansi=False) == Tail("two\nthree", 1, first_is_cut=False)
    assert tail_of(lines, 9, 9, ansi=False) == Tail("two\nthree", 1, first_is_cut=False)
    assert tail_of(lines, 9, 8, ansi=False) == Tail("three", 2, first_is_cut=False)
    assert tail_of([], 9, 8, ansi=False) == Tail("", 0, first_is_cut=False)


def test_a_single_line_too_long_loses_its_beginning_at_a_whole_character() -> None:
    assert tail_of(["aé"], 1, 2, ansi=False) == Tail("é", 0, first_is_cut=True)
    assert tail_of(["aé"], 1, 1, ansi=False) == Tail("", 0, first_is_cut=True)


def test_styled_text_ends_with_a_reset() -> None:
    assert tail_of(["\x1b[1ma"], 1, 20, ansi=True).text == f"\x1b[1ma{RESET}"


@given(
    st.lists(st.text("aé漢 \x1b", max_size=8), max_size=8), st.integers(1, 9), st.integers(4, 60)
)
def test_a_tail_never_has_more_bytes_or_lines_than_asked(
    lines: list[str], count: int, max_bytes: int
) -> None:
    for ansi in (False, True):
        tail = tail_of(lines, count, max_bytes, ansi=ansi)
        assert len(tail.text.encode()) <= max_bytes
        assert len(lines) - tail.first <= count


def test_the_cursor_counts_characters_without_styles_and_trimmed_blanks() -> None:
    kept = ["\x1b[1mab\x1b[0m", "", "漢c"]

    assert cursor_place(kept, 2, "漢") == (5, 0)
    assert cursor_place(kept, 0, "ab   ") == (2, 3)
    assert plain(kept[0]) == "ab"
