"""One viewer of one terminal: a snapshot, then live bytes; a slow viewer gets a new snapshot.

What waits for a viewer is bounded. When it is too much, all of it is dropped and the terminal's
present picture is sent once the viewer has caught up, so a flood costs a viewer frames and never
its memory. Snapshots answer no queries and viewers do not either: the server has done so already.
"""

from __future__ import annotations

import asyncio
import codecs
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any

import orjson

from luvus_service.rpc.call import Stream
from luvus_service.rpc.models import Result
from luvus_service.rpc.streaming import until_first
from luvus_service.uhp.engine.terminal import Terminal

QUEUE_BYTES = 262_144
"""Output that waits for one viewer; more is replaced by a snapshot."""
WINDOW_BYTES = 262_144
"""Output that a viewer which acknowledges may have before it, unread."""
FRAME_BYTES = 65_536
"""Output in one frame. Escaped as JSON it may be six times as long."""
PICTURE_BYTES = 8_000_000
"""The largest picture, scrollback included."""
SNAPSHOT_GAP_S = 0.03
"""Between two snapshots for a viewer that cannot follow."""
HEAL_S = 0.5
"""After the last overflow, until a viewer gets its scrollback back."""


class View:
    """One stream of one terminal's output, from its acknowledgement to its end."""

    def __init__(
        self, stream: Stream, terminal: Terminal, *, scrollback_bytes: int, acknowledges: bool
    ) -> None:
        """With `acknowledges`, output is held back until the viewer has said what it has read."""
        self._stream = stream
        self._terminal = terminal
        self._scrollback = scrollback_bytes
        self._acknowledges = acknowledges
        self._loop = asyncio.get_running_loop()
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._queue: deque[bytes] = deque()
        self._waiting = 0
        self._stale = True
        self._thin = False
        self._fresh = False
        self._overflowed = float("-inf")
        self._pictured = float("-inf")
        self._sent = 0
        self._read = 0
        self._wake = asyncio.Event()
        self._sending = asyncio.Lock()

    # -- told by the terminal --------------------------------------------------------------------

    def output(self, data: bytes) -> None:
        """Queue output, or give it up for a snapshot."""
        if self._stale:
            return
        if self._waiting + len(data) > QUEUE_BYTES:
            self._drop()
            self._overflowed = self._loop.time()
        else:
            self._queue.append(data)
            self._waiting += len(data)
        self._wake.set()

    def changed(self) -> None:
        """Begin anew: the same bytes mean something else at another size."""
        if not self._terminal.closed:
            self._drop()
        self._wake.set()

    # -- told by the client ----------------------------------------------------------------------

    def acknowledge(self, end: int) -> None:
        """Note that the viewer has read everything up to this offset."""
        self._read = max(self._read, min(end, self._sent))
        self._wake.set()

    async def say(self, frame: bytes) -> None:
        """Send a frame of the client's own concern in between."""
        async with self._sending:
            await self._stream.send(frame)

    # -- running ---------------------------------------------------------------------------------

    async def run(self, started: Result, act: Callable[[bytes], Awaitable[None]]) -> None:
        """Acknowledge, then show the terminal until it closes or the viewer leaves.

        `act` is called with each line of the client.

        Raises:
            LimitExceeded: Too many view this terminal.
            StreamClosed: The viewer has gone.
        """
        stop = self._terminal.view(self)
        try:
            await self._stream.acknowledge(started)
            await until_first(self._show(), self._listen(act))
        finally:
            stop()

    async def _listen(self, act: Callable[[bytes], Awaitable[None]]) -> None:
        async for line in self._stream.incoming():
            if not self._stream.allowed():
                return
            await act(line)

    async def _show(self) -> None:
        while self._stream.allowed():
            self._wake.clear()
            if self._stale and not self._terminal.closed:
                if self._caught_up():
                    await self._picture()
                    continue
            elif self._queue and self._open():
                await self._send_some()
                continue
            elif self._terminal.closed and not self._queue:
                await self._frame("view.closed", self._ending())
                return
            await self._wait()

    async def _wait(self) -> None:
        """Wait until something changes, or until a thinned screen may get its scrollback back."""
        timeout = None
        if self._thin and not self._stale:
            timeout = max(0.0, self._overflowed + HEAL_S - self._loop.time())
        try:
            async with asyncio.timeout(timeout):
                await self._wake.wait()
        except TimeoutError:
            self._drop()

    async def _picture(self) -> None:
        now = self._loop.time()
        pouring = now - self._overflowed < HEAL_S
        if pouring and now - self._pictured < SNAPSHOT_GAP_S:
            await asyncio.sleep(self._pictured + SNAPSHOT_GAP_S - now)
        # The screen alone is quick to make and to read; nobody can follow scrollback that pours.
        self._thin = pouring and self._scrollback > 0
        # Waiting for the emulator ends like a cancellation when the terminal is closed meanwhile.
        try:
            scrollback = 0 if pouring else self._scrollback
            await self._terminal.depict(PICTURE_BYTES, scrollback, self._take)
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if not self._terminal.closed or (task is not None and task.cancelling()):
                raise
        self._pictured = self._loop.time()

    def _take(self, picture: bytes) -> None:
        self._stale = False
        self._fresh = True
        self._decoder.reset()
        self._queue = deque([picture])
        self._waiting = 0

    def _drop(self) -> None:
        self._queue.clear()
        self._waiting = 0
        self._stale = True
        self._thin = False

    def _open(self) -> bool:
        return not self._acknowledges or self._sent - self._read < WINDOW_BYTES

    def _caught_up(self) -> bool:
        return not self._acknowledges or self._sent == self._read

    async def _send_some(self) -> None:
        """Send one frame of what waits; the first after a picture was taken says so."""
        piece = self._next()
        self._sent += len(piece)
        data: dict[str, Any] = {"text": self._decoder.decode(piece), "end": self._sent}
        if self._fresh:
            self._fresh = False
            data |= {"cols": self._terminal.hosted.cols, "rows": self._terminal.hosted.rows}
            await self._frame("view.snapshot", data)
        else:
            await self._frame("view.output", data)

    def _next(self) -> bytes:
        parts: list[bytes] = []
        size = 0
        while self._queue and size < FRAME_BYTES:
            first = self._queue[0]
            room = FRAME_BYTES - size
            if len(first) <= room:
                parts.append(self._queue.popleft())
            else:
                parts.append(first[:room])
                self._queue[0] = first[room:]
            size += len(parts[-1])
        self._waiting = max(0, self._waiting - size)
        return b"".join(parts)

    def _ending(self) -> dict[str, Any]:
        status = self._terminal.hosted.exit
        said = {} if status is None else {"exit_code": status.code, "signal": status.signal}
        return {name: value for name, value in said.items() if value is not None}

    async def _frame(self, event: str, data: dict[str, Any]) -> None:
        await self.say(orjson.dumps({"event": event, "data": data}))
