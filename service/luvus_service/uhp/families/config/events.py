"""Events of the configuration."""

from __future__ import annotations

from luvus_service.rpc.declare import event
from luvus_service.rpc.models import EventData


@event("config.changed")
class ConfigChanged(EventData):
    """The configuration was patched or reloaded; read it with `config.get`."""


EVENTS = (ConfigChanged,)
