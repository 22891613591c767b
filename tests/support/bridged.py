"""An ASGI app with every behaviour that the bridge must cope with, and a client for its socket."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from luvus_bridge.asgi import PREFIX, Message, Receive, Scope, Send
from luvus_bridge.limits import Limits
from luvus_bridge.server import BridgeServer

STARTED = {"type": "websocket.send", "text": '{"result":{"type":"started"}}'}


def frame(method: str, *, request_id: str = "1", **params: Any) -> bytes:
    """Return a request line."""
    return json.dumps({"id": request_id, "method": method, "params": params}).encode() + b"\n"


class BridgedApp:
    """Serves the method `x.y` by its own method `x_y`; records what a test wants to know."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.disconnects: asyncio.Queue[int] = asyncio.Queue()
        self.started: asyncio.Queue[str] = asyncio.Queue()
        self.release = asyncio.Event()
        self.done: asyncio.Queue[str] = asyncio.Queue()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        name = scope["path"].removeprefix(PREFIX)
        kind, verb = name.split(".")
        if kind == "stream" and scope["type"] == "http":
            await respond(send, 426, {"code": "stream"})
            return
        self.calls.append(name)
        first = await receive()
        if scope["type"] == "websocket":
            first = await receive()
        params = json.loads(first.get("body") or first["text"])
        self.started.put_nowait(name)
        await getattr(self, f"{kind}_{verb}")(params, receive, send)

    async def call_echo(self, params: Any, _receive: Receive, send: Send) -> None:
        await respond(send, 200, {"type": "echo", "params": params})

    async def call_large(self, params: Any, _receive: Receive, send: Send) -> None:
        await respond(send, 200, {"type": "large", "text": "x" * params["size"]})

    async def call_refuse(self, _params: Any, _receive: Receive, send: Send) -> None:
        await respond(send, 404, {"code": "not_found", "message": "no such pane: 42"})

    async def call_crash(self, _params: Any, _receive: Receive, _send: Send) -> None:
        raise RuntimeError("a secret detail")

    async def call_held(self, _params: Any, _receive: Receive, send: Send) -> None:
        await self.release.wait()
        self.done.put_nowait("held")
        await respond(send, 200, {"type": "held"})

    async def call_parked(self, _params: Any, receive: Receive, send: Send) -> None:
        message = await receive()
        self.done.put_nowait(message["type"])
        await respond(send, 200, {"type": "parked"})

    async def call_stuck(self, _params: Any, _receive: Receive, _send: Send) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            self.done.put_nowait("stuck")

    async def stream_echo(self, _params: Any, receive: Receive, send: Send) -> None:
        await send({"type": "websocket.accept"})
        await send(STARTED)
        while True:
            message = await receive()
            if message["type"] == "websocket.disconnect":
                self.disconnects.put_nowait(message["code"])
                await send({"type": "websocket.send", "text": '{"event":"bye"}'})
                return
            await send({"type": "websocket.send", "text": json.dumps({"you": message["text"]})})
            if message["text"] == "close":
                await send({"type": "websocket.close", "code": 1000})
                return

    async def stream_flood(self, params: Any, _receive: Receive, send: Send) -> None:
        await send({"type": "websocket.accept"})
        await send(STARTED)
        text = json.dumps({"event": "x" * params["size"]})
        try:
            while True:
                await send({"type": "websocket.send", "text": text})
        except OSError as error:
            self.done.put_nowait(str(error))
            raise

    async def stream_lazy(self, _params: Any, receive: Receive, send: Send) -> None:
        await send({"type": "websocket.accept"})
        await send(STARTED)
        await self.release.wait()
        while (await receive())["type"] == "websocket.receive":
            self.done.put_nowait("line")
        self.done.put_nowait("end")

    async def stream_crash(self, params: Any, _receive: Receive, send: Send) -> None:
        await send({"type": "websocket.accept"})
        if params.get("late"):
            await send(STARTED)
        raise RuntimeError("a secret detail")

    async def stream_deny(self, _params: Any, _receive: Receive, send: Send) -> None:
        body = b'{"code":"unavailable","message":"no place left"}'
        await send({"type": "websocket.http.response.start", "status": 503, "headers": []})
        await send({"type": "websocket.http.response.body", "body": body})


async def respond(send: Send, status: int, body: Any) -> None:
    """Send a whole JSON response."""
    await send({"type": "http.response.start", "status": status, "headers": []})
    message: Message = {"type": "http.response.body", "body": json.dumps(body).encode()}
    await send(message)


class Client:
    """One connection to a bridge."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def send(self, received: bytes) -> None:
        self._writer.write(received)
        await self._writer.drain()

    def close_sending_side(self) -> None:
        self._writer.write_eof()

    async def line(self) -> Any:
        """Return the next line, parsed."""
        line = await self._reader.readuntil(b"\n")
        return json.loads(line)

    async def rest(self) -> bytes:
        """Return everything up to a clean end."""
        return await self._reader.read()

    async def close(self) -> None:
        self._writer.close()
        await self._writer.wait_closed()


class Bridge:
    """A running bridge in front of a `BridgedApp`."""

    def __init__(self, path: Path, app: BridgedApp, server: BridgeServer) -> None:
        self.path = path
        self.app = app
        self.server = server
        self.stats = server.stats

    @asynccontextmanager
    async def client(self) -> AsyncIterator[Client]:
        reader, writer = await asyncio.open_unix_connection(self.path, limit=4 * 1024 * 1024)
        client = Client(reader, writer)
        try:
            yield client
        finally:
            writer.close()

    async def ask(self, request: bytes) -> bytes:
        """Send a request and return all that comes back."""
        async with self.client() as client:
            await client.send(request)
            return await client.rest()

    def socket(self) -> socket.socket:
        """Return a blocking connection, for tests that count system calls."""
        sock = socket.socket(socket.AF_UNIX)
        sock.connect(str(self.path))
        return sock


def listening(path: Path) -> socket.socket:
    """Return a listening Unix socket."""
    sock = socket.socket(socket.AF_UNIX)
    sock.bind(str(path))
    sock.listen(128)
    return sock


@asynccontextmanager
async def bridge(
    folder: Path,
    *,
    limits: Limits | None = None,
    authorize: Callable[[socket.socket], bool] = lambda _peer: True,
    grace: float = 2.0,
) -> AsyncIterator[Bridge]:
    """Run a bridge for the body of the `with`, then stop it."""
    path = folder / "s"
    app = BridgedApp()
    server = BridgeServer(app, listening(path), authorize=authorize, limits=limits)
    await server.start()
    try:
        yield Bridge(path, app, server)
    finally:
        app.release.set()
        await server.stop(grace)
        assert server.stats.active == 0
        assert server.stats.streams == 0
