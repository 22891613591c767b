"""Many equal deadlines on one timer.

Deadlines of one duration fall due in the order in which they began, so a dictionary that keeps
insertion order is the whole queue, and starting or ending one costs no timer.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Generic, TypeVar

Key = TypeVar("Key")


class Expiry(Generic[Key]):
    """Calls `action` with every key that stays in it for `seconds`."""

    __slots__ = ("_action", "_due", "_loop", "_seconds", "_timer")

    def __init__(
        self, loop: asyncio.AbstractEventLoop, seconds: float, action: Callable[[Key], None]
    ) -> None:
        self._loop = loop
        self._seconds = seconds
        self._action = action
        self._due: dict[Key, float] = {}
        self._timer: asyncio.TimerHandle | None = None

    def __len__(self) -> int:
        return len(self._due)

    def start(self, key: Key) -> None:
        """Begin the time of `key`, anew when it is already running."""
        self._due.pop(key, None)
        self._due[key] = self._loop.time() + self._seconds
        if self._timer is None:
            self._timer = self._loop.call_later(self._seconds, self._fire)

    def end(self, key: Key) -> None:
        """Take `key` out; one that is not in is no error."""
        self._due.pop(key, None)

    def close(self) -> None:
        """Forget all keys and stop the timer."""
        self._due.clear()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _fire(self) -> None:
        self._timer = None
        now = self._loop.time()
        over: list[Key] = []
        for key, due in self._due.items():
            # Loops round their timers, so a deadline within a millisecond has come.
            if due > now + 0.001:
                break
            over.append(key)
        for key in over:
            if self._due.pop(key, None) is not None:
                self._action(key)
        # An action may have begun a time anew and set the timer for that, later than the first.
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._due:
            first = next(iter(self._due.values()))
            self._timer = self._loop.call_later(max(0.0, first - now), self._fire)
