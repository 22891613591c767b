from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from luvus_bridge.asgi import App, Message, Receive, Scope, Send
from luvus_bridge.calls import ClientGone, answer, is_client_gone
from luvus_bridge.envelope import Request
from luvus_bridge.limits import Limits
from luvus_bridge.ndjson import FrameTooLarge
from luvus_bridge.replies import internal_line

REQUEST = Request("7", "pane.split", "luv_tok_1", b'{"down":true}', "object", ("x",))
LIMITS = Limits(frame_bytes=200)


class FakePeer:
    """A connection whose client sends the given lines and then closes."""

    def __init__(
        self, *lines: bytes | Exception, left: bool = False, stopping: bool = False
    ) -> None:
        self.written: list[bytes] = []
        self.streams = 0
        self.skipped = 0
        self.stopping = stopping
        self._lines = list(lines)
        self._left = asyncio.Event()
        if left:
            self._left.set()

    async def gone(self) -> None:
        await self._left.wait()

    def begin_stream(self) -> None:
        self.streams += 1

    async def next_line(self) -> bytes | None:
        if not self._lines:
            return None
        line = self._lines.pop(0)
        if isinstance(line, Exception):
            raise line
        return line

    def skip_line(self) -> None:
        self.skipped += 1

    async def write_line(self, line: bytes, *, first: bool) -> None:
        if self._left.is_set():
            raise ClientGone("the client left")
        assert first == (not self.written)
        self.written.append(line)


