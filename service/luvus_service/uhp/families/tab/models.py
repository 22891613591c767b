"""Parameters and results of the tab methods."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import AliasChoices, ConfigDict, Field, model_validator

from luvus_service.rpc.models import Cli, LenientParams, Params, Result
from luvus_service.uhp.fields import (
    PaneId,
    TabFields,
    TabId,
    TabOption,
    TabPosition,
    TabRef,
    WorkspaceFields,
    WorkspaceId,
    WorkspaceIndex,
    WorkspaceOption,
    one_of,
    sentence,
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


class TabMoved(Result):
    """Where a tab was and is, and which tab is active."""

    type: Literal["tab_move"] = "tab_move"
    from_: str = Field(
        validation_alias=AliasChoices("from", "from_"),
        serialization_alias="from",
        description="The 1-based position the tab had.",
    )
    to: str = Field(description="The 1-based position it has now.")
    active: str = Field(description="The position of the active tab now.")


class TabSwapped(Result):
    """Which tabs exchanged their positions, and which tab is active."""

    type: Literal["tab_swap"] = "tab_swap"
    tab: str = Field(description="The 1-based position of the first, before.")
    with_: str = Field(
        validation_alias=AliasChoices("with", "with_"),
        serialization_alias="with",
        description="The 1-based position of the other, before.",
    )
    active: str = Field(description="The position of the active tab now.")


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


class TabMove(LenientParams, TabFields):
    """Which tab, and where to: a position, or one step."""

    model_config = ConfigDict(json_schema_extra=one_of("to", "direction"))

    to: Annotated[
        TabRef | None,
        Field(description="The 1-based position it is to have; needs `tab` or `tab_id`."),
        Cli(positional=True),
    ] = None
    direction: Annotated[
        Literal["left", "right"] | None,
        Field(description="Instead of `to`: one position to this side."),
    ] = None

    @model_validator(mode="after")
    def _one_target(self) -> Self:
        if (self.to is None) == (self.direction is None):
            raise sentence("give either `to` or `direction`")
        return self


class TabSwap(LenientParams, TabFields):
    """Which two tabs."""

    model_config = ConfigDict(json_schema_extra=one_of("with", "with_id"))

    with_: Annotated[
        TabRef | None,
        Field(validation_alias="with", description="The other tab's 1-based position."),
        Cli(positional=True),
    ] = None
    with_id: Annotated[
        str | None, Field(description="The other tab's stable id, instead of its position.")
    ] = None

    @model_validator(mode="after")
    def _one_other(self) -> Self:
        if (self.with_ is None) == (self.with_id is None):
            raise sentence("give either `with` or `with_id`")
        return self
