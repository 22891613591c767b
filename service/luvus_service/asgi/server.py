"""uvicorn on a socket that somebody else bound, beside other work on the same loop."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Callable, Generator
from typing import Any, cast

from uvicorn import Config, Server
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from luvus_service.asgi.request import BODY_BYTES
from luvus_service.asgi.types import App

CONNECTIONS = 256
"""Open HTTP connections and running requests; more are answered with 503."""
KEEP_ALIVE_S = 75
PING_S = 30.0
"""Between the pings that find dead WebSockets."""


class _Quiet(Server):
    """A server that leaves signals to the program around it."""

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """Capture nothing."""
        yield


class HttpServer:
    """Serves an ASGI app over HTTP and WebSocket on a bound socket, which it closes at the end."""

    def __init__(
        self,
        app: App,
        sock: socket.socket,
        *,
        authorize: Callable[[socket.socket], bool],
        grace_s: float,
    ) -> None:
        self._sock = sock
        config = Config(
            cast("Any", app),
            http=_checking(authorize),
            ws="websockets-sansio",
            ws_max_size=BODY_BYTES,
            # Every client is on this machine: compressing would only cost time.
            ws_per_message_deflate=False,
            ws_ping_interval=PING_S,
            ws_ping_timeout=PING_S,
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            limit_concurrency=CONNECTIONS,
            timeout_keep_alive=KEEP_ALIVE_S,
            timeout_graceful_shutdown=max(1, round(grace_s)),
        )
        self._server = _Quiet(config)
        self._running: asyncio.Future[None] | None = None

    async def start(self) -> None:
        """Begin to accept on the running loop."""
        loop = asyncio.get_running_loop()
        self._running = loop.create_task(self._server.serve(sockets=[self._sock]))

    async def stop(self) -> None:
        """Stop accepting, let requests under way be answered, then close."""
        if self._running is not None:
            self._server.should_exit = True
            await self._running
            self._running = None
        self._sock.close()


def _checking(authorize: Callable[[socket.socket], bool]) -> type[HttpToolsProtocol]:
    class OwnerOnly(HttpToolsProtocol):
        """Drops a connection of another user before a byte of it is read."""

        def connection_made(self, transport: Any) -> None:
            """Look at the peer first."""
            peer = transport.get_extra_info("socket")
            if peer is None or not authorize(peer):
                transport.abort()
                return
            super().connection_made(transport)

        def connection_lost(self, exc: Exception | None) -> None:
            """Forget only what was let in."""
            if self in self.connections:
                super().connection_lost(exc)

    return OwnerOnly
