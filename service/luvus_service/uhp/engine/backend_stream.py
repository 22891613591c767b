"""A stream of one terminal's screens, with the actions of whoever controls it in between.

Driven by publications, never by a timer. A frame replaces the one before, but none that was
captured is dropped: what is published while a frame is being written is captured and sent next,
also when the program is silent afterwards. A reader who falls `QUEUE` frames behind is told to
begin anew and cut off.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import orjson

from luvus_service.rpc.call import Stream, StreamClosed
from luvus_service.rpc.models import Result
from luvus_service.uhp.domain.locators import Locator
from luvus_service.uhp.engine.backend_waits import screen_of
from luvus_service.uhp.engine.errors import TerminalGone
from luvus_service.uhp.engine.limits import TERMINAL_STREAM_FRAME_BYTES, TERMINAL_STREAM_QUEUE
from luvus_service.uhp.engine.screens import Screen
from luvus_service.uhp.engine.terminal import Terminal

QUEUE = TERMINAL_STREAM_QUEUE
"""Frames that wait while another one is being written."""
LAST_FRAMES_S = 2.0
"""How long the last frames of a closed terminal may take."""
RESYNC_S = 2.0
"""How long a reader who fell behind may take to read that it must begin anew."""

Act: TypeAlias = Callable[[bytes], Awaitable[bytes]]


@dataclass(frozen=True, slots=True)
class View:
    """What a stream shows of its terminal."""

    mode: Literal["visible", "recent_unwrapped"]
    lines: int
    ansi: bool
    cursor: bool


class FrameStream:
    """One observe or control stream, from its acknowledgement to its end."""

    def __init__(
        self,
        stream: Stream,
        terminal: Terminal,
        locator: Locator,
        view: View,
        *,
        sequence: Callable[[], int],
        act: Act | None = None,
    ) -> None:
        """`act` answers a line of the client; without it lines are read and discarded."""
        self._stream = stream
        self._terminal = terminal
        self._locator = locator
        self._view = view
        self._sequence = sequence
        self._act = act
        self._frames: deque[bytes] = deque()
        self._changed = asyncio.Event()
        self._ready = asyncio.Event()
        self._sending = asyncio.Lock()
        self._ended = False

    async def run(self, acknowledgement: Result) -> None:
        """Acknowledge, then send frames until either side ends the stream.

        It ends when the terminal closes, and when the client leaves, falls behind or loses its
        right.

        Raises:
            LimitExceeded: Too many follow this terminal.
            StreamClosed: The client has gone.
        """
        stop = self._terminal.watch(self._changed.set)
        try:
            await self._stream.acknowledge(acknowledgement)
            await self._both_ways()
        finally:
            stop()

    async def _both_ways(self) -> None:
        loop = asyncio.get_running_loop()
        capture = loop.create_task(self._capture())
        others = {loop.create_task(self._write()), loop.create_task(self._read())}
        try:
            await asyncio.wait({capture, *others}, return_when=asyncio.FIRST_COMPLETED)
            if capture.done() and not any(task.done() for task in others):
                if not capture.result():
                    await _end(others)
                    await self._resynchronise()
                    return
                await asyncio.wait(
                    others, timeout=LAST_FRAMES_S, return_when=asyncio.FIRST_COMPLETED
                )
            for task in others:
                if task.done():
                    task.result()
        finally:
            await _end({capture, *others})

    async def _capture(self) -> bool:
        """Queue a frame for every new revision; False when the reader fell behind."""
        newest = -1
        while not self._terminal.closed:
            self._changed.clear()
            try:
                screen = await self._screen()
            except TerminalGone:
                break
            if screen.revision > newest:
                if len(self._frames) >= QUEUE:
                    return False
                newest = screen.revision
                self._frames.append(self._frame(screen))
                self._ready.set()
            if screen.revision == self._terminal.revision and not self._terminal.closed:
                # What woke us meanwhile is in this frame already.
                self._changed.clear()
            await self._changed.wait()
        self._ended = True
        self._ready.set()
        return True

    async def _write(self) -> None:
        while True:
            while self._frames:
                if not self._stream.allowed():
                    return
                # Taken out before it is written: the limit is for frames that wait.
                await self._send(self._frames.popleft())
            if self._ended:
                return
            self._ready.clear()
            await self._ready.wait()

    async def _read(self) -> None:
        async for line in self._stream.incoming():
            if self._act is not None:
                await self._send(await self._act(line))
                if not self._stream.allowed():
                    return

    async def _send(self, frame: bytes) -> None:
        async with self._sending:
            await self._stream.send(frame)

    async def _resynchronise(self) -> None:
        data = {"reason": "subscriber_overflow"}
        frame = {"event": "terminal.resync_required", "sequence": self._sequence(), "data": data}
        with suppress(TimeoutError, StreamClosed):
            async with asyncio.timeout(RESYNC_S):
                await self._stream.send(orjson.dumps(frame))

    async def _screen(self) -> Screen:
        view = self._view
        return await screen_of(
            self._terminal,
            view.mode,
            view.lines,
            ansi=view.ansi,
            max_bytes=TERMINAL_STREAM_FRAME_BYTES,
        )

    def _frame(self, screen: Screen) -> bytes:
        captured = screen.captured
        data: dict[str, Any] = {
            "server_generation": self._locator.server_generation,
            "terminal_id": self._locator.terminal_id,
            "pane_id": str(self._locator.pane),
            "content_revision": screen.revision,
            "mode": self._view.mode,
            "ansi": self._view.ansi,
            "text": captured.text,
            "lines": captured.text.count("\n") + 1,
            "bytes": len(captured.text.encode()),
            "truncated": captured.truncated,
        }
        if self._view.cursor:
            place = captured.cursor
            data["cursor"] = place and {"offset": place[0], "padding_cells": place[1]}
        return orjson.dumps({"event": "terminal.frame", "sequence": self._sequence(), "data": data})


async def _end(tasks: set[asyncio.Task[Any]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
