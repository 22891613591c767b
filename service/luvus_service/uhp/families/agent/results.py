"""What the agent methods answer."""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict, Field

from luvus_service.rpc.models import Result
from luvus_service.uhp.domain.agents.prompts import Evidence
from luvus_service.uhp.domain.agents.states import (
    Confidence,
    IdentitySource,
    Region,
    State,
    StateSource,
    WaitState,
)
from luvus_service.uhp.families.agent.fields import (
    AgentField,
    AuthorityField,
    NameField,
    SessionField,
    SourceField,
    StatusField,
)
from luvus_service.uhp.fields import PaneId, TabPosition, WorkspaceId, WorkspaceIndex


class AgentRow(Result):
    """A live agent."""

    pane: PaneId
    agent: AgentField
    terminal_id: str | None = Field(description="The same as long as its terminal lives.")
    name: NameField
    status: StatusField
    authority: AuthorityField
    state_source: SourceField
    session: SessionField
    workspace: WorkspaceIndex
    workspace_name: str = Field(description="The workspace's name.")
    workspace_id: WorkspaceId
    project: str = Field(description="The same as `workspace_name`.")
    cwd: str = Field(description="Where its program is.")
    branch: str | None = Field(description="The git branch, as reported or as git says, or null.")
    repo: str | None = Field(description="The repository that linked worktrees share, or null.")
    worktree: bool = Field(description="Whether its workspace is a linked worktree.")
    tab: TabPosition
    focused: bool = Field(description="Whether its pane is the focused one of the session.")


class AgentList(Result):
    """The live agents of all workspaces."""

    type: Literal["agent_list"] = "agent_list"
    agents: list[AgentRow] = Field(description="In the order of workspaces, tabs and panes.")


class AgentDetail(Result):
    """One agent."""

    type: Literal["agent"] = "agent"
    pane: PaneId
    name: NameField
    agent: AgentField
    status: StatusField
    authority: AuthorityField
    state_source: SourceField
    session: SessionField
    cwd: str = Field(description="Where its program is.")


class IdentityEvidence(Result):
    """How the agent was told."""

    source: IdentitySource = Field(description="What told it.")
    confidence: Confidence = Field(description="How far that can be trusted.")


class StateEvidence(Result):
    """How the state was told."""

    source: StateSource = Field(description="What told it.")
    confidence: Confidence = Field(description="How far that can be trusted.")
    rule_priority: int | None = Field(description="The priority of the rule that won, or null.")
    rule_region: Region | None = Field(description="Where that rule looked, or null.")
    blocked_hint: str | None = Field(description="What the agent asks for, or null.")


class AuthorityEvidence(Result):
    """The integration that reports for the pane."""

    source: str = Field(description="Who reports.")
    sequence: int = Field(description="The number of its newest report.")
    message: str | None = Field(description="What it said, or null.")
    expires_in_ms: int = Field(description="When its lease ends unless it reports again.")


class SessionEvidence(Result):
    """The agent's own session."""

    agent: str = Field(description="Whose session it is.")
    id: str = Field(description="Its id, as the agent calls it.")


class AgentExplanation(Result):
    """Every piece of evidence about a pane's agent."""

    type: Literal["agent_explanation"] = "agent_explanation"
    pane: PaneId
    available: bool = Field(description="False before the first classification.")
    agent: str | None = Field(default=None, description="The agent, or null for a shell.")
    status: State | None = Field(default=None, description="How it is doing.")
    identity: IdentityEvidence | None = Field(default=None, description="How it was told.")
    state_evidence: StateEvidence | None = Field(
        default=None, description="How the state was told."
    )
    authority: AuthorityEvidence | None = Field(
        default=None, description="The integration that reports for the pane, or null."
    )
    session: SessionEvidence | None = Field(
        default=None, description="The agent's own session, or null."
    )


class AgentReported(Result):
    """The report as it counts."""

    type: Literal["agent_report"] = "agent_report"
    pane: PaneId
    agent: AgentField
    status: StatusField
    source: str = Field(description="Who reported.")
    sequence: int = Field(description="The report's number.")
    ttl_s: int = Field(description="Seconds until it ends unless renewed.")


class AgentReleased(Result):
    """The lease has ended."""

    type: Literal["agent_release"] = "agent_release"
    pane: PaneId


class AgentStarted(Result):
    """The agent that was started."""

    type: Literal["agent_start"] = "agent_start"
    name: str = Field(description="Its alias.")
    kind: str = Field(description="The kind that was started.")
    pane: PaneId
    ready: bool = Field(description="Whether it would take a prompt now.")
    status: State | None = Field(description="How it is doing; null when it was not seen.")


