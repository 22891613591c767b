"""Events of recordings."""

from __future__ import annotations

from pydantic import Field

from luvus_service.rpc.declare import event
from luvus_service.rpc.models import EventData
from luvus_service.uhp.engine.recording import EndReason
from luvus_service.uhp.families.record.models import Path
from luvus_service.uhp.fields import PaneId


@event("record.started")
class RecordingStarted(EventData):
    """A pane is being recorded."""

    pane: PaneId
    path: Path


@event("record.ended")
class RecordingEnded(EventData):
    """A recording has ended and its file is complete, as far as the disk allowed."""

    pane: PaneId
    path: Path
    reason: EndReason = Field(description="What ended it.")


EVENTS = (RecordingStarted, RecordingEnded)
