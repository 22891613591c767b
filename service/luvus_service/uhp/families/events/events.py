"""The event that says events were missed."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from luvus_service.rpc.declare import event
from luvus_service.rpc.models import EventData


@event("events.resync_required")
class ResyncRequiredEvent(EventData):
    """This reader fell behind: take a new snapshot and subscribe again; the stream closes now."""

    reason: Literal["subscriber_overflow"] = Field(description="Why events were missed.")


EVENTS = (ResyncRequiredEvent,)
