"""Events of agents."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from luvus_service.rpc.declare import event
from luvus_service.rpc.models import EventData
from luvus_service.uhp.domain.agents.states import IdentitySource, State, StateSource

Pane = Annotated[str, Field(description="The pane's id.")]


@event("pane.agent_status_changed")
class AgentStatusChanged(EventData):
    """A pane has another agent, or its agent is doing otherwise."""

    pane: Pane
    status: State = Field(description="How it is doing now.")
    agent: str = Field(description="The agent; empty for a plain shell.")
    cwd: str = Field(description="Where its program is.")
    project: str = Field(description="The workspace's name.")
    branch: str | None = Field(description="The git branch, as reported or as git says, or null.")
    authority: IdentitySource | None = Field(description="Where the identity comes from.")
    state_source: StateSource | None = Field(
        default=None, description="Where the state comes from."
    )


@event("pane.forked")
class PaneForked(EventData):
    """An agent's session was branched off into a new pane."""

    from_: str = Field(alias="from", description="The pane it was forked from.")
    to: str = Field(description="The new pane.")
    agent: str = Field(description="The agent.")
    workspace: str = Field(description="The workspace's 0-based position.")
    tab: str = Field(description="The tab's 1-based position.")


@event("agent.hook")
class AgentHook(EventData):
    """An agent's own hook told something."""

    pane: Pane
    agent: str = Field(description="The agent.")
    kind: str = Field(description="What happened.")
    message: str = Field(description="In words.")
    tool: str = Field(description="The tool it was about.")


@event("agent.authority_reported")
class AuthorityReported(EventData):
    """An integration reported an agent's state."""

    pane: Pane
    source: str = Field(description="Who reported.")
    agent: str = Field(description="The agent.")
    status: State = Field(description="How it is doing.")
    sequence: int = Field(ge=0, description="The report's number.")
    ttl_s: int = Field(ge=1, description="Seconds until it ends unless renewed.")


@event("agent.authority_released")
class AuthorityReleased(EventData):
    """An integration's lease has ended; detection goes on."""

    pane: Pane
    source: str = Field(description="Who reported.")
    reason: Literal["released", "expired"] = Field(description="Why it ended.")


@event("server.agent_manifests_reloaded")
class ManifestsReloaded(EventData):
    """The manifests were read again."""

    rules: int = Field(ge=0, description="How many rules there are now.")


AGENT_EVENTS = (AgentHook, AuthorityReported, AuthorityReleased)
PANE_EVENTS = (AgentStatusChanged, PaneForked)
SERVER_EVENTS = (ManifestsReloaded,)
