"""What other parts of the engine may ask about the agent of a pane."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from luvus_service.uhp.domain.agents.states import IdentitySource, State, StateSource


@dataclass(frozen=True, slots=True)
class AgentFacts:
    """The agent of one pane as of the newest event."""

    agent: str = ""
    """Empty for a plain shell."""
    status: State = "unknown"
    authority: IdentitySource | None = None
    """Where the identity comes from."""
    state_source: StateSource | None = None
    session: str | None = None
    """The agent's own session id."""
    is_agent: bool = False
    since_ms: int | None = None
    """When agent and status became what they are, in Unix milliseconds."""


NO_FACTS = AgentFacts()


class AgentView(Protocol):
    """Knows the agents of all panes, without waiting."""

    def facts(self, pane: int) -> AgentFacts:
        """Return what is known of a pane's agent."""
        ...


class NoAgents:
    """Stands in where nothing detects agents."""

    def facts(self, pane: int) -> AgentFacts:
        """Return that nothing is known."""
        return NO_FACTS
