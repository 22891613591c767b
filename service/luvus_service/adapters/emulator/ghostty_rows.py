"""Single rows of a native terminal: what the formatter gets wrong about them is put right here.

Knows how the library packs a cell.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from luvus_service.adapters.emulator.native import NativeTerminal
from luvus_service.adapters.emulator.screen import RESET

_CONTENT_BITS: Final = (1 << 26) - 1
_WIDE_SHIFT: Final = 42
_PALETTE_COLOUR: Final = 2
_RGB_COLOUR: Final = 3
WIDE_HEAD: Final = 1
WIDE_TAIL: Final = 2
FILLER: Final = 3

_SGR: Final = re.compile(r"(\x1b\[[0-9;:]*m)")
# Attributes that show on a blank cell: underline, inverse, strike-through, overline, background.
_SHOWS_ON_BLANKS: Final = re.compile(r"\x1b\[(?:4(?:[:;8]|m)|[79]m|53m)")
_BLANKS: Final = re.compile(r" +")


@dataclass(frozen=True, slots=True)
class Geometry:
    """The size asked for, which a capture shows, and the size inside, which may be larger."""

    cols: int
    rows: int
    inner_cols: int
    inner_rows: int


def blank_row_colours(cells: Sequence[int]) -> list[tuple[int, int, str]]:
    """Return the coloured runs of a row without text as (column, cells, SGR parameters).

    The formatter leaves such rows out, although a program may have painted them.
    """
    if not any(cells):
        return []
    return list(_runs([_colour(cell & _CONTENT_BITS) for cell in cells]))


def wide_part(cell: int) -> int:
    """Return 0 for a narrow cell, 1 and 2 for the halves of a wide one, 3 for a filler."""
    return cell >> _WIDE_SHIFT & 3


def has_content(cell: int) -> bool:
    """Tell whether anything was written to a cell, or it belongs to a wide character."""
    return bool(cell & _CONTENT_BITS) or wide_part(cell) != 0


def _runs(colours: list[str]) -> Iterator[tuple[int, int, str]]:
    start = 0
    for x in range(1, len(colours) + 1):
        if x == len(colours) or colours[x] != colours[start]:
            if colours[start]:
                yield start, x - start, colours[start]
            start = x


def _colour(content: int) -> str:
    kind = content & 3
    if kind == _PALETTE_COLOUR:
        return f"48;5;{content >> 2 & 0xFF}"
    if kind == _RGB_COLOUR:
        return f"48;2;{content >> 2 & 0xFF};{content >> 10 & 0xFF};{content >> 18 & 0xFF}"
    return ""


def mended_row(native: NativeTerminal, line: str, cells: memoryview) -> str:
    """Return a formatted row with its blank cells in their own colours.

    The formatter leaves out rows without text, and gives cells that were never written the style
    of the text before them.
    """
    if not line:
        return _painted(blank_row_colours(cells))
    if not (_SHOWS_ON_BLANKS.search(line) and _has_gap(cells)):
        return line
    parts = _SGR.split(line)
    column, style, shows = 0, "", False
    for index, part in enumerate(parts):
        if index % 2:
            style = "" if part == RESET else style + part
            shows = bool(style) and (shows or _SHOWS_ON_BLANKS.match(part) is not None)
            continue
        end = column + text_cells(native, part)
        if shows and " " in part and not all(map(has_content, cells[column:end])):
            parts[index] = _mended_run(native, part, style, cells[column:end])
        column = end
    return "".join(parts)


def _has_gap(cells: memoryview) -> bool:
    """Tell whether a cell was never written, other than at the end of the row."""
    used = (len(cells.tobytes().rstrip(b"\0")) + 7) // 8
    return not all(map(has_content, set(cells[:used])))


def text_cells(native: NativeTerminal, text: str) -> int:
    """Return how many cells a text takes."""
    return len(text) if text.isascii() else sum(native.width(c) for c in text)


def _mended_run(native: NativeTerminal, text: str, style: str, cells: Sequence[int]) -> str:
    """Take the style off the cells of a run that were never written."""
    pieces: list[str] = []
    done = 0
    for match in _BLANKS.finditer(text):
        start = text_cells(native, text[: match.start()])
        length = len(match[0])
        kept = length
        while kept and not has_content(cells[start + kept - 1]):
            kept -= 1
        if kept < length:
            blanks = " " * (length - kept)
            pieces += [text[done : match.start() + kept], RESET, blanks, RESET, style]
            done = match.end()
    return "".join(pieces) + text[done:]


def _painted(runs: list[tuple[int, int, str]]) -> str:
    painted, at = "", 0
    for start, length, colour in runs:
        painted += " " * (start - at) + f"{RESET}\x1b[{colour}m" + " " * length + RESET
        at = start + length
    return painted
