"""The dashboard of a server whose agents call a scripted provider."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser.conftest import free_port
from tests.support.key_watch import key_of
from tests.support.live import LiveServer
from tests.support.provider_server import ProviderServer
from tests.support.provider_thread import provider_thread

KEY = key_of("browser")


@pytest.fixture
def provider() -> Iterator[ProviderServer]:
    with provider_thread() as server:
        yield server


@pytest.fixture
def live(provider: ProviderServer) -> Iterator[LiveServer]:
    """A running server whose agents call the scripted provider."""
    home = Path(tempfile.mkdtemp(prefix="lx-", dir="/tmp")).resolve()
    folder = home / "project"
    folder.mkdir()
    server = LiveServer(home, folder=folder)
    server.extra = {
        "LUXE_HOME": str(home / "luxe"),
        "ANTHROPIC_API_KEY": KEY,
        "ANTHROPIC_BASE_URL": provider.url,
    }
    server.start()
    server.wait_text("1", "$")
    server.call("web.start", {"port": free_port()})
    yield server
    server.stop()
    shutil.rmtree(home, ignore_errors=True)
