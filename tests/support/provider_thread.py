"""The scripted provider in a thread of its own, for tests that wait in the ordinary way."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Generator
from contextlib import contextmanager

from tests.support.provider_server import ProviderServer

WAIT_S = 10.0


@contextmanager
def provider_thread() -> Generator[ProviderServer]:
    """Run a server for the length of a block; its `replies` may be added to at any time."""
    server = ProviderServer()
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="provider", daemon=True)
    thread.start()
    try:
        asyncio.run_coroutine_threadsafe(server.start(), loop).result(WAIT_S)
        yield server
    finally:
        asyncio.run_coroutine_threadsafe(server.close(), loop).result(WAIT_S)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(WAIT_S)
        loop.close()
