"""The one queue of events to the client: whole frames, in order, never dropped.

Deltas of one block that follow each other are joined once many frames wait. A model's stream
waits for room; actions never do.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from dataclasses import replace

from luvus_service.luxe.domain.events import ThinkingDelta, TokenDelta, ToolCallComposing
from luvus_service.luxe.domain.limits import OUTBOX_FRAMES
from luvus_service.rpc.frame_lines import event_line

CROWDED_FRAMES = 4 * OUTBOX_FRAMES
"""Waiting frames from which on a model's stream is not read further."""
ABANDONED_FRAMES = 65_536
"""Waiting frames at which nobody is taken to be reading any more; the queue then ends."""


class Outbox:
    """Events waiting to be sent."""

    def __init__(self) -> None:
        self._waiting: deque[object] = deque()
        self._filled = asyncio.Event()
        self._drained = asyncio.Event()
        self._drained.set()
        self._closed = False
        self.abandoned = False

    def put(self, event: object) -> None:
        """Add an event; nothing happens once the queue is closed."""
        if self._closed:
            return
        if len(self._waiting) >= OUTBOX_FRAMES and self._join(event):
            return
        self._waiting.append(event)
        self._filled.set()
        if len(self._waiting) >= CROWDED_FRAMES:
            self._drained.clear()
        if len(self._waiting) >= ABANDONED_FRAMES:
            self.abandoned = True
            self.close()

    def close(self) -> None:
        """End `lines` after what is waiting."""
        self._closed = True
        self._filled.set()
        self._drained.set()

    def drop(self) -> None:
        """Forget what is waiting: nobody will read it."""
        self._waiting.clear()
        self.close()

    async def room(self) -> None:
        """Wait until the client has caught up."""
        await self._drained.wait()

    async def lines(self) -> AsyncIterator[bytes]:
        """Yield each event as a line without its newline, until the queue is closed and empty."""
        while True:
            while self._waiting:
                yield event_line(self._waiting.popleft())
                if len(self._waiting) < OUTBOX_FRAMES:
                    self._drained.set()
            if self._closed:
                return
            self._filled.clear()
            await self._filled.wait()

    def flush(self) -> list[bytes]:
        """Take everything that waits, as lines; `lines` yields what comes later."""
        taken = [event_line(event) for event in self._waiting]
        self._waiting.clear()
        self._drained.set()
        return taken

    def _join(self, event: object) -> bool:
        last = self._waiting[-1]
        joined = _joined(last, event)
        if joined is not None:
            self._waiting[-1] = joined
        return joined is not None


def _joined(last: object, event: object) -> object:
    for sort in (TokenDelta, ThinkingDelta):
        if isinstance(event, sort) and isinstance(last, sort):
            if (event.block, event.turn_id) == (last.block, last.turn_id):
                return replace(last, delta=last.delta + event.delta)
            return None
    if (
        isinstance(event, ToolCallComposing)
        and isinstance(last, ToolCallComposing)
        and event.call_id == last.call_id
    ):
        return replace(event, delta=last.delta + event.delta)
    return None
