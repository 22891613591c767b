"""A machine whose servers come and go, for tests of what is stored."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from luvus_service.uhp.engine import persistence as module
from tests.support.machine import Machine


@pytest.fixture
async def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Machine]:
    monkeypatch.setattr(module, "SAVE_AFTER_S", 0.01)
    monkeypatch.setattr(module, "SCREENS_EVERY_S", 0.02)
    monkeypatch.setattr(module, "RETRY_S", 0.01)
    made = Machine(tmp_path)
    yield made
    for server in made.servers:
        await server.vanish()
