"""Rules for tests with real processes and sockets: they run on the event loop of production."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
import uvloop

from tests.support.live import LiveServer

SLOW_MACHINE_S = 60
"""How long a test with real processes may take before it counts as hanging."""


def pytest_asyncio_loop_factories() -> Mapping[str, Callable[[], asyncio.AbstractEventLoop]]:
    """Run every asynchronous test of this folder on uvloop, as the server does."""
    return {"uvloop": uvloop.new_event_loop}


@pytest.fixture
def live(short_tmp: Path) -> Iterator[LiveServer]:
    """A running server in a home of its own, with one workspace of one plain shell."""
    server = LiveServer(short_tmp)
    server.start()
    server.wait_text("1", "$")
    yield server
    server.stop()


@pytest.fixture(scope="module")
def served() -> Iterator[LiveServer]:
    """A running server shared by a module's tests that leave it as they found it."""
    home = Path(tempfile.mkdtemp(prefix="lv-", dir="/tmp")).resolve()
    server = LiveServer(home)
    server.start()
    server.wait_text("1", "$")
    yield server
    server.stop()
    shutil.rmtree(home, ignore_errors=True)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give tests that start servers more time than others: a slow machine is no fault of theirs."""
    folder = Path(__file__).parent
    for item in items:
        if folder in item.path.parents and item.get_closest_marker("timeout") is None:
            item.add_marker(pytest.mark.timeout(SLOW_MACHINE_S))
