"""Captures of a native terminal: the screen, or the screen and scrollback unwrapped.

A capture is one formatter call on just the rows it needs; the cursor costs two small ones more.
"""

from __future__ import annotations

from typing import Final

from luvus_service.adapters.emulator.ghostty_rows import Geometry, mended_row, text_cells
from luvus_service.adapters.emulator.native import NativeTerminal
from luvus_service.adapters.emulator.screen import (
    cursor_place,
    tail_of,
    trimmed_lines,
)
from luvus_service.uhp.domain.ports import Captured

MAX_CURSOR_LINE_ROWS: Final = 1024
"""Rows of one soft-wrapped line that are searched for its ends; beyond it there is no cursor."""


def capture_visible(
    native: NativeTerminal, geometry: Geometry, count: int, *, ansi: bool, max_bytes: int
) -> Captured:
    """Return the last lines of the screen; soft-wrapped rows stay separate lines."""
    x, y = native.cursor()
    # A terminal smaller than what is safe inside shows the rows that end with the cursor's.
    top = max(0, y - geometry.rows + 1)
    height = min(geometry.rows, geometry.inner_rows)
    last = min(geometry.cols, geometry.inner_cols) - 1
    base = native.total_rows() - geometry.inner_rows + top
    box = last < geometry.inner_cols - 1
    native.select((0, base), (last, base + height - 1), box=box)
    lines = trimmed_lines(native.text(styled=ansi, unwrap=False).decode("utf-8", "replace"))
    if ansi:
        cells = native.screen_cells()
        lines = [
            mended_row(native, line, cells[top + index][: last + 1])
            for index, line in enumerate(lines)
        ]
    tail = tail_of(lines, count, max_bytes, ansi=ansi)
    cursor = None
    row = y - top
    if tail.first <= row < len(lines) and not tail.first_is_cut and native.cursor_visible():
        before = _row_before(native, min(x, last), base + row)
        cursor = cursor_place(lines[tail.first :], row - tail.first, before)
    truncated = tail.first > 0 or tail.first_is_cut
    return Captured(text=tail.text, truncated=truncated, cursor=cursor)


def capture_recent(
    native: NativeTerminal, geometry: Geometry, count: int, *, ansi: bool, max_bytes: int
) -> Captured:
    """Return the last lines of scrollback and screen, soft wraps joined."""
    total = native.total_rows()
    wanted = min(total, count + geometry.inner_rows)
    while True:
        start = total - wanted
        native.select((0, start), (geometry.inner_cols - 1, total - 1))
        raw = native.text(styled=ansi, unwrap=True)
        lines = trimmed_lines(raw.decode("utf-8", "replace"))
        if not start or len(lines) > count or len(raw) > 2 * max_bytes:
            break
        wanted = min(total, wanted * 4)
    tail = tail_of(lines, count, max_bytes, ansi=ansi)
    cursor = None
    if not tail.first_is_cut and native.cursor_visible():
        place = _logical_cursor(native, geometry, lines)
        if place is not None and place[0] >= tail.first:
            cursor = cursor_place(lines[tail.first :], place[0] - tail.first, place[1])
    truncated = start > 0 or tail.first > 0 or tail.first_is_cut
    return Captured(text=tail.text, truncated=truncated, cursor=cursor)


def _logical_cursor(
    native: NativeTerminal, geometry: Geometry, lines: list[str]
) -> tuple[int, str] | None:
    """Return the index of the cursor's line, and what stands before the cursor in it."""
    x, y = native.cursor()
    total = native.total_rows()
    last = geometry.inner_cols - 1
    row = first = end = total - geometry.inner_rows + y
    while first > 0 and native.row_wraps(first - 1):
        first -= 1
        if row - first > MAX_CURSOR_LINE_ROWS:
            return None
    while end + 1 < total and native.row_wraps(end):
        end += 1
    below: list[str] = []
    if end + 1 < total:
        native.select((0, end + 1), (last, total - 1))
        below = trimmed_lines(native.text(styled=False, unwrap=True).decode("utf-8", "replace"))
    before = _row_before(native, x, row)
    if first < row:
        native.select((0, first), (last, row - 1))
        raw = native.text(styled=False, unwrap=True, trim=False)
        before = raw.decode("utf-8", "replace") + before
    index = len(lines) - 1 - len(below)
    if not below:
        native.select((0, first), (last, end))
        if not native.text(styled=False, unwrap=True).strip(b" \n"):
            return None
    return (index, before) if index >= 0 else None


def _row_before(native: NativeTerminal, x: int, y: int) -> str:
    """Return what stands left of a cell, blank cells as spaces."""
    if not x:
        return ""
    native.select((0, y), (x - 1, y))
    raw = native.text(styled=False, unwrap=False, trim=False)
    text = raw.decode("utf-8", "replace")
    # The formatter leaves out cells at the end that were never written.
    return text + " " * max(0, x - text_cells(native, text))
