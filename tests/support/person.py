"""A person at a terminal of their own: a real pty with an emulator that answers queries.

Starts a program on it, types, resizes, and waits until the screen shows something. Synchronous,
event driven: it waits on the terminal and never sleeps.
"""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from time import monotonic
from types import TracebackType
from typing import Self

from luvus_service.adapters.emulator.factory import make_emulator
from tests.support.live import LiveServer

WAIT_S = 10.0


class Person:
    """A terminal and the program that runs on it."""

    def __init__(
        self,
        argv: Sequence[str],
        *,
        env: Mapping[str, str],
        cwd: Path,
        cols: int = 80,
        rows: int = 24,
    ) -> None:
        self.emulator = make_emulator(cols, rows, history_bytes=100_000)
        self.received = bytearray()
        """Everything that the terminal was sent."""
        self.replies = b""
        """Everything that the terminal answered to queries."""
        self.master, slave = pty.openpty()
        self.slave_name = os.ttyname(slave)
        _set_size(self.master, cols, rows)
        self.modes = termios.tcgetattr(slave)
        self.process = subprocess.Popen(
            ["setsid", "--ctty", *argv],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env={**env, "TERM": "xterm-256color"},
            cwd=cwd,
        )
        self._slave = slave

    def modes_now(self) -> list[object]:
        """Return the terminal's line discipline as it is now."""
        return list(termios.tcgetattr(self._slave))

    def press(self, text: str | bytes) -> None:
        """Type text."""
        os.write(self.master, text.encode() if isinstance(text, str) else text)

    def resize(self, cols: int, rows: int) -> None:
        """Drag the window to another size."""
        self.emulator.resize(cols, rows)
        _set_size(self.master, cols, rows)

    def screen(self) -> str:
        """Return what the terminal shows."""
        return self.emulator.capture("visible", 500, ansi=False, max_bytes=1_000_000).text

    def until(self, done: Callable[[], bool], *, timeout_s: float = WAIT_S) -> None:
        """Take output until something is true."""
        deadline = monotonic() + timeout_s
        while not done():
            left = deadline - monotonic()
            if left <= 0 or not self.take(left):
                raise AssertionError(f"it never came; the screen shows\n{self.screen()}")

    def until_shown(self, text: str, *, timeout_s: float = WAIT_S) -> None:
        """Take output until the screen shows a text."""
        self.until(lambda: text in self.screen(), timeout_s=timeout_s)

    def take(self, timeout_s: float) -> bool:
        """Take one piece of output; False when there is none in time."""
        if not select.select([self.master], [], [], timeout_s)[0]:
            return False
        try:
            piece = os.read(self.master, 65_536)
        except OSError:
            return False
        self.received += piece
        fed = self.emulator.feed(piece)
        if fed.replies:
            self.replies += fed.replies
            os.write(self.master, fed.replies)
        return True

    def left(self, *, timeout_s: float = WAIT_S) -> int:
        """Take output until the program has ended; return its exit status."""
        watch = os.pidfd_open(self.process.pid)
        try:
            deadline = monotonic() + timeout_s
            while True:
                ready = select.select([self.master, watch], [], [], deadline - monotonic())[0]
                assert ready, f"the program does not end; the screen shows\n{self.screen()}"
                if self.master in ready:
                    self.take(0)
                elif watch in ready:
                    return self.process.wait()
        finally:
            os.close(watch)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
        os.close(self.master)
        os.close(self._slave)
        self.emulator.close()


def attached(
    live: LiveServer,
    *words: str,
    cols: int = 80,
    rows: int = 24,
    env: Mapping[str, str] | None = None,
) -> Person:
    """Return a person who attaches to a pane of a server."""
    argv = [sys.executable, "-m", "luvus_client.cli.main", "attach", *words]
    return Person(argv, env={**live.env, **(env or {})}, cwd=live.folder, cols=cols, rows=rows)


def _set_size(fd: int, cols: int, rows: int) -> None:
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, cols, 0, 0))
