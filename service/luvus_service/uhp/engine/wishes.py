"""Wishes: something that is done once, soon, and not too often. A wish owns its timer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable


class Wish:
    """Does something once, soon, however often it is wished for."""

    def __init__(self, act: Callable[[], None]) -> None:
        self._act = act
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None
        self._not_before = float("-inf")
        self._closed = False

    def wish(self) -> None:
        """Act now, or as soon as the gap is over; a wish that waits is not doubled."""
        if self._timer is not None or self._closed:
            return
        # Never from inside the event that led here: other listeners have not heard it yet.
        due = max(self._not_before, self._loop.time())
        self._timer = self._loop.call_at(due, self._due)

    def hold(self, gap_s: float) -> None:
        """Let nothing happen for some time from now on."""
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
