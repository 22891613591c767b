"""The event of Mission Control."""

from __future__ import annotations

from luvus_service.rpc.declare import event
from luvus_service.rpc.models import EventData


@event("mission.changed")
class MissionChanged(EventData):
    """Usage, cost or the list of failed panes is another one; at most once a second.

    Also the end of a scan that `mission.refresh` began. Read it with `mission.snapshot`.
    """


EVENTS = (MissionChanged,)
