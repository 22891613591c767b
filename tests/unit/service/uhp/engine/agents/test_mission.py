from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from luvus_service.uhp.domain.agents.stores import StoredSession, Usage
from luvus_service.uhp.engine.agents.agents import Agents, AgentWorld
from tests.support.engine_world import EngineWorld


class Unreadable:
    """An agent whose one session cannot be read."""

    id = "claude"
    aliases: tuple[str, ...] = ()
    launch = "claude"
    resume: tuple[str, ...] = ()
    fork: tuple[str, ...] = ()
    guesses = False

    def sessions(self, limit: int) -> Sequence[StoredSession]:
        """Return one."""
        return [StoredSession("claude", "s", "/", 0.0)]

    def usage(self, session: StoredSession) -> Usage | None:
        """Fail."""
        raise ZeroDivisionError


async def test_a_scan_that_fails_is_over_and_its_end_is_announced(
    caplog: pytest.LogCaptureFixture,
) -> None:
    world = EngineWorld()
    missions = Agents(world.session, AgentWorld(adapters=(Unreadable(),))).missions
    told = asyncio.Event()
    world.session.events.listen(lambda name, *_: told.set() if name == "mission.changed" else None)

    missions.refresh()
    scanning = missions.snapshot([]).refreshing
    await asyncio.wait_for(told.wait(), 5)

    assert (scanning, missions.snapshot([]).refreshing) == (True, False)
    assert "scan of usage failed" in caplog.text
    await world.close()
