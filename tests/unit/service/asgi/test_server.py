"""The server on a real socket, which is what it is about."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from luvus_service.asgi.server import HttpServer
from luvus_service.asgi.types import App, Receive, Scope, Send

REQUEST = b"POST /x HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{}"


def allow(_peer: socket.socket) -> bool:
    """Let everybody in."""
    return True


class Door:
    """Lets in whom a test says, and remembers who came."""

    def __init__(self, *answers: bool) -> None:
        self.answers = list(answers)
        self.families: list[int] = []

    def __call__(self, peer: socket.socket) -> bool:
        self.families.append(peer.family)
        return self.answers.pop(0)


async def hello(_scope: Scope, receive: Receive, send: Send) -> None:
    """Answer every request with two bytes."""
    await receive()
    headers = [(b"content-length", b"2")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": b"ok"})


@asynccontextmanager
async def serving(
    path: Path, app: App = hello, authorize: Door | None = None
) -> AsyncIterator[HttpServer]:
    """Serve an app on a socket."""
    sock = socket.socket(socket.AF_UNIX)
    sock.bind(str(path))
    sock.listen()
    server = HttpServer(app, sock, authorize=authorize or allow, grace_s=1.0)
    await server.start()
    try:
        yield server
    finally:
        await server.stop()
    assert sock.fileno() == -1


async def exchange(path: Path, data: bytes = REQUEST) -> bytes:
    """Send a request and return what comes back until there is a body or the end."""
    reader, writer = await asyncio.open_unix_connection(str(path))
    answer = b""
    try:
        async with asyncio.timeout(10):
            writer.write(data)
            while not answer.endswith(b"ok") and (piece := await reader.read(1024)):
                answer += piece
    except ConnectionError:
        return b""
    finally:
        writer.close()
    return answer


async def test_requests_are_answered_on_the_socket_that_was_given(short_tmp: Path) -> None:
    path = short_tmp / "s"

    async with serving(path):
        answer = await exchange(path)

    head, _, body = answer.partition(b"\r\n\r\n")
    assert (head.split(b"\r\n")[0], body) == (b"HTTP/1.1 200 OK", b"ok")
    assert b"server:" not in head.lower()


async def test_a_peer_that_is_not_allowed_is_dropped_unread_and_others_are_served(
    short_tmp: Path,
) -> None:
    path, door = short_tmp / "s", Door(False, True, False)
    seen: list[str] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        seen.append(scope["path"])
        await hello(scope, receive, send)

    async with serving(path, app, door):
        answers = [await exchange(path) for _ in range(3)]

    assert [answer.endswith(b"ok") for answer in answers] == [False, True, False]
    assert (answers[0], answers[2], seen) == (b"", b"", ["/x"])
    assert door.families == [socket.AF_UNIX] * 3


async def test_a_request_under_way_is_answered_before_the_server_stops(short_tmp: Path) -> None:
    path, begun, may_answer = short_tmp / "s", asyncio.Event(), asyncio.Event()

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        begun.set()
        await may_answer.wait()
        await hello(scope, receive, send)

    async with asyncio.TaskGroup() as group, serving(path, app) as server:
        asked = group.create_task(exchange(path))
        await begun.wait()
        stopped = group.create_task(server.stop())
        await asyncio.sleep(0)
        may_answer.set()
        await stopped

    assert asked.result().endswith(b"ok")


async def test_a_server_that_was_never_started_only_closes_its_socket() -> None:
    ours, theirs = socket.socketpair()
    with theirs:
        await HttpServer(hello, ours, authorize=allow, grace_s=1.0).stop()

        assert ours.fileno() == -1
