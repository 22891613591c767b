"""The event stream: one counter, a bounded window to resume from, bounded subscribers.

The sequence is the session's revision. Publishing never waits and never fails because of a reader:
a subscriber that falls behind is told once that it must read the state again, then cut off.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any

import orjson

from luvus_service.rpc.errors import Unavailable
from luvus_service.uhp.engine.counters import RenderCounters
from luvus_service.uhp.engine.errors import CursorAhead, ResyncRequired

REPLAY_FRAMES = 256
REPLAY_BYTES = 1_048_576
SUBSCRIBERS = 64
QUEUE = 256
"""Events that may wait for one reader, beside the retained ones that it began with."""
WAITERS = 1024
"""Calls that may wait for an event or for output at one time."""
TERMINAL_PREFIX = "terminal."

Listener = Callable[[str, int, Mapping[str, Any], bytes], None]


class Subscription:
    """One reader's queue; iterate over it for frames, close it when done."""

    def __init__(self, bus: EventBus, *, terminal_only: bool, backlog: list[bytes]) -> None:
        self._bus = bus
        self.terminal_only = terminal_only
        self._queue: deque[bytes] = deque(backlog)
        # What was retained comes all at once, and no reader can have taken any of it yet.
        self._behind = len(backlog)
        self._wake = asyncio.Event()
        self._overflowed_at: int | None = None
        if backlog:
            self._wake.set()

    def offer(self, name: str, sequence: int, frame: bytes) -> None:
        """Take a frame, or give up for good when the queue is full."""
        if self._overflowed_at is not None:
            return
        if self.terminal_only and not name.startswith(TERMINAL_PREFIX):
            return
        if len(self._queue) - self._behind >= QUEUE:
            self._overflowed_at = sequence
            self._bus.counters.event_readers_overflowed += 1
            self._queue.clear()
        else:
            self._queue.append(frame)
        self._wake.set()

    async def frames(self) -> AsyncIterator[bytes]:
        """Yield frames in order; after an overflow one resync frame, then the end."""
        while True:
            while self._queue:
                self._bus.counters.event_frames_delivered += 1
                self._behind = max(0, self._behind - 1)
                yield self._queue.popleft()
            if self._overflowed_at is not None:
                name = "terminal" if self.terminal_only else "events"
                data = {"reason": "subscriber_overflow"}
                yield _frame(f"{name}.resync_required", self._overflowed_at, data)
                return
            self._wake.clear()
            await self._wake.wait()

    def close(self) -> None:
        """Give the place back; closing twice is harmless."""
        self._bus.drop(self)


class EventBus:
    """Publishes events and remembers the newest ones."""

    def __init__(self, counters: RenderCounters | None = None) -> None:
        self.counters = counters or RenderCounters()
        self.sequence = 0
        self._floor = 0
        self._replay: deque[tuple[str, int, bytes]] = deque()
        self._replay_bytes = 0
        self._subscribers: list[Subscription] = []
        self._listeners: list[Listener] = []

    def publish(self, name: str, data: Mapping[str, Any]) -> int:
        """Send an event to every reader and return its sequence."""
        self.sequence += 1
        frame = _frame(name, self.sequence, data)
        self._remember(name, frame)
        for subscriber in tuple(self._subscribers):
            subscriber.offer(name, self.sequence, frame)
        for listener in tuple(self._listeners):
            listener(name, self.sequence, data, frame)
        return self.sequence

    def subscribe(
        self, after: int | None = None, *, terminal_only: bool = False
    ) -> tuple[Subscription, int]:
        """Return a subscription with the retained frames after a sequence, and their number.

        Raises:
            CursorAhead: The sequence has not happened yet.
            ResyncRequired: The sequence is older than what is retained.
            Unavailable: `SUBSCRIBERS` are connected.
        """
        backlog = [] if after is None else self.retained(after)
        if len(self._subscribers) >= SUBSCRIBERS:
            raise Unavailable(f"{SUBSCRIBERS} subscribers are connected; close one first")
        frames = [
            frame
            for name, _, frame in backlog
            if not terminal_only or name.startswith(TERMINAL_PREFIX)
        ]
        subscription = Subscription(self, terminal_only=terminal_only, backlog=frames)
        self._subscribers.append(subscription)
        return subscription, len(frames)

    def retained(self, after: int) -> list[tuple[str, int, bytes]]:
        """Return the retained frames after a sequence.

        Raises:
            CursorAhead: The sequence has not happened yet.
            ResyncRequired: The sequence is older than what is retained.
        """
        if after > self.sequence:
            raise CursorAhead(
                f"after_sequence {after} is ahead of the server, which is at {self.sequence}; "
                "it has restarted since: take a new snapshot",
                sequence=self.sequence,
            )
        if after < self._floor:
            raise ResyncRequired(
                f"events after {after} are no longer retained; take a new snapshot and subscribe",
                sequence=self.sequence,
            )
        return [entry for entry in self._replay if entry[1] > after]

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Call `listener` with every event from now on; returns what stops it.

        Raises:
            Unavailable: `WAITERS` listen already.
        """
        if len(self._listeners) >= WAITERS:
            raise Unavailable(f"{WAITERS} calls are waiting; try again when some have ended")
        self._listeners.append(listener)

        def stop() -> None:
            if listener in self._listeners:
                self._listeners.remove(listener)

        return stop

    def drop(self, subscription: Subscription) -> None:
        """Forget a subscription."""
        if subscription in self._subscribers:
            self._subscribers.remove(subscription)

    @property
    def subscribers(self) -> int:
        """How many subscriptions are open."""
        return len(self._subscribers)

    def _remember(self, name: str, frame: bytes) -> None:
        if len(frame) > REPLAY_BYTES:
            self._replay.clear()
            self._replay_bytes = 0
            self._floor = self.sequence
            return
        self._replay.append((name, self.sequence, frame))
        self._replay_bytes += len(frame)
        while len(self._replay) > REPLAY_FRAMES or self._replay_bytes > REPLAY_BYTES:
            _, sequence, old = self._replay.popleft()
            self._replay_bytes -= len(old)
            self._floor = sequence


def _frame(name: str, sequence: int, data: Mapping[str, Any]) -> bytes:
    return orjson.dumps({"event": name, "sequence": sequence, "data": data})
