"""Standard input and output as one WebSocket of an ASGI app: a line is a message.

Reading never waits for writing, nor the other way round. Knows no message; what is on standard
output beside the app's lines goes to standard error.
"""

from __future__ import annotations

import asyncio
import os
import select
import stat
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from luvus_bridge.asgi import App

LINE_BYTES = 32 * 1024 * 1024
"""The longest line that is read; a longer one is left out and the app is told."""
PIECE_BYTES = 65_536
QUEUED_LINES = 1_024
"""Lines read ahead of the app; the reader waits at this number."""
ATOMIC_BYTES = 4_096
"""A pipe that is writable at all takes so many bytes at once."""
TOO_LONG = "luvus.line_too_long"
_BOM = b"\xef\xbb\xbf"


class LineSplitter:
    """Bytes in, lines out; holds at most one incomplete line of `limit` bytes."""

    def __init__(self, limit: int = LINE_BYTES) -> None:
        self._limit = limit
        self._parts: list[bytes] = []
        self._held = 0
        self._dropping = False
        self._first = True

    def feed(self, piece: bytes) -> list[bytes | None]:
        """Return the lines that end in `piece`, without newline; None for one that was too long."""
        lines: list[bytes | None] = []
        *ends, rest = piece.split(b"\n")
        for end in ends:
            self._hold(end)
            lines.append(self._taken())
        self._hold(rest)
        return lines

    def _hold(self, part: bytes) -> None:
        self._held += len(part)
        if self._held > self._limit:
            self._parts.clear()
            self._dropping = True
        elif part:
            self._parts.append(part)

    def _taken(self) -> bytes | None:
        line = None if self._dropping else b"".join(self._parts)
        self._parts.clear()
        self._held = 0
        self._dropping = False
        if self._first and line is not None:
            line = line.removeprefix(_BOM)
        self._first = False
        return line.removesuffix(b"\r") if line is not None else None


class Input:
    """Lines of a descriptor, read by a thread: any kind of file will do."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._loop = asyncio.get_running_loop()
        self._lines: deque[bytes | None] = deque()
        self._arrived = asyncio.Event()
        self._ended = False
        self._places = threading.Semaphore(QUEUED_LINES)
        # A daemon: a read that never returns must not keep the process alive.
        self._thread = threading.Thread(target=self._read, name="stdin", daemon=True)
        self._thread.start()

    async def next(self) -> dict[str, Any]:
        """Return the next message for the app; a disconnect at the end of input."""
        while not self._lines:
            if self._ended:
                return {"type": "websocket.disconnect", "code": 1001}
            self._arrived.clear()
            await self._arrived.wait()
        line = self._lines.popleft()
        self._places.release()
        if line is None:
            return {"type": "websocket.receive", "bytes": b"", "extensions": {TOO_LONG: {}}}
        return {"type": "websocket.receive", "bytes": line}

    def end(self) -> None:
        """Take the input as ended."""
        self._ended = True
        self._arrived.set()

    def _read(self) -> None:
        splitter = LineSplitter()
        while True:
            try:
                piece = os.read(self._fd, PIECE_BYTES)
            except OSError:
                piece = b""
            for line in splitter.feed(piece):
                self._places.acquire()
                self._tell(self._take, line)
            if not piece:
                self._tell(self.end)
                return

    def _tell(self, call: Any, *arguments: Any) -> None:
        try:
            self._loop.call_soon_threadsafe(call, *arguments)
        except RuntimeError:
            return  # the loop has closed; nobody wants lines any more

    def _take(self, line: bytes | None) -> None:
        self._lines.append(line)
        self._arrived.set()


class Output:
    """Writes whole lines to a descriptor without ever holding up the loop."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._poll = select.poll()
        self._poll.register(fd, select.POLLOUT)

    def when_left(self, call: Callable[[], None]) -> None:
        """Call this when the reader has left, also while there is nothing to write."""
        kind = os.fstat(self._fd).st_mode
        if stat.S_ISFIFO(kind) or stat.S_ISSOCK(kind):
            with suppress(OSError, NotImplementedError):
                asyncio.get_running_loop().add_reader(self._fd, self._look, call)

    def watch_no_more(self) -> None:
        """Forget what `when_left` was told."""
        with suppress(OSError, NotImplementedError):
            asyncio.get_running_loop().remove_reader(self._fd)

    async def write(self, line: bytes) -> None:
        """Write a line and its newline.

        Raises:
            OSError: Nobody reads any more.
        """
        data = line + b"\n"
        if len(data) <= ATOMIC_BYTES and self._poll.poll(0):
            with suppress(BlockingIOError):
                data = data[os.write(self._fd, data) :]
        if data:
            await asyncio.get_running_loop().run_in_executor(None, self._write_all, data)

    def _look(self, call: Callable[[], None]) -> None:
        # Nothing is ever read here: this was the end, or somebody writes to what is ours.
        self.watch_no_more()
        if any(events & (select.POLLERR | select.POLLHUP) for _, events in self._poll.poll(0)):
            call()

    def _write_all(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            try:
                view = view[os.write(self._fd, view) :]
            except BlockingIOError:
                # Whoever started us made the descriptor non-blocking.
                self._poll.poll()


async def serve_stdio(app: App, path: str, source: Input, sink: Output) -> None:
    """Run the app's WebSocket on `path` between `source` and `sink` until the app closes it."""
    connected = False

    async def receive() -> dict[str, Any]:
        nonlocal connected
        if not connected:
            connected = True
            return {"type": "websocket.connect"}
        return await source.next()

    async def send(message: Any) -> None:
        if message["type"] == "websocket.send":
            text = message.get("text")
            await sink.write(message["bytes"] if text is None else text.encode())

    scope: dict[str, Any] = {
        "type": "websocket",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "scheme": "ws",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "root_path": "",
        "headers": [],
        "client": None,
        "server": None,
        "subprotocols": [],
        "extensions": {},
    }
    sink.when_left(source.end)
    try:
        await app(scope, receive, send)
    finally:
        sink.watch_no_more()
