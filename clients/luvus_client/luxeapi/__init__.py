"""Agent sessions of the server: opened, watched, driven and closed; typed by their frames.

`Luxe` blocks, `AsyncLuxe` is for an event loop. Both need `http.sock`, httpx and websockets.
"""

from __future__ import annotations

from luvus_client.luxeapi.aio import AsyncLuxe, AsyncLuxeFeed, AsyncLuxeSession
from luvus_client.luxeapi.client import Luxe, LuxeFeed, LuxeSession

__all__ = [
    "AsyncLuxe",
    "AsyncLuxeFeed",
    "AsyncLuxeSession",
    "Luxe",
    "LuxeFeed",
    "LuxeSession",
]
