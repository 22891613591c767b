"""Panes that failed are remembered, the newest of them."""

from __future__ import annotations

from typing import Any

from luvus_service.uhp.domain.agents.stores import Usage
from luvus_service.uhp.engine.agent_facts import AgentFacts
from luvus_service.uhp.engine.agents.endings import KEPT, Endings
from luvus_service.uhp.engine.workspaces import Workspaces
from tests.support.engine_world import EngineWorld


class OneAgent:
    """Knows an agent in every pane."""

    def facts(self, pane: int) -> AgentFacts:
        """Return the agent."""
        return AgentFacts(agent="claude", status="working", is_agent=True)


def exited(pane: int, code: int) -> dict[str, Any]:
    return {"pane_id": str(pane), "detail": {"exit_code": code, "signal": None}}


async def test_the_oldest_failure_goes_when_one_too_many_comes() -> None:
    world = EngineWorld()
    session = world.session
    session.agents = OneAgent()
    await Workspaces(session).open("/", focus=True)
    told: list[int] = []
    endings = Endings(session, lambda pane: Usage(tokens_in=pane))
    endings.on_failed = lambda: told.append(1)

    for number in range(KEPT + 5):
        endings.heard(exited(1, number + 1))
    endings.heard(exited(1, 0))
    endings.heard(exited(99, 1))

    kept = endings.list()
    assert len(kept) == KEPT
    assert len(told) == KEPT + 5
    assert (kept[0].exit_code, kept[-1].exit_code) == (6, KEPT + 5)
    assert (kept[-1].agent, kept[-1].usage) == ("claude", Usage(tokens_in=1))
    await world.close()
