"""The fast emulator: libghostty-vt, with guards against what it does not survive.

Owns one native terminal. Knows nothing of where output comes from or replies go to.
"""

from __future__ import annotations

import os
import re
import signal
from typing import Final

from luvus_service.adapters.emulator.ghostty_capture import capture_recent, capture_visible
from luvus_service.adapters.emulator.ghostty_dump import dump_terminal
from luvus_service.adapters.emulator.ghostty_rows import Geometry
from luvus_service.adapters.emulator.guard import (
    CANCEL,
    SWALLOW,
    UNSAFE_MODE,
    begins_link,
    may_begin_link,
    places_to_look,
)
from luvus_service.adapters.emulator.mouse import mouse_reports
from luvus_service.adapters.emulator.native import NativeTerminal
from luvus_service.adapters.emulator.noted import Noted, cwd_path, title_text
from luvus_service.uhp.domain.ports import (
    Buffer,
    Captured,
    CaptureMode,
    Cursor,
    Fed,
    History,
    Modes,
)

LEAST_INNER_COLS: Final = 20
LEAST_INNER_ROWS: Final = 5
"""Smaller terminals are unsafe in native code; inside they are this large."""
MAX_COLS: Final = 1000
MAX_ROWS: Final = 1000
MAX_HISTORY_BYTES: Final = 1 << 30

# The library counts eight bytes a cell; the rest of its pages is in proportion to these.
_CELL_BYTES: Final = 8
_NOTHING: Final = Fed()
# Modes that are not to be used are reported as unknown. 2048 (size reports in band) would need a
# reply at a resize; programs that are refused it listen to SIGWINCH instead.
_HIDDEN_REPORT: Final = re.compile(rb"\x1b\[\?(2027|2048);[0-4]\$y")


