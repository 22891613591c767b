"""Events of panes."""

from __future__ import annotations

from typing import Annotated, Literal

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


@event("pane.bell")
class PaneBell(EventData):
    """A pane's program rang the bell; bells within a second share one event."""

    pane: Pane
    count: int = Field(ge=1, description="How often.")


@event("pane.notified")
class PaneNotified(EventData):
    """A pane's program (OSC 9, OSC 777) or a client has something to tell people.

    Of a program's notifications within a second the first few are told.
    """

    pane: Pane
    title: str = Field(description="At most 256 bytes; may be empty.")
    body: str = Field(description="At most 8,192 bytes; may be empty.")
    source: Literal["program", "client"] = Field(description="Who wants it to be seen.")
    dropped: int = Field(ge=0, description="Further ones that were not told.")


@event("pane.title_changed")
class PaneTitleChanged(EventData):
    """A pane's program says that it is about something else; at most once a second."""

    pane: Pane
    title: str | None = Field(description="The terminal's title without decoration, or null.")


EVENTS = (
    PaneCreated,
    PaneClosed,
    PaneFocused,
    PaneMoved,
    PaneRenamed,
    PaneResized,
    PaneSwapped,
    PaneZoomed,
    PaneBell,
    PaneNotified,
    PaneTitleChanged,
)
