"""Dumps of a native terminal: bytes that rebuild it when fed to an empty one of the same size.

Orders what the library formats so that no part spoils another, and adds what it leaves out: both
screens, coloured blanks, modes, saved cursors, a pending wrap, names, the unfinished sequence.
"""

# Not restored: an alternate screen that is hidden; the character that REP repeats when the cursor
# moved since or a line-drawing set is on; a wide character printed in such a set; images; which
# cells are protected; prompt marks; saved modes (XTSAVE); the stack below the top of the kitty
# keyboard flags; the origin mode of a saved cursor; a soft wrap whose text was changed since.

from __future__ import annotations

import re
from typing import Final

from luvus_service.adapters.emulator.ghostty_rows import (
    FILLER,
    WIDE_HEAD,
    WIDE_TAIL,
    Geometry,
    blank_row_colours,
    has_content,
    mended_row,
    wide_part,
)
from luvus_service.adapters.emulator.guard import CANCEL, SWALLOW
from luvus_service.adapters.emulator.native import Extras, NativeTerminal
from luvus_service.adapters.emulator.noted import title_text
from luvus_service.adapters.emulator.snapshot import copy_terminal

_LEAST_ROW_BYTES: Final = 8
"""A row of scrollback is expected to take no less; bounds how many rows are formatted."""
_MAX_BLANK_ROWS: Final = 256
"""Blank rows kept between the scrollback's last text and the screen."""
_MAX_PWD_BYTES: Final = 4096
_MAX_TITLE_BYTES: Final = 1024

# Modes in the order in which they are set. Left out: those handled on their own (6, 12, 69), the
# switches of the alternate screen, 3 (it clears), 2026 (a viewer would wait), 2027 (unsafe).
_PRIVATE_MODES: Final = (
    *(1, 4, 5, 7, 8, 9, 25, 40, 45, 66, 1000, 1002, 1003, 1004, 1005, 1006, 1007, 1015, 1016),
    *(1035, 1036, 1039, 1045, 2004, 2031, 2048),
)
_PRIVATE_ON: Final = frozenset((7, 25, 1007, 1035, 1036))
_ANSI_MODES: Final = (2, 4, 12, 20)
_ANSI_ON: Final = frozenset((12,))


# A pen that changes nothing: no style, ASCII in G0, not protected.
_PLAIN_PEN: Final = b'\x1b[m\x1b(B\x0f\x1b[0"q'
_SHAPE: Final = re.compile(rb"\x1bP1\$r(\d) q\x1b")
_REGION: Final = re.compile(rb"\x1b\[(\d+);(\d+)r")
_MARGINS: Final = re.compile(rb"\x1b\[(\d+);(\d+)s")


def dump_terminal(
    native: NativeTerminal, geometry: Geometry, max_bytes: int, scrollback_bytes: int | None = None
) -> bytes:
    """Return the dump, cut to `max_bytes`; a huge screen loses its oldest rows.

    Of the scrollback no more than `scrollback_bytes` are in it, None for as much as fits.
    """
    head = _tabstops(native, geometry)
    alternate = native.alternate()
    # The hidden screen and saved cursors can only be seen by changing a terminal: use a copy.
    copy = copy_terminal(native, history=alternate)
    try:
        saved = shape = b""
        if copy is not None:
            shape = _cursor_shape(copy)
            saved = _saved_cursor(copy, geometry)
        tail = _tail(native, geometry, shape)
        room = max(0, max_bytes - len(head) - len(saved) - len(tail))
        if not alternate:
            return head + _screen(native, geometry, room, scrollback_bytes) + saved + tail
        shown = _screen(native, geometry, room, scrollback_bytes)
        hidden = b""
        if copy is not None:
            copy.write(b"\x1b[?47l")
            hidden = _PLAIN_PEN + _saved_cursor(copy, geometry)
            left = max(0, room - len(shown) - len(hidden) - 64)
            hidden = _screen(copy, geometry, left, scrollback_bytes) + hidden
        enter = b"\x1b[?%dh" % _alternate_mode(native)
        return head + hidden + enter + _PLAIN_PEN + b"\x1b[H" + shown + saved + tail
    finally:
        if copy is not None:
            copy.close()


def _alternate_mode(native: NativeTerminal) -> int:
    return next((mode for mode in (1049, 1047, 47) if native.mode(mode)), 47)


def _tabstops(native: NativeTerminal, geometry: Geometry) -> bytes:
    _select_one(native, geometry)
    stops = native.extras(Extras(tabstops=True))
    usual = b"".join(b"\x1b[%dG\x1bH" % (x + 1) for x in range(8, geometry.inner_cols, 8))
    return b"" if stops == b"\x1b[3g" + usual + b"\x1b[H" else stops


def _select_one(native: NativeTerminal, geometry: Geometry) -> None:
    top = native.total_rows() - geometry.inner_rows
    native.select((0, top), (0, top))