class GhosttyEmulator:
    """An `Emulator` on libghostty-vt."""

    name = "ghostty"

    def __init__(
        self, cols: int, rows: int, *, history_bytes: int, crash_on: bytes | None = None
    ) -> None:
        """Make an empty terminal.

        Feeding `crash_on` kills the process by SIGSEGV, so that recovery from a native fault can
        be tested.
        """
        self._geometry = _geometry(cols, rows)
        self._noted = Noted(self._geometry.cols, self._geometry.rows)
        self._native = NativeTerminal.new(
            self._geometry.inner_cols, self._geometry.inner_rows, self._noted
        )
        self._ground = True
        self._title: str | None = None
        self._cwd: str | None = None
        self._trap = _Trap(crash_on) if crash_on else None
        self._budget = 0
        self.set_history_budget(history_bytes)

    def feed(self, data: Buffer) -> Fed:
        """Take output of the program."""
        if not len(data):
            return _NOTHING
        if self._trap is not None:
            self._trap.look_at(data)
        native = self._native
        rest = memoryview(data)
        if not self._ground:
            rest = self._rejoined(rest)
        start = 0
        for end in places_to_look(rest):
            self._write(rest[start:end])
            self._make_safe()
            start = end
        self._write(rest[start:])
        self._ground = native.at_ground()
        if native.cols() != self._geometry.inner_cols:
            # A program chose 80 or 132 columns; the terminal behind it did not change its size.
            native.resize(self._geometry.inner_cols, self._geometry.inner_rows)
        return _NOTHING if self._noted.quiet() else self._take()

    def _rejoined(self, data: memoryview) -> memoryview:
        """Take back the beginning of a sequence that could become a hyperlink."""
        unfinished = self._native.continuation()
        if unfinished is None or not may_begin_link(unfinished):
            return data
        self._native.write(CANCEL)
        self._ground = True
        return memoryview(unfinished + bytes(data))

    def _write(self, data: memoryview) -> None:
        if not self._ground and len(data):
            # The sequence that an earlier piece began may set the unsafe mode at its end.
            data = data[self._native.write_until_ground(data) :]
            self._make_safe()
            self._ground = True
        if len(data):
            self._native.write(data)

    def _make_safe(self) -> None:
        if self._native.mode(UNSAFE_MODE):
            self._native.clear_mode(UNSAFE_MODE)
        if self._native.at_ground():
            return
        unfinished = self._native.continuation()
        if unfinished is not None and begins_link(unfinished):
            self._native.write(CANCEL + SWALLOW)

    def _take(self) -> Fed:
        title = cwd = None
        if self._noted.title_changed:
            now = title_text(self._native.title())
            if now != self._title:
                self._title, title = now, now or ""
        if self._noted.cwd_changed:
            folder = cwd_path(self._native.pwd())
            if folder is not None and folder != self._cwd:
                self._cwd = cwd = folder
        fed = self._noted.take(title=title, cwd=cwd)
        if b"$y" in fed.replies:
            replies = _HIDDEN_REPORT.sub(lambda m: b"\x1b[?%b;0$y" % m[1], fed.replies)
            return Fed(replies, fed.bells, fed.title, fed.cwd, fed.notifications)
        return fed

    def resize(self, cols: int, rows: int) -> None:
        """Change the size in cells, reflowing the primary screen."""
        self._geometry = geometry = _geometry(cols, rows)
        self._noted.size = (geometry.cols, geometry.rows)
        self._native.resize(geometry.inner_cols, geometry.inner_rows)
        # A size report in band (mode 2048) has no way to the program from here.
        self._noted.take(title=None, cwd=None)

    def size(self) -> tuple[int, int]:
        """Return (cols, rows) as last asked for, within the limits."""
        return self._geometry.cols, self._geometry.rows

    def capture(self, mode: CaptureMode, lines: int, *, ansi: bool, max_bytes: int) -> Captured:
        """Return the last `lines` lines of the screen, or of screen and scrollback unwrapped.

        Rows that scrolled off the alternate screen are not kept, so they are in neither.
        """
        take = capture_visible if mode == "visible" else capture_recent
        count = max(1, lines)
        return take(self._native, self._geometry, count, ansi=ansi, max_bytes=max_bytes)

    def cursor(self) -> Cursor:
        """Return the cursor, within the size asked for."""
        x, y = self._native.cursor()
        cols, rows = self.size()
        return Cursor(min(x, cols - 1), min(y, rows - 1), self._native.cursor_visible())

    def modes(self) -> Modes:
        """Return the modes in force."""
        mode = self._native.mode
        return Modes(
            alternate_screen=self._native.alternate(),
            bracketed_paste=mode(2004),
            application_cursor=mode(1),
            application_keypad=mode(66),
            focus_events=mode(1004),
            mouse=mouse_reports(mode),
            mouse_sgr=mode(1006),
        )

    def title(self) -> str | None:
        """Return the title set by OSC 0 or 2, or None."""
        return self._title

    def cwd(self) -> str | None:
        """Return the working folder told by OSC 7 as a path, or None."""
        return self._cwd

    def history(self) -> History:
        """Return the figures of the scrollback of the screen shown."""
        rows = self._native.scrollback_rows()
        used = rows * self._geometry.inner_cols * _CELL_BYTES
        return History(rows=rows, budget_bytes=self._budget, used_bytes=used)

    def set_history_budget(self, budget_bytes: int) -> None:
        """Change the byte budget of the scrollback; kept a little above at whole pages."""
        self._budget = min(max(0, budget_bytes), MAX_HISTORY_BYTES)
        self._native.set_scrollback_bytes(self._budget)

    def dump(self, max_bytes: int, *, scrollback_bytes: int | None = None) -> bytes:
        """Return bytes that rebuild this terminal when fed to a new one of the same size."""
        return dump_terminal(self._native, self._geometry, max_bytes, scrollback_bytes)

    def compact(self) -> None:
        """Compress the scrollback; it is unpacked again where it is read."""
        self._native.compress()

    def close(self) -> None:
        """Free native memory. Nothing may be called afterwards."""
        self._native.close()


def _geometry(cols: int, rows: int) -> Geometry:
    cols, rows = min(max(1, cols), MAX_COLS), min(max(1, rows), MAX_ROWS)
    return Geometry(cols, rows, max(cols, LEAST_INNER_COLS), max(rows, LEAST_INNER_ROWS))


class _Trap:
    """Kills the process when certain bytes come by, wherever output is cut."""

    def __init__(self, wanted: bytes) -> None:
        self._wanted = wanted
        self._tail = b""

    def look_at(self, data: Buffer) -> None:
        seen = self._tail + bytes(data)
        if self._wanted in seen:
            os.kill(os.getpid(), signal.SIGSEGV)
        self._tail = seen[max(0, len(seen) - len(self._wanted) + 1) :]
