"""A client of one agent session in this process: sends frames, waits for frames."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from luvus_service.adapters.clock import SystemClock
from luvus_service.adapters.project import LocalProject
from luvus_service.adapters.session_files import FileStore, project_key
from luvus_service.adapters.tools.paths import ProjectPaths
from luvus_service.adapters.tools.toolbox import FixedToolbox
from luvus_service.luxe.catalogue import FrameSession
from luvus_service.luxe.domain.tool_ports import Tool
from luvus_service.luxe.engine.conversation import opened
from luvus_service.luxe.engine.session import Session
from luvus_service.luxe.engine.world import Choices, World
from tests.support.scripted_provider import ScriptedProvider

Frame = dict[str, Any]
WAIT_S = 10.0


class LuxeClient:
    """The frames of one session, in order."""

    def __init__(self, frames: FrameSession) -> None:
        self.frames = frames
        self.session = frames.session
        self.seen: list[Frame] = []
        self._read = 0
        self._arrived = asyncio.Event()
        self.ended = False

    async def pump(self) -> None:
        async for line in self.frames.lines():
            self.seen.append(json.loads(line))
            self._arrived.set()
        self.ended = True
        self._arrived.set()

    def send(self, kind: str, content: Any = None) -> None:
        frame = {"kind": kind} | ({"content": content} if content is not None else {})
        self.frames.deliver(json.dumps(frame).encode())

    async def until(self, kind: str, matches: Callable[[Any], bool] = lambda _body: True) -> Any:
        """Return the content of the next frame of a kind; earlier ones stay in `seen`."""
        async with asyncio.timeout(WAIT_S):
            while True:
                while self._read < len(self.seen):
                    frame = self.seen[self._read]
                    self._read += 1
                    if frame["kind"] == kind and matches(frame.get("content")):
                        return frame.get("content")
                if self.ended:
                    raise AssertionError(f"the stream ended without {kind}: {self.kinds()}")
                self._arrived.clear()
                await self._arrived.wait()

    async def turn(self, kind: str, content: Any = None) -> list[Frame]:
        """Send an action that starts a turn and return every frame until its end."""
        start = len(self.seen)
        self.send(kind, content)
        await self.until("turn_ended")
        return self.seen[start : self._read]

    def kinds(self) -> list[str]:
        return [frame["kind"] for frame in self.seen]

    def of(self, kind: str) -> list[Any]:
        return [frame.get("content") for frame in self.seen if frame["kind"] == kind]


def world_of(
    folder: Path, provider: ScriptedProvider, tools: Sequence[Tool] = (), **more: Any
) -> World:
    project = folder / "project"
    project.mkdir(exist_ok=True)
    paths = ProjectPaths(str(project), str(project), home=str(folder))
    return World(
        providers=[provider],
        toolbox=FixedToolbox(tools),
        store=FileStore(folder / "sessions"),
        paths=paths,
        project=LocalProject(paths),
        clock=SystemClock(),
        **more,
    )


def choices_of(folder: Path, **more: Any) -> Choices:
    cwd = str((folder / "project").resolve())
    choices = Choices("0.0.0", cwd, project_key(cwd), home=str(folder))
    return replace(choices, **more)


@asynccontextmanager
async def luxe(
    folder: Path,
    provider: ScriptedProvider,
    tools: Sequence[Tool] = (),
    *,
    resume: str | None = None,
    world: World | None = None,
    **more: Any,
) -> AsyncIterator[LuxeClient]:
    """Open a session, yield its client, and close it."""
    world = world or world_of(folder, provider, tools)
    conversation = await opened(world, resume) if resume is not None else None
    session = Session(world, choices_of(folder, **more), conversation)
    session.open()
    frames = FrameSession(session)
    frames.welcome(resumed=resume is not None)
    client = LuxeClient(frames)
    pump = asyncio.get_running_loop().create_task(client.pump())
    try:
        await client.until("session_usage")
        yield client
    finally:
        await session.closed()
        await pump
