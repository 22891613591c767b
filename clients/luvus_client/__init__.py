"""Clients of a Luvus server: the Python library and the command lines.

Knows nothing of the service. Names are imported when they are first used, so that a command line
pays only for what it needs.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from luvus_client.aio import AsyncLuvusClient
    from luvus_client.client import LuvusClient
    from luvus_client.errors import (
        AnswerTimeout,
        BadAnswer,
        ClientError,
        ConnectionFailure,
        ConnectionLost,
        LuvusError,
        NotRunning,
        UnsafeEndpoint,
    )
    from luvus_client.feed import Event, Resync
    from luvus_client.luxeapi import AsyncLuxe, Luxe

__all__ = [
    "AnswerTimeout",
    "AsyncLuvusClient",
    "AsyncLuxe",
    "BadAnswer",
    "ClientError",
    "ConnectionFailure",
    "ConnectionLost",
    "Event",
    "LuvusClient",
    "LuvusError",
    "Luxe",
    "NotRunning",
    "Resync",
    "UnsafeEndpoint",
]

_HOMES = {
    "AsyncLuvusClient": "luvus_client.aio",
    "AsyncLuxe": "luvus_client.luxeapi",
    "Luxe": "luvus_client.luxeapi",
    "LuvusClient": "luvus_client.client",
    "Event": "luvus_client.feed",
    "Resync": "luvus_client.feed",
}


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES.get(name, "luvus_client.errors")), name)
