"""A terminal of the engine whose program is the test: a socket instead of a pty, no native screen.

The emulator and the journal are fakes that implement the ports; the terminal itself is the real
one.
"""

from __future__ import annotations

import asyncio
import os
import socket
import threading
from collections.abc import AsyncGenerator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager

from luvus_service.uhp.domain.ports import (
    Buffer,
    Captured,
    CaptureMode,
    Cursor,
    Fed,
    History,
    HostedTerminal,
    Modes,
    RootProcess,
)
from luvus_service.uhp.engine.terminal import Terminal

TERMINAL_ID = "2" * 32


class FakeEmulator:
    """A screen that shows its input as it came; tells the modes that a test sets."""

    name = "fake"

    def __init__(self) -> None:
        self.text = ""
        self.set_modes = Modes()
        self.go_on = threading.Event()
        self.go_on.set()
        self.feeding = threading.Event()
        self.dumps = True
        """Whether dumps can be made."""

    def feed(self, data: Buffer) -> Fed:
        self.feeding.set()
        self.go_on.wait(10)
        self.text += bytes(data).decode()
        return Fed()

    def capture(self, mode: CaptureMode, lines: int, *, ansi: bool, max_bytes: int) -> Captured:
        kept = self.text.split("\n")[-lines:]
        return Captured("\n".join(kept)[-max_bytes:], truncated=len(kept) < lines)

    def resize(self, cols: int, rows: int) -> None: ...

    def size(self) -> tuple[int, int]:
        return 80, 24

    def cursor(self) -> Cursor:
        return Cursor(0, 0, visible=True)

    def modes(self) -> Modes:
        return self.set_modes

    def title(self) -> str | None:
        return None

    def cwd(self) -> str | None:
        return None

    def history(self) -> History:
        return History(0, 0, 0)

    def set_history_budget(self, budget_bytes: int) -> None: ...

    def dump(self, max_bytes: int, *, scrollback_bytes: int | None = None) -> bytes:
        if not self.dumps:
            raise ZeroDivisionError
        return b""

    def compact(self) -> None: ...

    def close(self) -> None: ...


class FakeJournal:
    """Reads from a descriptor and forgets."""

    capacity = 1 << 40
    start = 0

    def __init__(self) -> None:
        self.head = 0
        self.marks: list[bool] = []

    def read_from(self, fd: int, limit: int) -> memoryview | None:
        try:
            data = os.read(fd, limit)
        except BlockingIOError:
            return None
        self.head += len(data)
        return memoryview(data)

    def replay(self) -> tuple[bytes, bytes]:
        return b"", b""

    def checkpoint(self, dump: bytes, position: int) -> bool:
        return True

    def mark_feeding(self, feeding: bool) -> None:
        self.marks.append(feeding)


class Program:
    """The test's end of a terminal: prints, and reads what was typed."""

    def __init__(self, terminal: Terminal, emulator: FakeEmulator, end: socket.socket) -> None:
        self.terminal = terminal
        self.emulator = emulator
        self._end = end

    async def prints(self, text: str) -> int:
        """Print and return the revision once it is published."""
        published = asyncio.Event()
        stop = self.terminal.watch(published.set)
        self._end.sendall(text.encode())
        await published.wait()
        stop()
        return self.terminal.revision

    def prints_unseen(self, data: bytes) -> None:
        """Print without waiting for anything."""
        self._end.sendall(data)

    async def reads(self, size: int) -> bytes:
        """Return this many bytes of what was typed."""
        loop = asyncio.get_running_loop()
        data = b""
        while len(data) < size:
            data += await loop.sock_recv(self._end, size - len(data))
        return data


@asynccontextmanager
async def running() -> AsyncGenerator[Program]:
    """A started terminal and its program; both are closed afterwards."""
    ours, theirs = socket.socketpair()
    for end in (ours, theirs):
        end.setblocking(False)
    emulator = FakeEmulator()
    executor = ThreadPoolExecutor(1)
    hosted = HostedTerminal(
        terminal_id=TERMINAL_ID,
        root=RootProcess(4121, "linux:1"),
        master_fd=ours.fileno(),
        journal=FakeJournal(),
        cols=80,
        rows=24,
    )
    terminal = Terminal(
        hosted,
        emulator,
        executor=executor,
        on_output=lambda _: None,
        on_signals=lambda _terminal, _signals: None,
    )
    terminal.start()
    try:
        yield Program(terminal, emulator, theirs)
    finally:
        emulator.go_on.set()
        await terminal.close()
        executor.shutdown()
        ours.close()
        theirs.close()
