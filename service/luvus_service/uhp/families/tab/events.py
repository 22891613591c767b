"""Events of tabs."""

from __future__ import annotations

from typing import Annotated

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


EVENTS = (TabCreated, TabClosed)
