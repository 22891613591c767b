"""Where output may switch on the unsafe mode."""

from __future__ import annotations

import time

import pytest
from luvus_service.adapters.emulator.guard import places_to_look


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
        (b"\x1b[?2027l and an h", [15]),
        (b"2027 2027 2027", []),
    ],
)
def test_every_place_after_which_the_mode_may_be_on_is_found(data: bytes, ends: list[int]) -> None:
    assert list(places_to_look(data)) == ends
    assert list(places_to_look(memoryview(data))) == ends


def test_many_candidates_without_an_end_take_linear_time() -> None:
    start = time.perf_counter()

    assert list(places_to_look(b"2027" * 250_000)) == []

    # Quadratic work would take minutes.
    assert time.perf_counter() - start < 5
