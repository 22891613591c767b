"""The terminal that a person sits at: raw and on its alternate screen as long as it shows a pane.

Opens it a second time, so that what is set on the descriptor does not outlive this program, not
even when it is killed. Never waits for a terminal that takes no output.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys
import termios
import tty
from types import FrameType
from typing import Any

from luvus_client.cli.usage import UsageError

READ_BYTES = 65_536
WRITE_BYTES = 16_384
LEAVE_S = 2.0
"""How long the terminal may take to be given back."""
USUAL_SIZE = (80, 24)
SIGNALS = (
    signal.SIGTERM,
    signal.SIGHUP,
    signal.SIGINT,
    signal.SIGQUIT,
    signal.SIGWINCH,
    signal.SIGCONT,
)


class Outer:
    """The terminal of standard input and output. Open it with `enter`, end with `leave`."""

    def __init__(self) -> None:
        """Find the terminal.

        Raises:
            UsageError: There is none.
        """
        self.fd = _opened()
        self._saved: list[Any] | None = None
        self._handlers: dict[signal.Signals, Any] = {}
        self._wakeup = -1
        self._signals = _pipe()
        self._pending = bytearray()

    @property
    def signal_fd(self) -> int:
        """Readable when signals have arrived."""
        return self._signals[0]

    @property
    def pending(self) -> bool:
        """Whether output waits for the terminal."""
        return bool(self._pending)

    def size(self) -> tuple[int, int]:
        """Return (columns, rows); the usual ones where the terminal does not know."""
        try:
            cols, rows = os.get_terminal_size(self.fd)
        except OSError:
            return USUAL_SIZE
        return (cols, rows) if cols and rows else USUAL_SIZE

    # -- from one screen to the other ------------------------------------------------------------

    def enter(self, text: str) -> None:
        """Take signals and keys over, and write what shows another screen."""
        self._saved = termios.tcgetattr(self.fd)
        for number in SIGNALS:
            self._handlers[number] = signal.signal(number, _noted)
        self._wakeup = signal.set_wakeup_fd(self._signals[1], warn_on_full_buffer=False)
        self.raw()
        self.show(text)

    def raw(self) -> None:
        """Have every key sent at once and as it is."""
        with contextlib.suppress(termios.error, OSError):
            tty.setraw(self.fd, termios.TCSANOW)

    def leave(self, text: str) -> None:
        """Give the terminal back: what waits is dropped, `text` is written, modes are restored."""
        if self._saved is None:
            return
        saved, self._saved = self._saved, None
        self._pending.clear()
        try:
            # What the terminal has in its queue would delay it, and is for a screen that goes.
            with contextlib.suppress(termios.error, OSError):
                termios.tcflush(self.fd, termios.TCOFLUSH)
            self.show(text)
            self._write_out()
        finally:
            with contextlib.suppress(termios.error, OSError):
                termios.tcsetattr(self.fd, termios.TCSANOW, saved)
                # Nothing that was typed for the pane may end up in the shell.
                termios.tcflush(self.fd, termios.TCIFLUSH)
            signal.set_wakeup_fd(self._wakeup)
            for number, handler in self._handlers.items():
                signal.signal(number, handler)
            self._handlers.clear()

    def close(self) -> None:
        """Release the descriptors."""
        os.close(self.fd)
        for end in self._signals:
            os.close(end)

    # -- keys, output, signals -------------------------------------------------------------------

    def read(self) -> bytes | None:
        """Return what was typed, empty when nothing was, None when the terminal is gone."""
        try:
            return os.read(self.fd, READ_BYTES) or None
        except BlockingIOError:
            return b""
        except OSError:
            return None

    def show(self, text: str) -> None:
        """Queue output; what is queued is bounded by what the server sends before it is shown."""
        self._pending += text.encode("utf-8", "replace")

    def drop(self) -> None:
        """Forget output that waits, because a new picture follows."""
        self._pending.clear()

    def flush(self) -> None:
        """Write what the terminal takes now."""
        while self._pending:
            try:
                written = os.write(self.fd, self._pending[:WRITE_BYTES])
            except BlockingIOError:
                return
            except OSError:
                self._pending.clear()
                return
            del self._pending[:written]
            if not select.select([], [self.fd], [], 0)[1]:
                return

    def signals(self) -> list[int]:
        """Return the signals that have arrived."""
        with contextlib.suppress(BlockingIOError):
            return list(os.read(self.signal_fd, 512))
        return []

    def _write_out(self) -> None:
        while self._pending and select.select([], [self.fd], [], LEAVE_S)[1]:
            self.flush()


def _opened() -> int:
    if not (os.isatty(0) and os.isatty(1)):
        which = "input" if not os.isatty(0) else "output"
        raise UsageError(f"attach needs a terminal, and standard {which} is none")
    flags = os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK | os.O_CLOEXEC
    for name in (_name_of(1), "/dev/tty"):
        with contextlib.suppress(OSError):
            return os.open(name, flags)
    raise UsageError("attach cannot open the terminal that it runs in")


def _name_of(fd: int) -> str:
    try:
        return os.ttyname(fd)
    except OSError:
        return "/dev/tty"


def _pipe() -> tuple[int, int]:
    read, write = os.pipe()
    for end in (read, write):
        os.set_blocking(end, False)
    return read, write


def _noted(_number: int, _frame: FrameType | None) -> None:
    """Let the wake-up descriptor carry the signal."""


def say(text: str) -> None:
    """Write a line for the person, after the terminal was given back."""
    with contextlib.suppress(OSError):
        sys.stdout.write(text + "\n")
        sys.stdout.flush()
