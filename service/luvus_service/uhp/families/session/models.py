"""What `session.snapshot` returns."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from luvus_service.rpc.models import Result
from luvus_service.uhp.fields import ALIAS, TabId, WorkspaceId


class Protocol(Result):
    """The protocol's name and version."""

    name: Literal["luvus-uhp"] = "luvus-uhp"
    major: Literal[1] = 1
    minor: Literal[0] = 0


class RootProcess(Result):
    """The first process of a terminal."""

    pid: int = Field(description="Its process id.")
    start_marker: str | None = Field(description="Tells it from a later process of that id.")


class TerminalPane(Result):
    """A pane with a terminal."""

    pane_id: str = Field(description="The pane's id.")
    kind: Literal["terminal"] = "terminal"
    focused: bool = Field(description="Whether it is the focused pane of the session.")
    cwd: str = Field(description="Where its program is.")
    terminal_id: str | None = Field(description="The same as long as its terminal lives.")
    root_process: RootProcess | None = Field(description="The shell or command it started with.")
    content_revision: int = Field(description="Goes up with every change of its screen.")
    agent: str | None = Field(description="The agent in it, or null.")
    agent_status: str | None = Field(description="The agent's state, or null.")
    agent_authority: str | None = Field(description="Where the agent's identity comes from.")
    agent_session: str | None = Field(description="The agent's own session id, or null.")
    agent_name: Annotated[str, ALIAS] | None = Field(
        description="The alias given by people, or null."
    )
    agent_status_since_ms: int | None = Field(
        description="When this agent got into this state, in Unix milliseconds, or null."
    )
    agent_title: str | None = Field(
        description="What the agent says that it is about: its terminal's title, or null."
    )


class ViewPane(Result):
    """A pane that the server draws itself."""

    pane_id: str = Field(description="The pane's id.")
    kind: Literal["view"] = "view"
    focused: bool = Field(description="Whether it is the focused pane of the session.")


class SnapshotTab(Result):
    """A tab with its panes."""

    index: int = Field(description="Its 1-based position.")
    tab_id: TabId
    name: str | None = Field(description="The name people gave it, or null.")
    kind: Literal["panes", "git", "orchestration", "mission_control"] = Field(
        description="`panes`, or which dashboard it shows."
    )
    active: bool = Field(description="Whether it is the active one of its workspace.")
    panes: list[Annotated[TerminalPane | ViewPane, Field(discriminator="kind")]] = Field(
        description="In the order of the layout tree."
    )


class SnapshotWorkspace(Result):
    """A workspace with its tabs."""

    index: int = Field(description="Its 1-based position; other methods count from 0.")
    workspace_id: WorkspaceId
    name: str = Field(description="The name people see.")
    cwd: str = Field(description="The project's folder.")
    branch: str | None = Field(description="The git branch, as reported or as git says, or null.")
    pinned: bool = Field(description="Whether it floats to the top of the sidebar.")
    active: bool = Field(description="Whether it is the active one.")
    tabs: list[SnapshotTab] = Field(description="In the order of their positions.")


class Snapshot(Result):
    """Everything at one moment of the event stream."""

    type: Literal["session_snapshot"] = "session_snapshot"
    protocol: Protocol = Field(default=Protocol(), description="The protocol's name and version.")
    session: str = Field(description="The session's name.")
    server_generation: str = Field(description="32 hex digits, new at every start of the server.")
    event_sequence: int = Field(description="The newest event that this snapshot includes.")
    workspaces: list[SnapshotWorkspace] = Field(description="In the order of their positions.")
