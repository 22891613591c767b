from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.clients import fake_server
from tests.integration.clients.running import CLIENTS, RUNNER, Luvus, Run
from tests.unit.clients.cli.protocol import PROTOCOL

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


@pytest.fixture
def command(home: Path) -> list[str]:
    (home / "protocol.json").write_text(json.dumps(PROTOCOL))
    return [sys.executable, "-c", RUNNER, str(home / "protocol.json")]


@pytest.fixture
def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(CLIENTS)}


@pytest.fixture
def luvus(home: Path, command: list[str], environment: dict[str, str]) -> Luvus:
    def run(*words: str, stdin: str = "", **variables: str) -> Run:
        done = subprocess.run(
            [*command, *words],
            input=stdin,
            capture_output=True,
            text=True,
            env={**environment, "LUVUS_HOME": str(home), **variables},
            timeout=15,
        )
        return Run(done.returncode, done.stdout, done.stderr)

    return run
