"""Parameters and results of the layout methods."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from luvus_service.rpc.models import Cli, Params, Result
from luvus_service.uhp.domain.layout import MAX_DEPTH
from luvus_service.uhp.fields import (
    GivenTree,
    LayoutNode,
    PaneId,
    PaneRef,
    TabFields,
    TabOption,
    TabPosition,
    WorkspaceFields,
    WorkspaceIndex,
    WorkspaceOption,
)


class Layout(Result):
    """The layout of a tab."""

    type: Literal["layout"] = "layout"
    workspace: WorkspaceIndex
    tab: TabPosition
    focus: PaneId
    zoomed: str | None = Field(description="The pane that fills the tab, or null.")
    tree: LayoutNode = Field(description="The panes and the splits between them.")


class LayoutApplied(Result):
    """The tab that was rearranged."""

    type: Literal["layout_applied"] = "layout_applied"
    workspace: WorkspaceIndex
    tab: TabPosition


class LayoutSplitRatio(Result):
    """The ratio that was asked for."""

    type: Literal["layout_split_ratio"] = "layout_split_ratio"
    workspace: WorkspaceIndex
    tab: TabPosition
    ratio: float = Field(description="As it was asked for; the layout keeps panes usable.")


class LayoutTarget(Params, WorkspaceFields, TabFields):
    """Which tab, in which workspace."""

    workspace: WorkspaceOption = None
    tab: TabOption = None


class LayoutApply(LayoutTarget):
    """Which tab, and its new layout."""

    tree: Annotated[GivenTree, Cli(positional=True)]
    focus: Annotated[
        PaneRef | None,
        Field(description="The pane of the tab that gets its focus; unchanged when left out."),
    ] = None


class LayoutSetSplitRatio(LayoutTarget):
    """Which split of which tab, and its ratio."""

    path: Annotated[
        list[Literal["a", "b"]],
        Field(
            description="The way from the root to the split; empty for the root itself.",
            json_schema_extra={"maxItems": MAX_DEPTH},
        ),
    ]
    ratio: Annotated[float, Field(ge=0, le=1, description="The part of the length that `a` gets.")]
