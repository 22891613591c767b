"""Parameters and results of the methods that arrange panes."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import AliasChoices, ConfigDict, Field, model_validator

from luvus_service.rpc.models import Cli, LenientParams, Params, Result
from luvus_service.uhp.domain.geometry import MAX_RESIZE_CELLS
from luvus_service.uhp.fields import (
    LayoutNode,
    PaneArgument,
    PaneId,
    PaneRef,
    TabPosition,
    TabRef,
    WorkspaceIndex,
    one_of,
    sentence,
)

Direction = Literal["left", "right", "up", "down"]
DirectionArgument = Annotated[
    Direction, Field(description="Which way, as seen on the screen."), Cli(positional=True)
]


class LogicalSize(Result):
    """The area in which rectangles are given, whatever size a viewer has."""

    width: int = Field(description="Always 10000.")
    height: int = Field(description="Always 10000.")


class PaneRect(Result):
    """A rectangle in the logical area, from its top left corner."""

    x: int = Field(description="From the left edge of the tab.")
    y: int = Field(description="From the upper edge of the tab.")
    width: int = Field(description="To the right.")
    height: int = Field(description="Downwards.")


class PaneLayout(Result):
    """Where a pane is in its tab."""

    type: Literal["pane_layout"] = "pane_layout"
    pane: PaneId
    workspace: WorkspaceIndex
    tab: TabPosition
    logical_size: LogicalSize = Field(description="The area in which `rect` is given.")
    rect: PaneRect = Field(description="The pane's place; a zoomed pane has its place still.")
    tree: LayoutNode = Field(description="The whole layout of the tab.")


class PaneNeighbor(Result):
    """Which pane is next to one."""

    type: Literal["pane_neighbor"] = "pane_neighbor"
    pane: PaneId
    neighbor: str | None = Field(description="The pane there; null at the edge of the tab.")


class Edges(Result):
    """Which outer edges of the tab a pane touches."""

    left: bool = Field(description="Whether it touches the left edge.")
    right: bool = Field(description="Whether it touches the right edge.")
    top: bool = Field(description="Whether it touches the upper edge.")
    bottom: bool = Field(description="Whether it touches the lower edge.")


class PaneEdges(Result):
    """Which outer edges of its tab a pane touches."""

    type: Literal["pane_edges"] = "pane_edges"
    pane: PaneId
    edges: Edges = Field(description="The four edges.")


class PaneMoved(Result):
    """Where a pane is now."""

    type: Literal["pane_move"] = "pane_move"
    pane: PaneId
    workspace: WorkspaceIndex
    tab: TabPosition


class PaneSwapped(Result):
    """Which panes exchanged their places."""

    type: Literal["pane_swap"] = "pane_swap"
    pane: PaneId
    with_: str = Field(
        validation_alias=AliasChoices("with", "with_"),
        serialization_alias="with",
        description="The id of the other pane.",
    )


class PaneFocused(Result):
    """The pane that has the focus now."""

    type: Literal["pane_focus"] = "pane_focus"
    pane: PaneId


class PaneResized(Result):
    """The pane whose divider was moved."""

    type: Literal["pane_resize"] = "pane_resize"
    pane: PaneId


class PaneZoomed(Result):
    """Whether a pane fills its tab now."""

    type: Literal["pane_zoom"] = "pane_zoom"
    pane: PaneId
    enabled: bool = Field(description="Whether it fills its tab.")


class PaneDirection(Params):
    """Which pane, and which way from it."""

    pane: PaneArgument = None
    direction: DirectionArgument


class PaneMove(LenientParams):
    """Which pane, and to which tab."""

    model_config = ConfigDict(json_schema_extra=one_of("tab", "tab_id", flag="new_tab"))

    pane: PaneArgument = None
    tab: Annotated[
        TabRef | None,
        Field(description="The 1-based position of another tab of the pane's workspace."),
    ] = None
    tab_id: Annotated[
        str | None, Field(description="The tab's stable id, instead of its position.")
    ] = None
    new_tab: Annotated[bool, Field(description="A new tab instead.")] = False

    @model_validator(mode="after")
    def _one_target(self) -> Self:
        given = [self.tab is not None, self.tab_id is not None, self.new_tab]
        if sum(given) != 1:
            raise sentence("give exactly one of `tab`, `tab_id` and `new_tab: true`")
        return self


class PaneSwap(Params):
    """Which two panes of one tab."""

    pane: PaneArgument = None
    with_: Annotated[
        PaneRef,
        Field(validation_alias="with", description="The other pane."),
        Cli(positional=True),
    ]


class PaneResize(Params):
    """Which pane, on which side, and by how much."""

    pane: PaneArgument = None
    direction: DirectionArgument
    cells: Annotated[
        int,
        Field(
            ge=1,
            le=MAX_RESIZE_CELLS,
            description="By how many cells the divider on that side moves further that way.",
        ),
    ] = 1


class PaneZoom(Params):
    """Which pane, and whether it is to fill its tab."""

    pane: PaneArgument = None
    enabled: Annotated[
        bool | None,
        Field(description="Whether it is to fill its tab; the opposite of now when left out."),
        Cli(values=(("--on", True), ("--off", False))),
    ] = None
