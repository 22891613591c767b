"""Does one thing soon after it is asked for, once for many requests, and not too often.

Owns its timer; whoever made it closes it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable


class Throttle:
    """Calls `act` once, soon, however often it is asked to."""

    def __init__(self, act: Callable[[], None]) -> None:
        self._act = act
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None
        self._not_before = float("-inf")
        self._closed = False

    def ask(self) -> None:
        """Act on the loop's next turn, or once the gap is over; further requests join this one."""
        if self._timer is not None or self._closed:
            return
        # Never from inside the event that led here: other listeners have not heard it yet.
        due = max(self._not_before, self._loop.time())
        self._timer = self._loop.call_at(due, self._due)

    def hold(self, gap_s: float) -> None:
        """Act no sooner than this many seconds from now; a request that waits is not moved."""
        self._not_before = self._loop.time() + gap_s

    def close(self) -> None:
        """Act no more."""
        self._closed = True
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _due(self) -> None:
        self._timer = None
        self._act()
