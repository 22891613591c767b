"""Rules for tests with real processes and sockets: they run on the event loop of production."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping

import uvloop


def pytest_asyncio_loop_factories() -> Mapping[str, Callable[[], asyncio.AbstractEventLoop]]:
    """Run every asynchronous test of this folder on uvloop, as the server does."""
    return {"uvloop": uvloop.new_event_loop}