def app_of(status: int, *pieces: bytes) -> App:
    async def app(_scope: Scope, _receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": status, "headers": []})
        for piece in pieces:
            await send({"type": "http.response.body", "body": piece, "more_body": True})
        await send({"type": "http.response.body"})

    return app


def stream_app(*messages: Message, received: list[Message] | None = None, reads: int = 0) -> App:
    """Say that the method is a stream; there, read and then send the given messages."""

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await app_of(426, b'{"code":"stream"}')(scope, receive, send)
            return
        for _ in range(reads):
            message = await receive()
            if received is not None:
                received.append(message)
        for message in messages:
            await send(message)

    return app


ACCEPT = {"type": "websocket.accept"}
ACK = {"type": "websocket.send", "text": '{"result":{"type":"started"}}'}
CLOSE = {"type": "websocket.close", "code": 1000}


async def test_a_request_becomes_a_post_with_token_and_envelope() -> None:
    seen: list[Any] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        seen.extend([dict(scope), await receive()])
        await app_of(200, b"{}")(scope, receive, send)

    await answer(app, REQUEST, FakePeer(), LIMITS)

    assert seen == [
        {
            "type": "http",
            "method": "POST",
            "scheme": "http",
            "asgi": {"version": "3.0", "spec_version": "2.4"},
            "http_version": "1.1",
            "path": "/uhp/v1/pane.split",
            "raw_path": b"/uhp/v1/pane.split",
            "query_string": b"",
            "root_path": "",
            "headers": [
                (b"content-type", b"application/json"),
                (b"authorization", b"Bearer luv_tok_1"),
            ],
            "client": None,
            "server": None,
            "extensions": {"luvus.envelope": {"extra": ["x"], "params": "object"}},
        },
        {"type": "http.request", "body": b'{"down":true}', "more_body": False},
    ]


async def test_a_request_without_token_has_no_authorization() -> None:
    seen: list[Any] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        seen.append(scope["headers"])
        await app_of(200, b"{}")(scope, receive, send)

    await answer(app, REQUEST._replace(auth=None), FakePeer(), LIMITS)

    assert seen == [[(b"content-type", b"application/json")]]


@pytest.mark.parametrize(
    ("app", "line"),
    [
        (app_of(200, b'{"type":', b'"ok"}'), b'{"id":"7","result":{"type":"ok"}}\n'),
        (app_of(404, b'{"code":"not_found"}'), b'{"id":"7","error":{"code":"not_found"}}\n'),
        (app_of(201, b'{"code":"odd"}'), b'{"id":"7","error":{"code":"odd"}}\n'),
        (app_of(500, b"Internal Server Error"), internal_line("7")),
        (app_of(204), internal_line("7")),
    ],
)
async def test_a_response_becomes_one_line(app: App, line: bytes) -> None:
    assert await answer(app, REQUEST, FakePeer(), LIMITS) == line


async def test_an_answer_over_the_cap_is_not_kept() -> None:
    line = await answer(app_of(200, b'{"t":"', b"x" * 300, b'"}'), REQUEST, FakePeer(), LIMITS)

    assert json.loads(line) == {
        "id": "7",
        "error": {
            "code": "internal",
            "message": "the answer is larger than the limit of 200 bytes; ask for less",
        },
    }


@pytest.mark.parametrize("when", ["left", "answered"])
async def test_the_app_reads_a_disconnect_once_nobody_waits(when: str) -> None:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await receive()
        if when == "answered":
            await app_of(200, b"{}")(scope, receive, send)
        assert await receive() == {"type": "http.disconnect"}
        if when == "left":
            await app_of(200, b"{}")(scope, receive, send)

    line = await answer(app, REQUEST, FakePeer(left=when == "left"), LIMITS)

    assert line == b'{"id":"7","result":{}}\n'


async def test_a_stream_gets_parameters_then_lines_then_the_end() -> None:
    received: list[Message] = []
    app = stream_app(ACCEPT, ACK, CLOSE, received=received, reads=6)
    peer = FakePeer(b'{"a":1}', "ü".encode())

    assert await answer(app, REQUEST, peer, LIMITS) == b""
    assert received == [
        {"type": "websocket.connect"},
        {"type": "websocket.receive", "text": '{"down":true}'},
        {"type": "websocket.receive", "text": '{"a":1}'},
        {"type": "websocket.receive", "text": "ü"},
        {"type": "websocket.disconnect", "code": 1000, "reason": ""},
        {"type": "websocket.disconnect", "code": 1000, "reason": ""},
    ]


@pytest.mark.parametrize(
    ("peer", "code"),
    [
        (lambda: FakePeer(FrameTooLarge()), 1009),
        (lambda: FakePeer(stopping=True), 1012),
        (FakePeer, 1000),
    ],
)
async def test_a_stream_that_cannot_be_read_on_is_disconnected_with_a_reason(
    peer: Any, code: int
) -> None:
    received: list[Message] = []

    await answer(stream_app(ACCEPT, ACK, received=received, reads=3), REQUEST, peer(), LIMITS)

    assert received[2:] == [{"type": "websocket.disconnect", "code": code, "reason": ""}]


@pytest.mark.parametrize("line", [b"\xff", b"\xed\xa0\x80", b'{"a":"\xc3"}'])
async def test_a_line_that_is_no_text_is_for_the_stream_to_judge(line: bytes) -> None:
    received: list[Message] = []

    app = stream_app(ACCEPT, ACK, received=received, reads=4)
    await answer(app, REQUEST, FakePeer(line, b"x"), LIMITS)

    assert received[2:] == [
        {"type": "websocket.receive", "bytes": line},
        {"type": "websocket.receive", "text": "x"},
    ]


async def test_a_client_is_told_why_its_line_ends_the_stream_once_it_is_one() -> None:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await app_of(426)(scope, receive, send)
            return
        for said in (ACCEPT, ACK):
            await send(said)
        for _ in range(3):
            await receive()

    told, early = FakePeer(FrameTooLarge()), FakePeer(FrameTooLarge())

    await answer(app, REQUEST, told, LIMITS)
    await answer(stream_app(ACCEPT, received=[], reads=3), REQUEST, early, LIMITS)

    message = "a line may have at most 200 bytes with its line end"
    error = {"code": "frame_too_large", "message": message}
    assert json.loads(told.written[1]) == {"id": "0", "error": error}
    assert early.written == []


async def test_a_stream_that_reads_nothing_goes_on_behind_a_line_over_the_cap() -> None:
    received: list[Message] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await app_of(426)(scope, receive, send)
            return
        deaf = {"type": "websocket.accept", "headers": [(b"x-luvus-input", b"ignored")]}
        for said in (deaf, ACK):
            await send(said)
        received.extend([await receive() for _ in range(5)])

    peer = FakePeer(FrameTooLarge(), b"x")

    await answer(app, REQUEST, peer, LIMITS)

    assert received[2:] == [
        {"type": "websocket.receive", "bytes": b""},
        {"type": "websocket.receive", "text": "x"},
        {"type": "websocket.disconnect", "code": 1000, "reason": ""},
    ]
    assert (peer.skipped, len(peer.written)) == (1, 1)


async def test_the_first_message_gets_the_id_and_later_ones_are_verbatim() -> None:
    messages: list[Message] = [
        ACCEPT,
        ACK,
        {"type": "websocket.send", "text": '{"event":"a"}'},
        {"type": "websocket.send", "bytes": b'{"event":\n"b"}'},
        CLOSE,
    ]
    peer = FakePeer()

    await answer(stream_app(*messages), REQUEST, peer, LIMITS)

    assert (peer.streams, peer.written) == (
        1,
        [b'{"id":"7","result":{"type":"started"}}\n', b'{"event":"a"}\n', b'{"event": "b"}\n'],
    )


@pytest.mark.parametrize(
    ("messages", "line"),
    [
        (
            [CLOSE],
            b'{"id":"7","error":{"code":"forbidden","message":"the stream was refused"}}\n',
        ),
        (
            [{"type": "websocket.close", "code": 1008, "reason": "no"}],
            b'{"id":"7","error":{"code":"forbidden","message":"no"}}\n',
        ),
        (
            [
                {"type": "websocket.http.response.start", "status": 503, "headers": []},
                {"type": "websocket.http.response.body", "body": b'{"code":', "more_body": True},
                {"type": "websocket.http.response.body", "body": b'"unavailable"}'},
            ],
            b'{"id":"7","error":{"code":"unavailable"}}\n',
        ),
        (
            [{"type": "websocket.http.response.body", "body": b"x" * 201}],
            internal_line("7"),
        ),
        ([ACCEPT], internal_line("7")),
    ],
)
async def test_a_refused_stream_is_answered_with_an_error(
    messages: list[Message], line: bytes
) -> None:
    peer = FakePeer()

    assert await answer(stream_app(*messages), REQUEST, peer, LIMITS) == line
    assert peer.written == []


async def test_a_stream_line_over_the_cap_is_the_apps_error() -> None:
    app = stream_app(ACCEPT, ACK, {"type": "websocket.send", "text": "x" * 200})

    with pytest.raises(ValueError, match="201 bytes is over the cap"):
        await answer(app, REQUEST, FakePeer(), LIMITS)


async def test_sending_to_a_client_that_left_is_an_os_error() -> None:
    with pytest.raises(OSError, match="the client left"):
        await answer(stream_app(ACCEPT, ACK), REQUEST, FakePeer(left=True), LIMITS)


def test_a_group_of_nothing_but_departures_is_a_departure() -> None:
    gone = ClientGone("the client left")

    assert is_client_gone(BaseExceptionGroup("a", [gone, BaseExceptionGroup("b", [gone])]))
    assert not is_client_gone(BaseExceptionGroup("a", [gone, ValueError()]))
    assert not is_client_gone(ValueError())
