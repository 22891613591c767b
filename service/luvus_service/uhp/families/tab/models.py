"""Parameters and results of the tab methods."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from luvus_service.rpc.models import Cli, LenientParams, Params, Result
from luvus_service.uhp.fields import (
    PaneId,
    TabFields,
    TabId,
    TabOption,
    TabPosition,
    WorkspaceFields,
    WorkspaceId,
    WorkspaceIndex,
    WorkspaceOption,
)

TabKind = Literal["panes", "git", "orch", "mission"]
Kind = Annotated[TabKind, Field(description="`panes`, or which dashboard it shows.")]
TabName = Annotated[str | None, Field(description="The name people gave it, or null.")]


class TabRow(Result):
    """A tab in the list."""

    tab: TabPosition
    tab_id: TabId
    active: bool = Field(description="Whether it is the active one of its workspace.")
    name: TabName
    kind: Kind


class TabList(Result):
    """The tabs of the active workspace."""

    type: Literal["tab_list"] = "tab_list"
    tabs: list[TabRow] = Field(description="In the order of their positions.")


class TabDetail(Result):
    """One tab."""

    type: Literal["tab"] = "tab"
    workspace: WorkspaceIndex
    workspace_id: WorkspaceId
    tab: TabPosition
    tab_id: TabId
    active: bool = Field(description="Whether it is the active one of its workspace.")
    name: TabName
    kind: Kind
    focus: PaneId
    panes: list[str] = Field(description="Its panes, in the order of the layout tree.")


class TabOpened(Result):
    """A new tab."""

    type: Literal["tab"] = "tab"
    tab: TabPosition


class Done(Result):
    """It is done."""

    type: Literal["ok"] = "ok"


class TabGet(Params, WorkspaceFields, TabFields):
    """Which tab, in which workspace."""

    workspace: WorkspaceOption = None


class TabTarget(LenientParams, TabFields):
    """Which tab of the active workspace."""


class TabRename(LenientParams, TabFields):
    """Which tab, and its new name."""

    name: Annotated[
        str,
        Field(description="At most 40 characters; an empty string clears the name."),
        Cli(positional=True),
    ]
    tab: TabOption = None