def _screen(native: NativeTerminal, geometry: Geometry, room: int, scrollback: int | None) -> bytes:
    """Return the scrollback and the active screen, laid out from the top of an empty screen."""
    cols, rows = geometry.inner_cols, geometry.inner_rows
    total = native.total_rows()
    base = total - rows
    last = (cols - 1, total - 1)
    native.select((0, base), last)
    lines = native.text(styled=True, unwrap=False).split(b"\r\n")
    below = b"\r\n" * (rows - len(lines))
    cells = native.screen_cells()
    painted = _painted_rows(lines, cells)
    for index, line in enumerate(lines):
        if line and b" " in line and b"\x1b" in line:
            mended = mended_row(native, line.decode("utf-8", "replace"), cells[index])
            lines[index] = mended.encode()
    room = max(0, room - len(_PLAIN_PEN) - len(below) - len(painted))
    shown = _wrapped_text(native, lines, base, base, cols)
    if scrollback is not None:
        room = min(room, len(shown) + scrollback)
    text = shown if scrollback == 0 else _filling_text(native, lines, base, cols, room)
    if len(text) > room:
        text = _cut(text, shown, lines, room)
    return text + _PLAIN_PEN + below + painted


def _filling_text(
    native: NativeTerminal, lines: list[bytes], base: int, cols: int, room: int
) -> bytes:
    """Return the screen after as much scrollback as fills the room.

    Formatting costs by the row: at first the rows above are taken to be as long as those shown.
    """
    most = min(base, room // _LEAST_ROW_BYTES)
    length = max(_LEAST_ROW_BYTES, sum(map(len, lines)) // len(lines))
    rows = min(most, room // length)
    while True:
        text = _wrapped_text(native, lines, base - rows, base, cols)
        if len(text) > room or rows >= most:
            return text
        rows = min(most, 2 * rows + 1)


def _wrapped_text(
    native: NativeTerminal, lines: list[bytes], start: int, base: int, cols: int
) -> bytes:
    """Return the rows from `start` on, soft-wrapped rows joined so that they wrap again."""
    text = bytearray()
    if start < base:
        text += _scrollback_text(native, start, base, cols)
        text += b"" if lines[0] and _wraps_again(native, base - 1, cols) else b"\r\n"
    # The rows of the screen are joined here and not by the formatter, which miscounts blanks
    # where cells beside a wrap were erased: a screen has to come out exactly.
    for index, line in enumerate(lines):
        text += line
        if index + 1 == len(lines):
            break
        # Only text that follows makes a row wrap.
        if not lines[index + 1] or not _wraps_again(native, base + index, cols):
            text += b"\r\n"
    return bytes(text)


def _scrollback_text(native: NativeTerminal, start: int, base: int, cols: int) -> bytes:
    blank = 0
    while blank < _MAX_BLANK_ROWS and start < base - blank:
        native.select((0, base - 1 - blank), (cols - 1, base - 1 - blank))
        if native.text(styled=True, unwrap=False):
            break
        blank += 1
    if start == base - blank:
        return b"\r\n" * (blank - 1)
    # At a filler the formatter would add the wide character of the row below.
    filler = wide_part(native.cell(cols - 1, base - 1 - blank)) == FILLER
    native.select((0, start), (cols - 1 - filler, base - 1 - blank))
    # The formatter leaves out blank rows at the end.
    return native.text(styled=True, unwrap=True) + b"\r\n" * blank


def _wraps_again(native: NativeTerminal, y: int, cols: int) -> bool:
    """Tell whether a row is soft wrapped and its text reaches the edge, so that it will again.

    A row changed inside a scrolling region may keep a wrap that its text no longer has.
    """
    if not (native.row_wraps(y) and native.row_continues(y + 1)):
        return False
    last = native.cell(cols - 1, y)
    if wide_part(last) != FILLER:
        return has_content(last)
    return has_content(native.cell(cols - 2, y)) and wide_part(native.cell(0, y + 1)) == WIDE_HEAD


def _cut(text: bytes, shown: bytes, lines: list[bytes], room: int) -> bytes:
    """Drop older lines until the text fits, keeping the rows of the screen in their places."""
    if len(shown) <= room:
        end = text.find(b"\r\n", len(text) - room) + 2
        # A line that begins in the scrollback would take its rows on the screen along.
        return text[end:] if 2 <= end <= len(text) - len(shown) else shown
    kept: list[bytes] = []
    room -= 2 * len(lines)
    for line in reversed(lines):
        room -= len(line)
        kept.append(line if room >= 0 else b"")
    return b"\r\n".join(reversed(kept))


def _painted_rows(lines: list[bytes], cells: list[memoryview]) -> bytes:
    painted = bytearray()
    for row, row_cells in enumerate(cells):
        if row < len(lines) and lines[row]:
            continue
        for start, length, colour in blank_row_colours(row_cells):
            to_end = start + length == len(row_cells)
            erase = b"\x1b[K" if to_end else b"\x1b[%dX" % length
            painted += b"\x1b[%d;%dH\x1b[%bm%b" % (row + 1, start + 1, colour.encode(), erase)
    return bytes(painted) + b"\x1b[m" if painted else b""


def _cursor_shape(copy: NativeTerminal) -> bytes:
    """Return what gives the cursor its shape; brings the copy out of any sequence."""
    answer = _SHAPE.search(copy.ask(CANCEL + b"\x1bP$q q\x1b\\"))
    return b"\x1b[%b q" % answer[1] if answer is not None and answer[1] not in b"02" else b""


def _saved_cursor(copy: NativeTerminal, geometry: Geometry) -> bytes:
    """Return what saves the cursor that this copy has saved; changes the copy."""
    copy.write(b"\x1b8")
    x, y = copy.cursor()
    _select_one(copy, geometry)
    pen = copy.extras(Extras(style=True))
    row = copy.total_rows() - geometry.inner_rows + y
    wrap = b""
    if copy.pending_wrap() and has_content(copy.cell(x, row)):
        wrap = _last_character(copy, geometry, x, y, 0, 0)
    place = b"\x1b[%d;%dH%b" % (y + 1, x + 1, wrap)
    return _PLAIN_PEN + place + pen + b"\x1b7" + _PLAIN_PEN


def _tail(native: NativeTerminal, geometry: Geometry, shape: bytes) -> bytes:
    """Return what follows the text: colours, modes, cursor, names, the unfinished sequence."""
    _select_one(native, geometry)
    region = native.extras(Extras(region=True, keyboard=True))
    pen = native.extras(Extras(style=True))
    x, y = native.cursor()
    left, top = 0, 0
    if native.mode(6):
        if match := _REGION.search(region):
            top = int(match[1]) - 1
        if match := _MARGINS.search(region):
            left = int(match[1]) - 1
    parts = [
        _colours(native),
        b"\x1b[?69h" if native.mode(69) else b"",
        region,
        b"\x1b[?6h" if native.mode(6) else b"",
        b"\x1b[%d;%dH" % (max(0, y - top) + 1, max(0, x - left) + 1),
        _last_character(native, geometry, x, y, left, top),
        pen,
        *_modes(native),
        shape,
        *_names(native),
    ]
    unfinished = native.continuation()
    return b"".join(parts) + (SWALLOW if unfinished is None else unfinished)


def _last_character(
    native: NativeTerminal, geometry: Geometry, x: int, y: int, left: int, top: int
) -> bytes:
    """Return what prints the character before the cursor again.

    This brings back a pending wrap, and the character that a following REP repeats.
    """
    row = native.total_rows() - geometry.inner_rows + y
    pending = native.pending_wrap()
    at = x if pending else x - 1
    if at < left:
        return b""
    part = wide_part(native.cell(at, row))
    if part == WIDE_HEAD:
        # Printing it would end beside the cursor, which stands inside the character.
        return b""
    at -= part == WIDE_TAIL
    if at < left:
        return b""
    native.select((at, row), (at, row))
    glyph = native.text(styled=True, unwrap=False, trim=False)
    bare = native.text(styled=False, unwrap=False, trim=False).decode("utf-8", "replace")
    if not bare:
        if not pending:
            return b""
        glyph, bare = b" ", " "
    # A combining mark alone would go to the cell before.
    if native.width(bare[0]) == 0:
        return b""
    return b"\x1b[%d;%dH%b" % (max(0, y - top) + 1, max(0, at - left) + 1, glyph)


def _colours(native: NativeTerminal) -> bytes:
    parts: list[bytes] = []
    now, usual = native.palette(), native.palette(default=True)
    if now != usual:
        for index in range(256):
            rgb = now[3 * index : 3 * index + 3]
            if rgb != usual[3 * index : 3 * index + 3]:
                parts.append(b"\x1b]4;%d;rgb:%02x/%02x/%02x\x1b\\" % (index, *rgb))
    for number, name in ((10, "FOREGROUND"), (11, "BACKGROUND"), (12, "CURSOR")):
        colour = native.colour(name)
        if colour is not None and colour != native.colour(f"{name}_DEFAULT"):
            parts.append(b"\x1b]%d;rgb:%02x/%02x/%02x\x1b\\" % (number, *colour))
    return b"".join(parts)


def _modes(native: NativeTerminal) -> list[bytes]:
    parts = [
        b"\x1b[?%d%c" % (mode, b"lh"[on])
        for mode in _PRIVATE_MODES
        if (on := native.mode(mode)) != (mode in _PRIVATE_ON)
    ]
    parts += [
        b"\x1b[%d%c" % (mode, b"lh"[on])
        for mode in _ANSI_MODES
        if (on := native.mode(mode, ansi=True)) != (mode in _ANSI_ON)
    ]
    return parts


def _names(native: NativeTerminal) -> list[bytes]:
    parts: list[bytes] = []
    title = title_text(native.title()[:_MAX_TITLE_BYTES])
    if title is not None:
        parts.append(b"\x1b]2;%b\x1b\\" % title.encode())
    pwd = native.pwd()
    if pwd and len(pwd) <= _MAX_PWD_BYTES and not any(byte < 0x20 for byte in pwd):
        parts.append(b"\x1b]7;%b\x1b\\" % pwd)
    return parts
