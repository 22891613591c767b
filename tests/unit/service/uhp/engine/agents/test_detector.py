"""Looks at a screen, the detector's own and those before an input, do not hide one another."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from luvus_service.adapters.agents.manifest_files import ManifestFiles
from luvus_service.uhp.domain.ports import ProcessFacts, RootProcess
from luvus_service.uhp.engine.agents.detector import Detector
from luvus_service.uhp.engine.agents.live import Live
from luvus_service.uhp.engine.process_scans import ProcessScans
from luvus_service.uhp.engine.workspaces import Workspaces
from tests.support.engine_world import EngineWorld, FakeProcesses

WORKING = b"\x1b[2J\x1b[HPondering (esc to interrupt)\r\n"
ASKING = b"\x1b[2J\x1b[HDo you want to proceed?\r\n 1. Yes\r\n 2. No\r\n"


class ClaudeEverywhere(FakeProcesses):
    """Sees the same agent below every root."""

    def scan(self, roots: Mapping[str, RootProcess]) -> dict[str, ProcessFacts]:
        return {name: ProcessFacts(observed=True, programs=("claude",)) for name in roots}


class Watched:
    """A session with one agent that is followed."""

    def __init__(self, home: Path) -> None:
        self.world = EngineWorld()
        session = self.world.session
        session.world = replace(session.world, processes=ClaudeEverywhere())
        self.detector = Detector(session, ProcessScans(session), ManifestFiles(home).load())

    async def start(self) -> None:
        """Open the pane and wait until its agent is known."""
        await Workspaces(self.world.session).open("/", focus=True)
        self.detector.start()
        await self.until(lambda live: live.identity.agent == "claude")

    async def until(self, holds: Callable[[Live], bool]) -> None:
        """Wait until something holds for the pane's live state."""
        came = asyncio.Event()

        def look(live: Live | None) -> None:
            if live is not None and holds(live):
                came.set()

        stop = self.detector.watch(1, look)
        look(self.detector.live(1))
        await asyncio.wait_for(came.wait(), 5)
        stop()

    async def prints(self, data: bytes) -> None:
        """Let the agent draw, and return at the instant at which it is published."""
        _, terminal = self.world.session.terminal_of(1)
        published = asyncio.Event()
        stop = terminal.watch(published.set)
        self.world.host.programs[terminal.id].sendall(data)
        await asyncio.wait_for(published.wait(), 5)
        stop()


@pytest.fixture
async def watched(tmp_path: Path) -> AsyncIterator[Watched]:
    made = Watched(tmp_path)
    yield made
    made.detector.close()
    await made.world.session.tasks.drain()
    await made.world.close()


@pytest.mark.parametrize("looks", [0, 1, 3])
async def test_a_screen_that_was_read_for_an_input_is_still_published(
    watched: Watched, looks: int
) -> None:
    await watched.start()
    await watched.prints(WORKING)
    await watched.until(lambda live: live.machine.published == "working")

    await watched.prints(ASKING)
    _, terminal = watched.world.session.terminal_of(1)
    live = watched.detector.live(1)
    assert live is not None
    for _ in range(looks):
        evidence = watched.detector.read_now(live, terminal)
        assert evidence is not None
        assert (evidence.state, evidence.hint) == ("blocked", "Do you want to proceed?")

    await watched.until(lambda live: live.machine.published == "blocked")
