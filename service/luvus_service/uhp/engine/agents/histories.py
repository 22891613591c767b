"""The sessions that agents have on disk: read off the loop when asked for, kept for a moment."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor

from luvus_service.uhp.domain.agents.stores import AgentAdapter, StoredSession

FRESH_S = 4.0
"""How long a look at the stores answers."""
NEWEST = 12
"""Sessions that are read of each agent, and that a list shows."""


class Histories:
    """What the stores of all agents hold."""

    def __init__(
        self, adapters: Mapping[str, AgentAdapter], executor: Callable[[], Executor]
    ) -> None:
        self._adapters = adapters
        self._executor = executor
        self._at = float("-inf")
        self._found: dict[str, Sequence[StoredSession]] = {}
        self._lock = asyncio.Lock()

    async def all(self) -> list[StoredSession]:
        """Return the newest sessions, newest first, one for each agent and folder."""
        async with self._lock:
            loop = asyncio.get_running_loop()
            if loop.time() - self._at > FRESH_S:
                self._found = await loop.run_in_executor(self._executor(), self._look)
                self._at = loop.time()
        return newest([s for sessions in self._found.values() for s in sessions])

    async def find(self, session_id: str) -> StoredSession | None:
        """Return a session by its id, also when its folder has a newer one."""
        await self.all()
        known = (s for sessions in self._found.values() for s in sessions)
        return next((s for s in known if s.session_id == session_id), None)

    async def of(self, agent: str) -> Sequence[StoredSession]:
        """Return an agent's newest sessions, newest first."""
        await self.all()
        return self._found.get(agent, ())

    def _look(self) -> dict[str, Sequence[StoredSession]]:
        return {name: adapter.sessions(NEWEST) for name, adapter in self._adapters.items()}


def newest(sessions: Sequence[StoredSession]) -> list[StoredSession]:
    """Return sessions newest first, one for each agent and folder."""
    found: dict[tuple[str, str], StoredSession] = {}
    for session in sorted(sessions, key=lambda s: s.updated, reverse=True):
        found.setdefault((session.agent, session.cwd), session)
    return list(found.values())