class AgentPrompted(Result):
    """What came of a prompt."""

    type: Literal["agent_prompt"] = "agent_prompt"
    pane: PaneId
    submitted: Literal[True] = Field(default=True, description="It is in the pane's input queue.")
    matched: bool = Field(description="Whether a wanted state came because of it.")
    status: State | None = Field(description="How the agent is doing.")
    baseline_revision: int = Field(description="The content revision when it was sent.")
    content_revision: int = Field(description="The content revision now.")
    evidence: Evidence = Field(
        description="`queued` without waiting; `state_transition`, or `output_settled` for a turn "
        "too short to be seen working; `timeout`: never send it again by itself."
    )


class AgentWaited(Result):
    """Whether the agent came into a wanted state."""

    model_config = ConfigDict(
        json_schema_extra={
            "oneOf": [
                {
                    "properties": {
                        "matched": {"const": True},
                        "pane": {"type": "string"},
                        "status": {"type": "string"},
                    }
                },
                {
                    "properties": {
                        "matched": {"const": False},
                        "pane": {"type": "null"},
                        "status": {"type": "null"},
                    }
                },
            ]
        }
    )

    type: Literal["agent_wait"] = "agent_wait"
    matched: bool = Field(description="False when time was over or the pane closed.")
    pane: str | None = Field(description="The pane when it matched, or null.")
    status: WaitState | None = Field(description="The state that matched, or null.")


class AgentNamed(Result):
    """The pane's alias."""

    type: Literal["agent_name"] = "agent_name"
    pane: PaneId
    name: NameField


class AgentForked(Result):
    """The new pane of a fork."""

    type: Literal["agent_fork"] = "agent_fork"
    from_: str = Field(alias="from", description="The pane it was forked from.")
    pane: PaneId
    agent: AgentField
    name: NameField
    workspace: WorkspaceIndex
    tab: TabPosition
    focused: bool = Field(description="Whether the new pane has the focus.")


class AgentSent(Result):
    """The agent that got the text."""

    type: Literal["agent_send"] = "agent_send"
    pane: PaneId
    agent: AgentField
    status: StatusField
    name: NameField


class KeysSent(Result):
    """The keys are in the pane's input queue."""

    type: Literal["ok"] = "ok"
    pane: PaneId


class AgentText(Result):
    """The newest output of an agent."""

    type: Literal["agent_read"] = "agent_read"
    pane: PaneId
    text: str = Field(description="Lines joined by LF, no escape sequences.")
    content_revision: int | None = Field(description="The screen it was read from.")
    terminal_id: str | None = Field(description="The terminal it was read from.")


class StoredRow(Result):
    """A session that an agent has on disk."""

    agent: AgentField
    session_id: str = Field(description="Its id, as the agent calls it.")
    cwd: str = Field(description="The folder it was about.")


class StoredSessions(Result):
    """Sessions on disk."""

    type: Literal["session_list"] = "session_list"
    sessions: list[StoredRow] = Field(
        description="Newest first, one for each agent and folder, 12 at most."
    )


class Done(Result):
    """It is done."""

    type: Literal["ok"] = "ok"


class RootProcess(Result):
    """The first process of a terminal."""

    pid: int = Field(description="Its process id.")
    start_marker: str | None = Field(description="Tells it from a later process of that id.")


class PaneProcesses(Result):
    """The programs that run in a pane."""

    type: Literal["pane_processes"] = "pane_processes"
    pane: PaneId
    terminal_id: str | None = Field(description="The same as long as its terminal lives.")
    root_process: RootProcess | None = Field(description="The shell or command it began with.")
    scan: Literal["observed", "unavailable"] = Field(
        description="`unavailable` is uncertainty, not proof that nothing runs."
    )
    executables: list[str] = Field(description="Names of programs, each once.")
    arguments_exposed: Literal[False] = Field(
        default=False, description="Arguments may hold secrets and are never told."
    )


class Manifests(Result):
    """The manifests in force."""

    type: Literal["agent_manifests"] = "agent_manifests"
    rules: int = Field(description="How many rules there are.")
    agents: list[str] = Field(description="Built-in agents first, then those of manifests.")


class ManifestsReloaded(Result):
    """The manifests were read again."""

    type: Literal["agent_manifests_reloaded"] = "agent_manifests_reloaded"
    rules: int = Field(description="How many rules there are now.")
