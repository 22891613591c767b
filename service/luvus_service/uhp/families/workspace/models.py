"""Parameters and results of the workspace methods."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from luvus_service.rpc.models import Cli, LenientParams, Params, Result
from luvus_service.uhp.fields import TabPosition, WorkspaceFields, WorkspaceId, WorkspaceIndex

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
        Cli(positional=True),
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
