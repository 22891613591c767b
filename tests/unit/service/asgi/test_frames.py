from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from luvus_service.asgi.frames import LINE_BYTES, PATH, TOO_LONG, frames_app
from luvus_service.asgi.types import App
from tests.support.wires import CONNECT, GONE, Wire, http, said, websocket

ACCEPT = {"type": "websocket.accept"}
DONE = {"type": "websocket.close", "code": 1000}
TAKEN = {"type": "websocket.close", "code": 4409}


class Conversation:
    """A session that a test speaks for."""

    def __init__(self) -> None:
        self.heard: list[bytes | int] = []
        self.out: asyncio.Queue[bytes] = asyncio.Queue()
        self.is_shut = asyncio.Event()
        self.last_words: tuple[bytes, ...] = ()

    def deliver(self, line: bytes) -> None:
        self.heard.append(line)

    def deliver_too_long(self, limit: int) -> None:
        self.heard.append(limit)

    async def lines(self) -> AsyncIterator[bytes]:
        while line := await self.out.get():
            yield line

    def shut(self) -> None:
        if not self.is_shut.is_set():
            self.is_shut.set()
            for line in (*self.last_words, b""):
                self.out.put_nowait(line)


async def serve(app: App, wire: Wire, path: str = PATH) -> None:
    """Serve a connection until it has ended."""
    async with asyncio.timeout(5):
        await app({**websocket(), "path": path}, wire.receive, wire.send)


def sent(line: bytes) -> dict[str, Any]:
    """Return the message of an outbound line."""
    return {"type": "websocket.send", "bytes": line}


async def test_frames_go_both_ways_until_the_client_leaves() -> None:
    talk = Conversation()
    talk.out.put_nowait(b"1")
    talk.out.put_nowait(b"2")
    wire = Wire(CONNECT)

    async with asyncio.TaskGroup() as group:
        group.create_task(serve(frames_app(talk), wire))
        await wire.until_sent(3)
        for message in (said("ä"), said(data=b"b"), said(data=None), GONE):
            wire.put(message)

    assert talk.heard == ["ä".encode(), b"b", b""]
    assert wire.sent == [ACCEPT, sent(b"1"), sent(b"2"), DONE]


async def test_the_session_that_closes_first_closes_the_connection() -> None:
    talk, wire = Conversation(), Wire(CONNECT)
    talk.out.put_nowait(b"")

    await serve(frames_app(talk), wire)

    assert wire.sent == [ACCEPT, DONE]
    assert not talk.is_shut.is_set()


async def test_a_line_that_was_left_out_is_told() -> None:
    talk = Conversation()
    left_out = {**said(data=b""), "extensions": {TOO_LONG: {}}}

    await serve(frames_app(talk), Wire(CONNECT, left_out, said("a"), GONE))

    assert talk.heard == [LINE_BYTES, b"a"]


async def test_a_reader_that_has_gone_lets_the_session_close_in_order() -> None:
    talk, wire = Conversation(), Wire(CONNECT)
    talk.last_words = (b"bye", b"bye")

    async with asyncio.TaskGroup() as group:
        group.create_task(serve(frames_app(talk), wire))
        await wire.until_sent(1)
        wire.broken = OSError("gone")
        talk.out.put_nowait(b"1")

    assert talk.is_shut.is_set()
    assert talk.out.empty()
    assert wire.sent == [ACCEPT]


async def test_a_connection_that_is_cancelled_leaves() -> None:
    talk, wire = Conversation(), Wire(CONNECT)

    connection = asyncio.get_running_loop().create_task(serve(frames_app(talk), wire))
    await wire.until_sent(1)
    connection.cancel()
    await asyncio.wait({connection})

    assert connection.cancelled()
    assert talk.is_shut.is_set()


async def test_a_connection_that_is_gone_when_it_is_closed_is_no_failure() -> None:
    talk, wire = Conversation(), Wire(CONNECT)

    async with asyncio.TaskGroup() as group:
        group.create_task(serve(frames_app(talk), wire))
        await wire.until_sent(1)
        wire.broken = OSError("gone")
        wire.put(GONE)

    assert wire.sent == [ACCEPT]


async def test_a_session_has_one_client_only() -> None:
    talk = Conversation()
    app, first, second = frames_app(talk), Wire(CONNECT), Wire(CONNECT)

    async with asyncio.TaskGroup() as group:
        group.create_task(serve(app, first))
        await first.until_sent(1)
        await serve(app, second)
        first.put(GONE)

    assert second.sent == [ACCEPT, TAKEN]
    assert first.sent == [ACCEPT, DONE]


async def test_a_client_that_leaves_before_it_is_let_in_leaves_its_place() -> None:
    talk = Conversation()
    app, first, second = frames_app(talk), Wire(GONE), Wire(CONNECT, GONE)

    await serve(app, first)
    await serve(app, second)

    assert (first.sent, second.sent) == ([], [ACCEPT, DONE])


@pytest.mark.parametrize("scope", [http(PATH), {**websocket(), "path": "/other"}])
async def test_nothing_else_is_served(scope: dict[str, Any]) -> None:
    wire = Wire(CONNECT)

    with pytest.raises(ValueError, match=f"only a WebSocket on {PATH} is served here"):
        await frames_app(Conversation())(scope, wire.receive, wire.send)
