"""A server with scripted agents on its PATH."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support import fake_agent
from tests.support.live import LiveServer
from tests.support.served_agent import Served, serving

KINDS = ("claude", "codex", "gemini", "grok", "pi")


class Crew:
    """A server and the agents that tests start on it."""

    def __init__(self, server: LiveServer) -> None:
        self.server = server
        self.call = server.call
        self.refusal = server.refusal
        self.log = server.home / "agent.log"

    def start(self, name: str = "rev", kind: str = "claude") -> str:
        """Start an agent, wait until it takes prompts, and return its pane."""
        started = self.call("agent.start", {"name": name, "kind": kind, "timeout_s": 10})
        assert started["ready"], started
        self.server.wait_text(started["pane"], "ready")
        self.wait(started["pane"], "idle")
        return str(started["pane"])

    def wait(self, pane: str, *statuses: str, timeout_s: float = 10) -> str:
        """Wait for a state and return the one that came."""
        params = {"pane": pane, "statuses": list(statuses), "timeout_s": timeout_s}
        found = self.call("agent.wait", params)
        assert found["matched"], self.call("agent.explain", {"pane": pane})
        return str(found["status"])

    def row(self, pane: str) -> dict[str, Any]:
        """Return the agent's row of the list."""
        rows = self.call("agent.list")["agents"]
        return dict(next(row for row in rows if row["pane"] == pane))

    def received(self) -> bytes:
        """Return every byte that agents got."""
        return self.log.read_bytes() if self.log.exists() else b""


def crew_in(home: Path) -> Crew:
    """Start a server in a home with fake agents."""
    binaries = home / "bin"
    binaries.mkdir()
    script = Path(fake_agent.__file__).read_text(encoding="utf-8")
    for kind in KINDS:
        program = binaries / kind
        program.write_text(f"#!{sys.executable}\n{script}", encoding="utf-8")
        program.chmod(0o755)
    server = LiveServer(home)
    server.extra["PATH"] = f"{binaries}{os.pathsep}{os.environ['PATH']}"
    server.extra["FAKE_AGENT_LOG"] = str(home / "agent.log")
    server.start()
    server.wait_text("1", "$")
    return Crew(server)


@pytest.fixture
def crew(short_tmp: Path) -> Iterator[Crew]:
    """A server of its own."""
    made = crew_in(short_tmp)
    yield made
    made.server.stop()


@pytest.fixture(scope="module")
def shared() -> Iterator[Crew]:
    """A server for the tests of a module, each with agents of its own names."""
    home = Path(tempfile.mkdtemp(prefix="lv-", dir="/tmp")).resolve()
    made = crew_in(home)
    yield made
    made.server.stop()
    shutil.rmtree(home, ignore_errors=True)


@pytest.fixture(scope="module")
def pane(shared: Crew) -> str:
    """An agent of kind claude with the alias one, shared by a module's tests."""
    return shared.start("one")


@pytest.fixture
def served(shared: Crew, pane: str) -> Iterator[Served]:
    """That agent, idle and served over HTTP."""
    shared.call("pane.focus", {"pane": pane})
    shared.wait(pane, "idle")
    with serving(shared.server, "agentapi", "one") as found:
        yield found
