"""When changed output is published: at once after silence, less often the longer it pours.

Publishing is what raises a terminal's content revision, so a text, a wait's answer and an event
that carry the same revision speak of the same screen.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

SHORTEST_S = 0.004
LONGEST_S = 0.1
_GROWTH = 1.5


class OutputPacer:
    """Calls `publish` for changed output, with a gap that grows while output goes on."""

    def __init__(self, publish: Callable[[], None]) -> None:
        self._publish = publish
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None
        self._last = float("-inf")
        self._gap = SHORTEST_S
        self.dirty = False

    def touched(self) -> None:
        """Note that output changed."""
        self.dirty = True
        if self._timer is not None:
            return
        now = self._loop.time()
        silent = now - self._last
        if silent >= self._gap:
            self._gap = SHORTEST_S if silent > 2 * LONGEST_S else self._gap
            self.flush()
        else:
            self._timer = self._loop.call_at(self._last + self._gap, self._due)

    def flush(self) -> None:
        """Publish now what has changed and is not published yet."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self.dirty:
            self.dirty = False
            self._last = self._loop.time()
            self._publish()

    def close(self) -> None:
        """Publish nothing more."""
        self.dirty = False
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _due(self) -> None:
        self._timer = None
        self._gap = min(self._gap * _GROWTH, LONGEST_S)
        self.flush()
