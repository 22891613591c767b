"""Who watches the list of sessions. A change wakes them; the list itself is read when it is sent.

What changes quickly is told once: a watcher gets the whole list each time and never falls behind.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Final

from luvus_service.rpc.frame_lines import encode
from luvus_service.rpc.refusals import Refused

WATCHERS: Final = 64
GAP_S: Final = 0.1
"""Between two lists for one watcher."""


class Watcher:
    """One client that watches the list."""

    def __init__(self, roster: Roster, listed: Callable[[], Sequence[object]]) -> None:
        self._roster = roster
        self._listed = listed
        self._changed = asyncio.Event()
        self._changed.set()
        self._left = False

    def deliver(self, line: bytes) -> None:
        """Ignore what the client sends: a list takes no actions."""

    def deliver_too_long(self, limit: int) -> None:
        """Ignore a line that was left out because of its length."""

    def wake(self) -> None:
        """Send the list again, soon."""
        self._changed.set()

    async def lines(self) -> AsyncIterator[bytes]:
        """Yield the list now and after every change, until the watcher leaves."""
        while True:
            await self._changed.wait()
            if self._left:
                return
            self._changed.clear()
            yield encode({"kind": "sessions", "content": {"sessions": list(self._listed())}})
            await asyncio.sleep(GAP_S)

    def shut(self) -> None:
        """Stop watching; `lines` ends."""
        self._left = True
        self._roster.leave(self)
        self._changed.set()


class Roster:
    """Everybody who watches the list."""

    def __init__(self) -> None:
        self._watchers: set[Watcher] = set()

    def watch(self, listed: Callable[[], Sequence[object]]) -> Watcher:
        """Return a new watcher.

        Raises:
            Refused: There are too many.
        """
        if len(self._watchers) >= WATCHERS:
            raise Refused("busy", f"{WATCHERS} clients watch the list of sessions; close one")
        watcher = Watcher(self, listed)
        self._watchers.add(watcher)
        return watcher

    def changed(self) -> None:
        """Let every watcher get the list again, soon."""
        for watcher in self._watchers:
            watcher.wake()

    def leave(self, watcher: Watcher) -> None:
        """Forget a watcher."""
        self._watchers.discard(watcher)

    def close(self) -> None:
        """End every watcher's stream."""
        for watcher in tuple(self._watchers):
            watcher.shut()
