"""Events of tabs."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from luvus_service.rpc.declare import event
from luvus_service.rpc.models import EventData

Position = Annotated[str, Field(description="The tab's 1-based position.")]


@event("tab.created")
class TabCreated(EventData):
    """A tab was opened."""

    tab: Position


@event("tab.closed")
class TabClosed(EventData):
    """A tab was closed; the position is the one it had."""

    tab: Position


@event("tab.moved")
class TabMoved(EventData):
    """A tab has another position, or two tabs have exchanged theirs."""

    workspace: Annotated[str, Field(description="The workspace's 0-based position.")]
    from_: Annotated[
        str, Field(serialization_alias="from", description="The 1-based position it had.")
    ]
    to: Annotated[str, Field(description="The 1-based position it has now.")]
    active: Annotated[str, Field(description="The position of the active tab now.")]
    mode: Annotated[
        Literal["swap"] | None,
        Field(
            exclude_if=lambda mode: mode is None,
            description="`swap` when two tabs have exchanged their positions; else absent.",
        ),
    ] = None


EVENTS = (TabCreated, TabClosed, TabMoved)
