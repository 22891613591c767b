"""Parameters and results of the workspace methods."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import ConfigDict, Field, model_validator

from luvus_service.rpc.models import Cli, LenientParams, Params, Result
from luvus_service.uhp.domain.workspaces import MAX_BLOCK, MAX_BRANCH_CHARS, MAX_COMMITS
from luvus_service.uhp.fields import (
    TabPosition,
    WorkspaceFields,
    WorkspaceId,
    WorkspaceIndex,
    WorkspaceRef,
    one_of,
    sentence,
)

Cwd = Annotated[str, Field(description="The project's folder; stays the same.")]
TerminalCwd = Annotated[str, Field(description="Where the focused pane's program is now.")]
Display = Annotated[str, Field(description="The 0-based position in the sidebar.")]


class WorkspaceRow(Result):
    """A workspace in the list."""

    workspace: WorkspaceIndex
    workspace_id: WorkspaceId
    name: str = Field(description="The name people see.")
    cwd: Cwd
    terminal_cwd: TerminalCwd
    pinned: bool = Field(description="Whether it floats to the top of the sidebar.")
    display_position: Display
    active: bool = Field(description="Whether it is the active one.")
    tabs: int = Field(description="How many tabs it has.")


class WorkspaceList(Result):
    """All workspaces, in the order of their positions."""

    type: Literal["workspace_list"] = "workspace_list"
    workspaces: list[WorkspaceRow] = Field(description="In the order of their positions.")


class WorkspaceDetail(Result):
    """One workspace."""

    type: Literal["workspace"] = "workspace"
    workspace: WorkspaceIndex
    workspace_id: WorkspaceId
    name: str = Field(description="The name people see.")
    cwd: Cwd
    branch: str | None = Field(description="The git branch; null when unknown or none.")
    terminal_cwd: TerminalCwd
    ahead: int | None = Field(description="Commits ahead of upstream; null when unknown.")
    behind: int | None = Field(description="Commits behind upstream; null when unknown.")
    pinned: bool = Field(description="Whether it floats to the top of the sidebar.")
    active: bool = Field(description="Whether it is the active one.")
    display_position: Display
    active_tab: TabPosition
    tabs: int = Field(description="How many tabs it has.")


class WorkspaceOpened(Result):
    """The active workspace after the call."""

    type: Literal["workspace"] = "workspace"
    workspace: WorkspaceIndex


class WorkspaceRenamed(Result):
    """A workspace under its new name."""

    type: Literal["workspace_rename"] = "workspace_rename"
    workspace: WorkspaceIndex
    name: str = Field(description="The name people see.")
    cwd: Cwd
    pinned: bool = Field(description="Whether it floats to the top of the sidebar.")
    display_position: Display


class WorkspacePinned(Result):
    """A workspace as it is after pinning or unpinning."""

    type: Literal["workspace_pin"] = "workspace_pin"
    workspace: WorkspaceIndex
    name: str = Field(description="The name people see.")
    cwd: Cwd
    pinned: bool = Field(description="Whether it floats to the top of the sidebar.")
    display_position: Display


class WorkspaceMoved(Result):
    """A workspace's old and new position."""

    type: Literal["workspace_move"] = "workspace_move"
    workspace: str = Field(description="The 0-based position it had.")
    to: str = Field(description="The 0-based position it has now.")


class WorkspaceBlockMoved(Result):
    """The old and the new positions of a block."""

    type: Literal["workspace_move_block"] = "workspace_move_block"
    workspaces: list[int] = Field(
        description="The 0-based positions they had, in the order that was asked for."
    )
    positions: list[int] = Field(
        description="The 0-based positions they have now, in the same order."
    )


class Done(Result):
    """It is done."""

    type: Literal["ok"] = "ok"


class WorkspaceGet(Params, WorkspaceFields):
    """Which workspace."""


class WorkspaceTarget(LenientParams, WorkspaceFields):
    """Which workspace."""


class WorkspaceOpen(LenientParams):
    """Which folder to open."""

    path: Annotated[
        str,
        Field(min_length=1, max_length=4096, description="An absolute path; `~` is your home."),
        Cli(positional=True, path=True),
    ]
    focus: Annotated[
        bool,
        Field(description="Whether to make it the active workspace."),
        Cli(negative="--no-focus"),
    ] = True


class WorkspaceRename(LenientParams, WorkspaceFields):
    """Which workspace, and its new name."""

    name: Annotated[
        str,
        Field(description="1 to 40 characters; surrounding blanks are cut off."),
        Cli(positional=True, rest=True),
    ]


class WorkspacePin(LenientParams, WorkspaceFields):
    """Which workspace, and whether to pin it."""

    pinned: Annotated[
        bool, Field(description="Whether it floats to the top of the sidebar from now on.")
    ]


class WorkspaceMove(Params, WorkspaceFields):
    """Which workspace, and where to."""

    to: Annotated[
        WorkspaceRef, Field(description="The 0-based position it is to have."), Cli(positional=True)
    ]


class WorkspaceMoveBlock(Params):
    """Which workspaces, in which order, and where to."""

    model_config = ConfigDict(json_schema_extra=one_of("workspaces", "workspace_ids"))

    workspaces: Annotated[
        list[WorkspaceRef] | None,
        Field(
            description="Their 0-based positions, each once, in the order they are to have.",
            json_schema_extra={"minItems": 1, "maxItems": MAX_BLOCK, "uniqueItems": True},
        ),
        Cli(positional=True, rest=True),
    ] = None
    workspace_ids: Annotated[
        list[str] | None,
        Field(
            description="Their stable ids, instead of their positions.",
            json_schema_extra={"minItems": 1, "maxItems": MAX_BLOCK, "uniqueItems": True},
        ),
        Cli(option="--workspace-id"),
    ] = None
    to: Annotated[
        WorkspaceRef,
        Field(description="The 0-based position that the first of them has in the end."),
    ]

    @model_validator(mode="after")
    def _one_list(self) -> Self:
        if (self.workspaces is None) == (self.workspace_ids is None):
            raise sentence("give either `workspaces` or `workspace_ids`")
        return self


class WorkspaceReport(Params, WorkspaceFields):
    """Which workspace, and what git says of it; what is left out stays as it was."""

    branch: Annotated[
        str | None,
        Field(max_length=MAX_BRANCH_CHARS, description="The branch; null takes it back."),
    ] = None
    ahead: Annotated[
        int | None, Field(ge=0, le=MAX_COMMITS, description="Commits ahead of upstream.")
    ] = None
    behind: Annotated[
        int | None, Field(ge=0, le=MAX_COMMITS, description="Commits behind upstream.")
    ] = None
