"""Captures of the fallback emulator's rows, cell by cell.

Slow beside the native formatter (a few milliseconds), which a fallback may be.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from luvus_service.adapters.emulator.avt_binding import Line, Pen, colour_code, row_goes_on
from luvus_service.adapters.emulator.screen import (
    RESET,
    cursor_place,
    tail_of,
    trimmed_lines,
)
from luvus_service.uhp.domain.ports import Captured, Cursor


@dataclass(slots=True)
class _Logical:
    """A line of one or more rows."""

    first: int
    text: str


def capture_rows(
    rows: Sequence[Line],
    cursor: Cursor,
    cursor_row: int,
    count: int,
    *,
    unwrap: bool,
    ansi: bool,
    max_bytes: int,
    cut_above: bool,
) -> Captured:
    """Return the last lines of these rows; `cut_above` tells that there were more above."""
    logical: list[_Logical] = []
    joins = False
    for index, row in enumerate(rows):
        text = styled_row(row) if ansi else row.text
        if joins:
            logical[-1].text += text
        else:
            logical.append(_Logical(index, text))
        joins = unwrap and row_goes_on(row)
    lines = trimmed_lines("\n".join(line.text for line in logical))
    tail = tail_of(lines, count, max_bytes, ansi=ansi)
    place = None
    holder = max((i for i, line in enumerate(logical) if line.first <= cursor_row), default=-1)
    if cursor.visible and not tail.first_is_cut and tail.first <= holder < len(lines):
        before = "".join(row.text for row in rows[logical[holder].first : cursor_row])
        before += _text_before(rows[cursor_row], cursor.x)
        place = cursor_place(lines[tail.first :], holder - tail.first, before)
    truncated = cut_above or tail.first > 0 or tail.first_is_cut
    return Captured(text=tail.text, truncated=truncated, cursor=place)


def _text_before(row: Line, x: int) -> str:
    return "".join(cell.char for cell in row.cells[:x] if cell.width > 0)


def styled_row(row: Line) -> str:
    """Return the text of a row with SGR sequences, the style reset at its end."""
    parts: list[str] = []
    now = ""
    for cell in row.cells:
        if cell.width == 0:
            continue
        style = "" if cell.pen.is_default() else _sgr(cell.pen)
        if style != now:
            parts.append(f"{RESET}\x1b[{style}m" if style else RESET)
            now = style
        parts.append(cell.char)
    return "".join(parts) + (RESET if now else "")


def _sgr(pen: Pen) -> str:
    names = ("bold", "faint", "italic", "underline", "blink", "inverse", "strikethrough")
    codes = [code for code, name in zip("1234579", names, strict=True) if getattr(pen, name)]
    codes += [colour_code(38, pen.foreground), colour_code(48, pen.background)]
    return ";".join(code for code in codes if code)
