"""Events of layouts."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from luvus_service.rpc.declare import event
from luvus_service.rpc.models import EventData

Workspace = Annotated[str, Field(description="The workspace's 0-based position.")]
Tab = Annotated[str, Field(description="The tab's 1-based position.")]


@event("layout.applied")
class LayoutApplied(EventData):
    """The panes of a tab were rearranged."""

    workspace: Workspace
    tab: Tab


@event("layout.ratio_changed")
class LayoutRatioChanged(EventData):
    """The ratio of a split was set."""

    workspace: Workspace
    tab: Tab
    path: list[Literal["a", "b"]] = Field(description="The way from the root to the split.")
    ratio: float = Field(description="As it was asked for; the layout keeps panes usable.")


EVENTS = (LayoutApplied, LayoutRatioChanged)
