"""Where output may switch on the unsafe mode."""

from __future__ import annotations

import time

import pytest

from luvus_service.adapters.emulator.guard import begins_link, may_begin_link, places_to_look


@pytest.mark.parametrize(
    ("data", "ends"),
    [
        (b"plain text without digits", []),
        (b"\x1b[?2026h", []),
        (b"\x1b[?2027h", [8]),
        (b"\x1b[?2027hx\x1b[?1;2027;25hy", [8, 22]),
        (b"\x1b[?20\n27h", [9]),
        (b"\x1b[?2\xff0\x002\x7f7h", [11]),
        (b"\x1b\x9b?2027h", [8]),
        (b"\x1b[?2027l and an h", [17]),
        (b"2027 2027 2027 hh", []),
        (b"?2027 ?2027", []),
        (b"\x1b]8;;u\x07", [4]),
        (b"\x1b]\x0008;id=1;u\x07?2027 \x1b]8;;\x07h", [6, 23, 26]),
        (b"?2027 \x1b]8;;\x07", [10]),
        ("\u041d8; is text to be looked at".encode(), [4]),
    ],
)
def test_every_place_that_may_be_unsafe_is_found(data: bytes, ends: list[int]) -> None:
    assert list(places_to_look(data)) == ends
    assert list(places_to_look(memoryview(data))) == ends


def test_many_candidates_without_an_end_take_linear_time() -> None:
    start = time.perf_counter()

    assert list(places_to_look(b"?2027" * 200_000)) == []
    assert list(places_to_look(b"?" + b"2\x00" * 500_000)) == []
    assert list(places_to_look(b"]0000" * 250_000)) == []

    # Quadratic work would take minutes.
    assert time.perf_counter() - start < 5


@pytest.mark.parametrize(
    ("unfinished", "begins", "may_begin"),
    [
        (b"\x1b]8;", True, False),
        (b"\x1b]08;", True, False),
        (b"\x1b]8", False, True),
        (b"\x1b]", False, True),
        (b"\x1b", False, True),
        (b"\x1b]0;title]8;", False, False),
        (b"\x1b]88;", False, False),
        (b"\xe6\xbc", False, False),
        (b"", False, False),
    ],
)
def test_a_hyperlink_is_told_from_other_sequences(
    unfinished: bytes, begins: bool, may_begin: bool
) -> None:
    assert (begins_link(unfinished), may_begin_link(unfinished)) == (begins, may_begin)
