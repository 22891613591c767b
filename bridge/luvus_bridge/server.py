"""The newline-JSON server: accepts on a socket it is given and stops in an orderly way."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from contextlib import suppress

from luvus_bridge.asgi import App
from luvus_bridge.connection import Connection
from luvus_bridge.limits import Limits
from luvus_bridge.shared import Phase, Shared
from luvus_bridge.stats import BridgeStats

LAST_FRAMES_S = 0.02
"""How long a stopping server still accepts, so that requests already sent are read."""


class BridgeServer:
    """Serves an ASGI app to clients that write one JSON line.

    Owns `sock`, which must be bound; `stop` closes it. `authorize` is asked once for every
    accepted connection and must not keep the socket.
    """

    def __init__(
        self,
        app: App,
        sock: socket.socket,
        *,
        authorize: Callable[[socket.socket], bool],
        limits: Limits | None = None,
    ) -> None:
        self._app = app
        self._sock = sock
        self._authorize = authorize
        self._limits = limits or Limits()
        self._shared: Shared | None = None
        self._server: asyncio.AbstractServer | None = None
        self.stats = BridgeStats(capacity=self._limits.connections)

    async def start(self) -> None:
        """Begin to accept on the running loop."""
        loop = asyncio.get_running_loop()
        shared = Shared(self._app, self._authorize, self._limits, self.stats, loop)
        self._shared = shared
        self._sock.setblocking(False)
        self._server = await loop.create_unix_server(
            lambda: Connection(shared), sock=self._sock, backlog=self._limits.listen_backlog
        )

    async def stop(self, grace: float) -> None:
        """Stop accepting, let running calls be answered, then close everything.

        Calls have `grace` seconds. Then streams are told that the server stops and calls that
        still wait are told that their client is gone; what has not ended within
        `Limits.stream_end_s` is cancelled. Stopping twice does nothing.
        """
        shared, server = self._shared, self._server
        if shared is None or server is None:
            self._sock.close()
            return
        self._shared = self._server = None
        # What clients have already sent is still in the kernel; take it in before closing.
        await asyncio.sleep(LAST_FRAMES_S)
        server.close()
        for connection in [*shared.connections]:
            if connection.phase is Phase.WAITING:
                connection.close_idle()
        await _wait(shared, grace, streams=False)
        shared.stopping = True
        for connection in [*shared.tasks.values()]:
            if connection.phase is Phase.STREAMING:
                connection.wake()
            else:
                connection.tell_gone()
        await _wait(shared, self._limits.stream_end_s, streams=True)
        await _cancel(shared)
        await self._let_drain(shared)
        shared.close()

    async def _let_drain(self, shared: Shared) -> None:
        if shared.connections:
            with suppress(TimeoutError):
                await asyncio.wait_for(shared.emptied.wait(), self._limits.drain_s)
        if shared.connections:
            for connection in [*shared.connections]:
                connection.cut()
            # Transports tell their protocols in the next turn of the loop.
            with suppress(TimeoutError):
                await asyncio.wait_for(shared.emptied.wait(), self._limits.drain_s)


async def _wait(shared: Shared, seconds: float, *, streams: bool) -> None:
    waited = [
        task
        for task, connection in shared.tasks.items()
        if streams or connection.phase is not Phase.STREAMING
    ]
    if waited:
        await asyncio.wait(waited, timeout=seconds)


async def _cancel(shared: Shared) -> None:
    tasks = [*shared.tasks]
    for task in tasks:
        task.cancel()
    if tasks:
        await asyncio.wait(tasks, timeout=shared.limits.stream_end_s)
