"""Events of panes."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from luvus_service.rpc.declare import event
from luvus_service.rpc.models import EventData

Pane = Annotated[str, Field(description="The pane's id.")]


@event("pane.created")
class PaneCreated(EventData):
    """A pane is there and its program runs."""

    pane: Pane
    module: Annotated[
        str,
        Field(
            exclude_if=lambda module: not module,
            description="The module that owns it; absent for ordinary panes.",
        ),
    ] = ""
    terminal_id: Annotated[
        str,
        Field(
            pattern="^[0-9a-f]{32}$",
            exclude_if=lambda terminal_id: not terminal_id,
            description="Its terminal; absent for views.",
        ),
    ] = ""


@event("pane.closed")
class PaneClosed(EventData):
    """A pane is gone."""

    pane: Pane


@event("pane.focused")
class PaneFocused(EventData):
    """Another pane is the focused one."""

    pane: Pane


@event("pane.renamed")
class PaneRenamed(EventData):
    """A pane has another alias."""

    pane: Pane
    name: str | None = Field(description="The alias, or null when it was cleared.")


@event("pane.moved")
class PaneMoved(EventData):
    """A pane went to another tab; its program noticed nothing."""

    pane: Pane
    workspace: Annotated[str, Field(description="The workspace's 0-based position.")]
    tab: Annotated[str, Field(description="The tab's 1-based position in the end.")]


@event("pane.swapped")
class PaneSwapped(EventData):
    """Two panes of a tab exchanged their places."""

    pane: Pane
    with_: Annotated[
        str, Field(serialization_alias="with", description="The id of the other pane.")
    ]


@event("pane.resized")
class PaneResized(EventData):
    """A divider beside a pane was moved."""

    pane: Pane
    cells: int = Field(description="By how many cells, as it was asked for.")


@event("pane.zoomed")
class PaneZoomed(EventData):
    """A pane fills its tab, or no longer does."""

    pane: Pane
    enabled: bool = Field(description="Whether it fills its tab.")


EVENTS = (
    PaneCreated,
    PaneClosed,
    PaneFocused,
    PaneMoved,
    PaneRenamed,
    PaneResized,
    PaneSwapped,
    PaneZoomed,
)
