"""What our emulators show, as rows of text that can be compared with another emulator's."""

from __future__ import annotations

from luvus_service.adapters.emulator.factory import make_emulator
from luvus_service.uhp.domain.ports import Emulator

OURS = {"ghostty": False, "avt": True}
"""Our emulators, and whether each is the fallback."""
HISTORY = 1_000_000


def made(name: str, cols: int, rows: int) -> Emulator:
    """Return one of our emulators, empty."""
    return make_emulator(cols, rows, history_bytes=HISTORY, fallback=OURS[name])


def rows_of(emulator: Emulator) -> list[str]:
    """Return the screen's rows without trailing blanks."""
    text = emulator.capture("visible", 500, ansi=False, max_bytes=4_000_000).text
    return trimmed(text.split("\n"), emulator.size()[1])


def trimmed(lines: list[str], rows: int) -> list[str]:
    """Return exactly so many rows, without trailing blanks."""
    kept = [line.rstrip(" \0") for line in lines[:rows]]
    return kept + [""] * (rows - len(kept))


def first_difference(ours: list[str], theirs: list[str]) -> str | None:
    """Return the first row that differs, in words, or None."""
    for row, (mine, other) in enumerate(zip(ours, theirs, strict=True), 1):
        if mine != other:
            return f"row {row}: ours {mine!r}, theirs {other!r}"
    return None
