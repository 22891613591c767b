"""Stores the list of open agent sessions, whole: a kill at any instant leaves the old or the new.

What a client was answered for is stored before the answer; what only changes how a row looks
follows within `GAP_S`.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from typing import Final

from luvus_service.luxe_wiring.kept import Kept, Unreadable, decoded, encoded
from luvus_service.uhp.domain.storage import Delete, Put, Store, StoreFailed

KIND: Final = "luxe"
GAP_S: Final = 2.0
"""From a change of a row until it is stored."""
RETRY_S: Final = 10.0
"""After a write that failed."""

_log = logging.getLogger(__name__)


class Keeper:
    """Writes what has changed of the list, in one transaction."""

    def __init__(self, store: Store, wanted: Callable[[], Mapping[int, Kept]]) -> None:
        """`wanted` returns what is to be stored, by place."""
        self._store = store
        self._wanted = wanted
        self._stored: dict[str, bytes] = {}
        self._writing = asyncio.Lock()
        self._timer: asyncio.TimerHandle | None = None
        self._task: asyncio.Task[str | None] | None = None
        self._frozen = False
        self._unknown: str | None = "the list of the last server has not been read"

    async def read(self) -> tuple[dict[int, Kept], int]:
        """Return what the last server had, by place, and the last place that is taken.

        A record that cannot be read is left alone, and so is everything when none can be.
        """
        try:
            bodies = await self._store.read(KIND)
        except StoreFailed as fault:
            self._unknown = str(fault)
            _log.error("the agent sessions of the last server are not known: %s", fault)
            return {}, -1
        self._unknown = None
        found: dict[int, Kept] = {}
        for key, body in sorted(bodies.items()):
            try:
                found[int(key)] = decoded(body)
            except (Unreadable, ValueError) as fault:
                _log.error("the agent session %r of the last server is left out: %s", key, fault)
            else:
                self._stored[key] = body
        places = [int(key) for key in bodies if key.isdecimal()]
        return found, max(places, default=-1)

    def changed(self) -> None:
        """Store the list soon."""
        self._due_in(GAP_S)

    async def settled(self) -> str | None:
        """Store the list now; return why that is not possible, None once it is on the disk."""
        async with self._writing:
            return "the server is shutting down" if self._frozen else await self._write()

    async def freeze(self) -> None:
        """Store the list a last time: what happens afterwards belongs to the end of the server."""
        async with self._writing:
            if self._frozen:
                return
            # Before anything else runs: a session that ends in the meantime was not closed.
            self._frozen = True
            await self._write()

    async def close(self) -> None:
        """Write nothing more."""
        self._frozen = True
        if self._timer is not None:
            self._timer.cancel()
        if self._task is not None:
            await asyncio.wait({self._task})

    def _due_in(self, delay: float) -> None:
        if self._timer is None and not self._frozen:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(delay, self._due)

    def _due(self) -> None:
        self._timer = None
        if self._task is None or self._task.done():
            loop = asyncio.get_running_loop()
            self._task = loop.create_task(self.settled(), name="agent sessions are stored")
        else:
            self._due_in(GAP_S)

    async def _write(self) -> str | None:
        if self._unknown is not None:
            return self._unknown
        wanted = {_key(place): encoded(kept) for place, kept in self._wanted().items()}
        changes: list[Put | Delete] = [
            Put(KIND, key, body) for key, body in wanted.items() if self._stored.get(key) != body
        ]
        changes += [Delete(KIND, key) for key in self._stored if key not in wanted]
        if not changes:
            return None
        try:
            await self._store.write(changes)
        except StoreFailed as fault:
            _log.error("the list of agent sessions is not stored: %s", fault)
            self._due_in(RETRY_S)
            return str(fault)
        self._stored = wanted
        return None


def _key(place: int) -> str:
    return f"{place:010d}"
