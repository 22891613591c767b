"""How much the bridge costs over a bare handler that answers the same small request.

Both run on one uvloop in a process of their own and are asked in turns over new connections by
one blocking client.
"""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import socket
import statistics
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter_ns
from typing import cast

import uvloop

from luvus_bridge.asgi import Message, Receive, Scope, Send
from luvus_bridge.server import BridgeServer
from tests.bench.figures import Figure, Target

ROUNDS = 10
REQUESTS = 4000
RATIO = 1.6
REQUEST = b'{"id":"1","method":"ping","params":{}}\n'


class Bare(asyncio.Protocol):
    """What one would write first: read a line, answer it, close."""

    def __init__(self) -> None:
        self._received = b""
        self._transport: asyncio.Transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        self._received += data
        if b"\n" in self._received:
            request = json.loads(self._received)
            reply = {"id": request["id"], "result": {"type": "pong"}}
            self._transport.write(json.dumps(reply).encode() + b"\n")
            self._transport.close()


async def ping_app(_scope: Scope, receive: Receive, send: Send) -> None:
    """Answer every call as a ping."""
    message: Message = await receive()
    json.loads(message["body"])
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b'{"type":"pong"}'})


def listening(path: Path) -> socket.socket:
    """Return a listening socket."""
    sock = socket.socket(socket.AF_UNIX)
    sock.bind(str(path))
    sock.listen(128)
    return sock


async def serve(folder: Path, ready: Callable[[], None]) -> None:
    """Serve both until the process is terminated."""
    loop = asyncio.get_running_loop()
    await loop.create_unix_server(Bare, sock=listening(folder / "bare"))
    bridge = BridgeServer(ping_app, listening(folder / "bridge"), authorize=lambda _: True)
    await bridge.start()
    ready()
    await asyncio.Event().wait()


def run_server(folder: Path, ready: Callable[[], None]) -> None:
    """Be the server process."""
    uvloop.run(serve(folder, ready))


def ask(address: str) -> int:
    """Ask once over a new connection; return nanoseconds to the end of the answer line."""
    began = perf_counter_ns()
    with socket.socket(socket.AF_UNIX) as sock:
        sock.connect(address)
        sock.sendall(REQUEST)
        received = b""
        while not received.endswith(b"\n"):
            received += sock.recv(65536)
    return perf_counter_ns() - began


def measure() -> Iterator[Figure]:
    """Measure both in turns."""
    # A forked child would share the threads and sockets of what was measured before.
    context = multiprocessing.get_context("spawn")
    ready = context.Event()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        server = context.Process(target=run_server, args=(folder, ready.set), daemon=True)
        server.start()
        assert ready.wait(20)
        times: dict[str, list[int]] = {"bare": [], "bridge": []}
        for _ in range(ROUNDS):
            for kind, found in times.items():
                found += [ask(str(folder / kind)) for _ in range(REQUESTS // ROUNDS)]
        server.terminate()
        server.join(5)
    bare, bridge = (statistics.median(times[kind]) / 1e6 for kind in ("bare", "bridge"))
    yield Figure("bridge alone, p50", bridge, "ms", note=f"a bare handler takes {bare:.3f} ms")
    yield Figure("bridge over a bare handler", bridge / bare, "x", target=Target(RATIO))
