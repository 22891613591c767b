from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.clients import fake_server

INHERITED = (
    "LUVUS_API_ADDRESS",
    "LUVUS_ENV",
    "LUVUS_HOME",
    "LUVUS_PANE_ID",
    "LUVUS_SESSION",
    "LUVUS_SOCKET_PATH",
)


@pytest.fixture
def home(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    for name in INHERITED:
        monkeypatch.delenv(name, raising=False)
    for folder in fake_server.home():
        monkeypatch.setenv("LUVUS_HOME", str(folder))
        yield folder
