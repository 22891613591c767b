"""Servers one after the other on the same disk, without processes."""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path

import orjson

from luvus_service.uhp.domain.ports import ExitStatus
from luvus_service.uhp.domain.state import session_from_state
from luvus_service.uhp.domain.structure import Session as Structure
from luvus_service.uhp.engine.panes import Panes
from luvus_service.uhp.engine.persistence import Checkpoints
from luvus_service.uhp.engine.workspaces import Workspaces
from tests.support.engine_world import EngineWorld
from tests.support.memory_store import MemoryStore


class Server:
    """A session with what opens panes in it and what stores it."""

    def __init__(self, store: MemoryStore, home: str) -> None:
        self.store = store
        self.world = EngineWorld(home)
        self.session = self.world.session
        self.workspaces = Workspaces(self.session)
        self.panes = Panes(self.session, self.workspaces)
        self.checkpoints = Checkpoints(self.session, store)
        self.closed = False

    async def stop(self, *, asked: bool = True) -> None:
        """Stop in order."""
        self.checkpoints.freeze(asked=asked)
        await self.checkpoints.close()
        await self.vanish()

    async def vanish(self) -> None:
        """End, if it has not ended yet."""
        if not self.closed:
            self.closed = True
            self.checkpoints.freeze(asked=True)
            await self.checkpoints.close()
            await self.world.close()

    def program(self, pane: int) -> socket.socket:
        """Return the other end of a pane's terminal."""
        return self.world.host.programs[str(self.session.structure.panes[pane].terminal_id)]

    async def show(self, pane: int, text: bytes) -> None:
        """Let a pane's program put something out, and wait until it is on the screen."""
        terminal = self.session.terminals[str(self.session.structure.panes[pane].terminal_id)]
        seen = asyncio.Event()
        stop = terminal.watch(seen.set)
        self.program(pane).sendall(text)
        await seen.wait()
        stop()

    async def text(self, pane: int) -> str:
        """Return what a pane shows."""
        return await self.panes.read(pane, 100)

    async def exit(self, pane: int, status: ExitStatus | None = None) -> None:
        """Let a pane's program end by itself."""
        gone = asyncio.Event()

        def look(_asked: bool) -> None:
            if pane not in self.session.structure.panes:
                gone.set()

        self.session.on_commit.append(look)
        self.world.host.exit(str(self.session.structure.panes[pane].terminal_id), status)
        await gone.wait()


class Machine:
    """Starts servers one after the other on the same disk."""

    def __init__(self, home: Path) -> None:
        self.store = MemoryStore()
        self.home = str(home)
        self.servers: list[Server] = []

    async def start(self) -> Server:
        """Start a server as after a reboot."""
        server = Server(self.store, self.home)
        self.servers.append(server)
        assert server.session.recover() is False
        await server.checkpoints.restore()
        await server.checkpoints.follow()
        return server

    def stored(self) -> Structure:
        """Return the stored checkpoint."""
        return session_from_state(orjson.loads(self.store.records["layout", "current"])["session"])
