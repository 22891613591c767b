"""Draws a captured screen on a terminal of another size: the part around the cursor, cut to fit.

Pure; knows no terminal.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Any

_ESCAPE = re.compile("\x1b\\[[0-?]*[ -/]*[@-~]")
_PART = re.compile(_ESCAPE.pattern + "|.", re.DOTALL)


def drawn(text: str, cursor: dict[str, Any] | None, cols: int, rows: int) -> str:
    """Return what draws a screen's lines from the top left on, with the cursor in its place.

    `cursor` is as in the frames of terminal streams, None when it is not to be seen.
    """
    lines = text.split("\n")
    row, column = (0, 0) if cursor is None else _place(text, cursor)
    top = max(0, row - rows + 1)
    out = ["\x1b[?2026h\x1b[?25l\x1b[?7l"]
    for index in range(rows):
        line = lines[top + index] if top + index < len(lines) else ""
        out.append(f"\x1b[{index + 1};1H\x1b[m{clipped(line, cols)}\x1b[m\x1b[K")
    out.append("\x1b[?7h")
    if cursor is not None and column < cols:
        out.append(f"\x1b[{row - top + 1};{column + 1}H\x1b[?25h")
    return "".join(out) + "\x1b[?2026l"


def _place(text: str, cursor: dict[str, Any]) -> tuple[int, int]:
    before = _ESCAPE.sub("", text)[: int(cursor["offset"])]
    row, last = before.count("\n"), before.rpartition("\n")[2]
    return row, sum(map(_width, last)) + int(cursor["padding_cells"])


def clipped(line: str, cols: int) -> str:
    """Return the beginning of a line that fits into some columns, with all of its styles."""
    if line.isascii() and "\x1b" not in line:
        return line[:cols]
    room = cols
    kept: list[str] = []
    for part in _PART.findall(line):
        room -= 0 if part[0] == "\x1b" else _width(part)
        if room >= 0 or part[0] == "\x1b":
            kept.append(part)
    return "".join(kept)


def _width(character: str) -> int:
    if unicodedata.combining(character) or unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
