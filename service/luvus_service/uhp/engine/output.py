"""When changed output is published: at once after silence or input, less often the longer it pours.

Publishing is what raises a terminal's content revision, so a text, a wait's answer and an event
that carry the same revision speak of the same screen.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

SHORTEST_S = 0.004
LONGEST_S = 0.1
ANSWERS = 4
"""Publications after an input that wait for nothing: what came before it, its echo, a reply."""
_GROWTH = 1.5


class OutputPacer:
    """Calls `publish` for changed output, with a gap that grows while output goes on."""

    def __init__(self, publish: Callable[[], None]) -> None:
        self._publish = publish
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None
        self._last = float("-inf")
        self._gap = SHORTEST_S
        self._answers = 0
        self.dirty = False

    def prompt(self) -> None:
        """Let the next outputs be published at once: somebody who has sent input waits for them."""
        self._answers = ANSWERS

    def touched(self) -> None:
        """Note that output changed."""
        self.dirty = True
        if self._answers:
            self._answers -= 1
            self.flush()
            return
        if self._timer is not None:
            return
        silent = self._loop.time() - self._last
        if silent >= self._gap:
            # A pause earns the next outputs shorter gaps, or a program that speaks in short bursts
            # would be published ever later.
            self._gap = SHORTEST_S if silent > 2 * LONGEST_S else max(SHORTEST_S, self._gap / 2)
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
