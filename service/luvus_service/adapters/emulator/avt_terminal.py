"""The fallback emulator: avt, memory safe, with what it lacks done by a scanner.

Runs where the native emulator is missing or has died on a terminal's output. Owns one `avt.Vt`.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Sequence
from typing import Final, TypeVar

from luvus_service.adapters.emulator.avt_binding import Line, Vt, make_vt, row_goes_on
from luvus_service.adapters.emulator.avt_scanner import (
    ALTERNATE,
    CURSOR_REPORT,
    Scanner,
)
from luvus_service.adapters.emulator.avt_screen import capture_rows, styled_row
from luvus_service.adapters.emulator.mouse import mouse_reports
from luvus_service.adapters.emulator.noted import Noted
from luvus_service.adapters.emulator.screen import trimmed_line
from luvus_service.uhp.domain.ports import (
    Buffer,
    Captured,
    CaptureMode,
    Cursor,
    Fed,
    History,
    Modes,
)

MAX_COLS: Final = 1000
MAX_ROWS: Final = 1000
LEAST_COLS: Final = 2
"""avt cannot place a wide character in a single column."""

_CELL_BYTES: Final = 20
"""Memory of a cell of avt."""
_LINE_BYTES: Final = 48
_MODES_DUMPED: Final = (9, 1000, 1002, 1003, 1004, 1006, 2004)
_NOTHING: Final = Fed()
_T = TypeVar("_T")


class AvtEmulator:
    """An `Emulator` on avt."""

    name = "avt"

    def __init__(self, cols: int, rows: int, *, history_bytes: int) -> None:
        """Make an empty terminal."""
        self._cols, self._rows = _clamped(cols, rows)
        self._budget = max(0, history_bytes)
        self._noted = Noted(self._cols, self._rows)
        self._scanner = Scanner(self._noted)
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._vt = self._empty()
        self.panics = 0
        """How often avt gave up on output and the screen was emptied."""

    def _empty(self) -> Vt:
        line_bytes = self._cols * _CELL_BYTES + _LINE_BYTES
        limit = self._budget // line_bytes
        return make_vt(max(self._cols, LEAST_COLS), self._rows, limit)

    def _guarded(self, call: Callable[[], _T], otherwise: _T) -> _T:
        """Return what a call into avt returns; after a panic empty the screen and go on."""
        try:
            return call()
        except BaseException as error:
            # A panic of Rust is no Exception, and its class cannot be imported.
            if type(error).__name__ != "PanicException":
                raise
            self.panics += 1
            self._vt = self._empty()
            return otherwise

    def feed(self, data: Buffer) -> Fed:
        """Take output of the program."""
        text = self._decoder.decode(data)
        start = 0
        for end, kind in self._scanner.scan(text):
            self._put(text[start:end])
            start = max(start, end)
            cursor = self.cursor()
            mark = "" if kind == CURSOR_REPORT else "?"
            self._noted.reply(f"\x1b[{mark}{cursor.y + 1};{cursor.x + 1}R".encode())
        self._put(text[start:])
        if self._noted.quiet():
            return _NOTHING
        title = (self._scanner.title or "") if self._noted.title_changed else None
        cwd = self._scanner.cwd if self._noted.cwd_changed else None
        return self._noted.take(title=title, cwd=cwd)

    def _put(self, text: str) -> None:
        if text:
            self._guarded(lambda: self._vt.feed_str(text), None)

    def resize(self, cols: int, rows: int) -> None:
        """Change the size in cells, reflowing the primary screen."""
        self._cols, self._rows = _clamped(cols, rows)
        self._noted.size = (self._cols, self._rows)
        inner = max(self._cols, LEAST_COLS)
        self._guarded(lambda: self._vt.resize(inner, self._rows), None)

    def size(self) -> tuple[int, int]:
        """Return (cols, rows) as last asked for, within the limits."""
        return self._cols, self._rows

    def capture(self, mode: CaptureMode, lines: int, *, ansi: bool, max_bytes: int) -> Captured:
        """Return the last `lines` lines of the screen, or of screen and scrollback unwrapped."""
        recent = mode != "visible"
        count = max(1, lines)
        everything = self._all_rows() if recent else self._screen_rows()
        # One row more than the lines asked for may be soft wrapped; bound what is looked at.
        rows = everything
        if recent:
            cells = max(1, self._cols)
            rows = everything[-(count + self._rows + max_bytes // cells) :]
        cursor = self.cursor()
        if len(rows) < self._rows:
            return Captured(text="", truncated=False)
        return capture_rows(
            rows,
            cursor,
            len(rows) - self._rows + cursor.y,
            count,
            unwrap=recent,
            ansi=ansi,
            max_bytes=max_bytes,
            cut_above=len(rows) < len(everything),
        )

    def _all_rows(self) -> Sequence[Line]:
        nothing: Sequence[Line] = ()
        return self._guarded(self._vt.lines, nothing)

    def _screen_rows(self) -> Sequence[Line]:
        nothing: Sequence[Line] = ()
        return self._guarded(self._vt.view, nothing)

    def cursor(self) -> Cursor:
        """Return the cursor."""
        place = self._vt.cursor
        x, y = min(place.col, self._cols - 1), min(place.row, self._rows - 1)
        return Cursor(x, y, place.visible)

    def modes(self) -> Modes:
        """Return the modes in force."""
        on = self._scanner.modes
        return Modes(
            alternate_screen=bool(on & ALTERNATE),
            bracketed_paste=2004 in on,
            application_cursor=1 in on,
            application_keypad=66 in on,
            focus_events=1004 in on,
            mouse=mouse_reports(on.__contains__),
            mouse_sgr=1006 in on,
        )

    def title(self) -> str | None:
        """Return the title set by OSC 0 or 2, or None."""
        return self._scanner.title

    def cwd(self) -> str | None:
        """Return the working folder told by OSC 7 as a path, or None."""
        return self._scanner.cwd

    def history(self) -> History:
        """Return the figures of the scrollback."""
        rows = max(0, len(self._all_rows()) - self._rows)
        used = rows * (self._cols * _CELL_BYTES + _LINE_BYTES)
        return History(rows=rows, budget_bytes=self._budget, used_bytes=used)

    def set_history_budget(self, budget_bytes: int) -> None:
        """Change the byte budget of the scrollback, which rebuilds the terminal."""
        self._budget = max(0, budget_bytes)
        text = self._screen_dump(self._budget)
        self._vt = self._empty()
        self._put(text + self._scanner.unfinished)

    def dump(self, max_bytes: int, *, scrollback_bytes: int | None = None) -> bytes:
        """Return bytes that rebuild this terminal when fed to a new one of the same size."""
        on = self._scanner.modes
        parts = [f"\x1b[?{mode}h" for mode in _MODES_DUMPED if mode in on]
        if 66 in on:
            parts.append("\x1b=")
        if self._scanner.title:
            parts.append(f"\x1b]2;{self._scanner.title}\x1b\\")
        tail = "".join(parts).encode()
        if self._scanner.cwd:
            path = self._scanner.cwd.encode("utf-8", "surrogateescape").replace(b"%", b"%25")
            tail += b"\x1b]7;file://%b\x1b\\" % path
        tail += self._scanner.unfinished.encode("utf-8", "replace")
        tail += self._decoder.getstate()[0]
        room = max(0, max_bytes - len(tail))
        return self._screen_dump(room, scrollback_bytes).encode() + tail

    def _screen_dump(self, max_bytes: int, scrollback_bytes: int | None = None) -> str:
        screen = self._guarded(self._vt.dump, "")
        if self._scanner.unfinished:
            screen = screen.removesuffix(self._parser_dump())
        # Other terminals take the 8-bit introducer for text.
        screen = screen.replace("\x9b", "\x1b[")
        if self.modes().alternate_screen:
            return screen
        room = max_bytes - len(screen.encode()) - 2 * self._rows - 3
        if scrollback_bytes is not None:
            room = min(room, scrollback_bytes)
        kept: list[str] = []
        for line in reversed(self._all_rows()[: -self._rows]):
            # A row that goes on in the next keeps its full width, so that it wraps again.
            goes_on = row_goes_on(line) and bool(kept)
            text = styled_row(line) if goes_on else trimmed_line(styled_row(line)) + "\r\n"
            room -= len(text.encode())
            if room < 0:
                break
            kept.append(text)
        if not kept:
            return screen
        return "".join(reversed(kept)) + "\r\n" * (self._rows - 1) + "\x1b[H" + screen

    def _parser_dump(self) -> str:
        """Return what avt adds to a dump for the sequence in progress."""

        def measure() -> str:
            probe = make_vt(20, 5, 0)
            usual = probe.dump()
            probe.feed_str(self._scanner.unfinished)
            return probe.dump().removeprefix(usual)

        return self._guarded(measure, "")

    def compact(self) -> None:
        """Do nothing: avt keeps its lines as they are."""

    def close(self) -> None:
        """Drop the screen."""
        self._vt = make_vt(LEAST_COLS, 1, 0)


def _clamped(cols: int, rows: int) -> tuple[int, int]:
    return min(max(1, cols), MAX_COLS), min(max(1, rows), MAX_ROWS)
