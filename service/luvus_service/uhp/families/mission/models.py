"""Parameters and results of the mission methods."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, model_validator

from luvus_service.rpc.models import Cli, LenientParams, Params, Result
from luvus_service.uhp.domain.agents.states import State
from luvus_service.uhp.fields import WorkspaceOption, WorkspaceRef, not_both, sentence

Scope = Literal["workspace", "all"]
WorkspaceIdOption = Annotated[
    str | None, Field(max_length=128, description="The workspace's stable id instead.")
]


class MissionQuery(Params):
    """Which workspaces."""

    model_config = ConfigDict(json_schema_extra=not_both("workspace", "workspace_id"))

    scope: Annotated[Scope, Field(description="One workspace, or all.")] = "workspace"
    workspace: WorkspaceOption = None
    workspace_id: WorkspaceIdOption = None

    @model_validator(mode="after")
    def _one(self) -> MissionQuery:
        if self.workspace is not None and self.workspace_id is not None:
            raise sentence("give either `workspace` or `workspace_id`, not both")
        return self


class MissionOpen(LenientParams):
    """In which workspace."""

    model_config = ConfigDict(json_schema_extra=not_both("workspace", "workspace_id"))

    workspace: Annotated[
        WorkspaceRef | None,
        Field(description="The workspace's 0-based position; the active one when left out."),
        Cli(positional=True),
    ] = None
    workspace_id: WorkspaceIdOption = None

    @model_validator(mode="after")
    def _one(self) -> MissionOpen:
        if self.workspace is not None and self.workspace_id is not None:
            raise sentence("give either `workspace` or `workspace_id`, not both")
        return self


class MissionUsage(Result):
    """What a session has used."""

    model: str = Field(description="The model's name; empty when not known.")
    tokens_in: int = Field(description="Input, without the cache.")
    tokens_out: int = Field(description="Output.")
    cache_tokens: int = Field(description="Read from and written to the cache.")
    total_tokens: int = Field(description="Input and output, without the cache.")
    context: float | None = Field(description="How full the model's window is, 0 to 1, or null.")
    cost_usd: float | None = Field(description="US dollars; null when not known.")


class MissionSample(Result):
    """What a session had used in total by the end of a minute."""

    minute: int = Field(description="Minutes since 1970.")
    tokens: int = Field(description="Input and output, without the cache.")


class MissionEnded(Result):
    """A pane that is gone because its program failed."""

    pane: str = Field(description="The id that it had.")
    agent: str = Field(description="The agent; empty for a plain program.")
    name: str | None = Field(description="Its alias or label, or null.")
    title: str | None = Field(description="What it said that it was about, or null.")
    workspace_id: str = Field(description="The workspace's stable id.")
    workspace_name: str = Field(description="The workspace's name.")
    cwd: str = Field(description="Where its program was.")
    branch: str | None = Field(description="The git branch, as reported or as git says, or null.")
    exit_code: int | None = Field(description="The exit code, or null.")
    signal: str | None = Field(description="The signal that ended it, or null.")
    at_ms: int = Field(description="When it ended, in Unix milliseconds.")
    text: str = Field(description="The last lines of its screen.")
    usage: MissionUsage | None = Field(description="What it has used; null when not known.")


class MissionRow(Result):
    """A live agent, or a session that could go on."""

    kind: Literal["live", "resumable"] = Field(description="Whether it lives.")
    pane: str | None = Field(description="Its pane, or null.")
    agent: str = Field(description="The agent.")
    state: State | Literal["resumable"] = Field(description="How it is doing.")
    workspace: str = Field(description="The workspace's 0-based position.")
    workspace_id: str = Field(description="The workspace's stable id.")
    workspace_name: str = Field(description="The workspace's name.")
    tab: str | None = Field(description="The tab's 1-based position, or null.")
    location: str = Field(description="Where it is, in words.")
    usage: MissionUsage | None = Field(description="What it has used; null when not known.")
    burn_usd_per_hour: float | None = Field(
        description="US dollars an hour over the last ten minutes; null when not known."
    )
    history: list[MissionSample] = Field(
        description="The last hour of a live agent, oldest first, for minutes in which it was read."
    )


class MissionSummary(Result):
    """Everything together."""

    agents: int = Field(description="Live agents.")
    tokens: int = Field(description="Input and output of all rows, without the cache.")
    cost_usd: float = Field(description="US dollars of all rows whose cost is known.")
    burn_usd_per_hour: float | None = Field(
        description="US dollars an hour between the last two scans; null before."
    )
    budget_usd: float | None = Field(description="`mission_budget` of the configuration, or null.")


class AutomationSummary(Result):
    """How automations are doing."""

    definitions: int = Field(default=0, description="All automations.")
    enabled: int = Field(default=0, description="Those that are enabled.")
    scheduled: int = Field(default=0, description="Those with a next run.")
    running: int = Field(default=0, description="Runs under way.")
    review: int = Field(default=0, description="Runs that wait for a review.")
    failed: int = Field(default=0, description="Runs that failed.")
    next_run_at: int | None = Field(default=None, description="Unix seconds, or null.")


class MissionAutomation(Result):
    """The automations."""

    summary: AutomationSummary = Field(
        default=AutomationSummary(), description="How they are doing."
    )
    rows: list[dict[str, Any]] = Field(default_factory=list[dict[str, Any]], description="Each.")


class MissionSnapshot(Result):
    """What Mission Control shows."""

    type: Literal["mission_snapshot"] = "mission_snapshot"
    scope: Scope = Field(description="One workspace, or all.")
    workspace: str = Field(description="The workspace's 0-based position.")
    workspace_id: str | None = Field(description="Its stable id; null for all.")
    refreshing: bool = Field(description="Whether a scan of usage runs.")
    summary: MissionSummary = Field(description="Everything together.")
    automation: MissionAutomation = Field(description="The automations.")
    rows: list[MissionRow] = Field(description="Live agents, then sessions that could go on.")
    ended: list[MissionEnded] = Field(
        description="Panes whose program failed since the server began, oldest first, at most 32."
    )


class MissionRefreshed(Result):
    """A scan of usage runs."""

    type: Literal["mission_refresh"] = "mission_refresh"
    scope: Scope = Field(description="One workspace, or all.")
    workspace: str = Field(description="The workspace's 0-based position.")
    refreshing: Literal[True] = Field(default=True, description="Read the snapshot later.")


class MissionOpened(Result):
    """Mission Control is shown."""

    type: Literal["ok"] = "ok"
    mission: Literal[True] = Field(default=True, description="It is shown.")
