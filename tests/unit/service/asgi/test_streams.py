from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from luvus_service.asgi.streams import FAILED, REFUSED, answer_stream
from luvus_service.rpc.errors import LimitExceeded
from luvus_service.rpc.scopes import Scope
from tests.support.toys import ToyService
from tests.support.wires import CONNECT, GONE, Wire, said, websocket

DONE = 1000
ACCEPT = {"type": "websocket.accept"}
SHOWN = {"result": {"type": "shown", "number": 3}}
GIVEN = said('{"number":3}')


async def answer(
    service: ToyService, wire: Wire, name: str = "toy.watch", scope: dict[str, Any] | None = None
) -> None:
    """Answer a WebSocket until it has ended."""
    async with asyncio.timeout(5):
        await answer_stream(service.dispatcher, name, scope or websocket(), wire.receive, wire.send)


@asynccontextmanager
async def streaming(service: ToyService, wire: Wire) -> AsyncIterator[None]:
    """Run a stream that is acknowledged already; leave once it has ended."""
    async with asyncio.TaskGroup() as group:
        group.create_task(answer(service, wire))
        await service.toys.waiting.wait()
        yield


async def test_the_acknowledgement_comes_first_and_then_every_frame_until_the_end() -> None:
    service, wire = ToyService(), Wire(CONNECT, GIVEN)
    for frame in (b'{"event":"a"}', '{"event":"ä"}'.encode(), b""):
        service.toys.frames.put_nowait(frame)

    await answer(service, wire)

    assert wire.sent[0] == ACCEPT
    assert wire.texts == [SHOWN, {"event": "a"}, {"event": "ä"}, DONE]
    assert service.toys.calls == [("toy.watch", 3)]


@pytest.mark.parametrize(
    "first",
    [GIVEN, said(data=b'{"number":3}'), {"type": "websocket.receive", "bytes": b'{"number":3}'}],
)
async def test_the_parameters_may_be_text_or_bytes(first: dict[str, Any]) -> None:
    service, wire = ToyService(), Wire(CONNECT, first)
    service.toys.frames.put_nowait(b"")

    await answer(service, wire)

    assert wire.texts == [SHOWN, DONE]


@pytest.mark.parametrize("first", [said(""), said("{}"), said(data=b"")])
async def test_the_parameters_may_be_left_out(first: dict[str, Any]) -> None:
    service, wire = ToyService(), Wire(CONNECT, first)
    service.toys.frames.put_nowait(b"")

    await answer(service, wire)

    assert service.toys.calls == [("toy.watch", 0)]


@pytest.mark.parametrize(
    ("name", "first", "headers", "code", "message"),
    [
        ("toy.none", GIVEN, (), "invalid_request", "unknown method 'toy.none'"),
        (
            "toy.show",
            GIVEN,
            (),
            "invalid_request",
            "toy.show is no stream; POST to the same path",
        ),
        ("toy.watch", said("["), (), "invalid_request", "bad json: Expecting value: line 1"),
        (
            "toy.watch",
            said('{"x":1}'),
            (),
            "invalid_request",
            "unknown field `x`; leave it out",
        ),
        (
            "toy.watch",
            GIVEN,
            ((b"authorization", b"Bearer x"),),
            "forbidden",
            "invalid or expired auth token",
        ),
        (
            "toy.watch",
            GIVEN,
            ((b"authorization", b"x"),),
            "invalid_request",
            "`Authorization` must be `Bearer <token>`",
        ),
    ],
)
async def test_a_refused_stream_gets_its_error_object_and_is_closed(
    name: str, first: dict[str, Any], headers: Any, code: str, message: str
) -> None:
    wire = Wire(CONNECT, first)

    await answer(ToyService(), wire, name, websocket(*headers))

    error, closed = wire.texts
    assert (error["error"]["code"], closed) == (code, REFUSED)
    assert error["error"]["message"].startswith(message)


async def test_a_stream_may_be_refused_before_and_after_its_acknowledgement() -> None:
    service = ToyService()
    before, after = Wire(CONNECT, GIVEN), Wire(CONNECT, GIVEN)
    full = {"error": {"code": "limit_exceeded", "message": "full"}}

    service.toys.before_acknowledgement = LimitExceeded("full")
    await answer(service, before)
    service.toys.frames.put_nowait(LimitExceeded("full"))
    await answer(service, after)

    assert before.texts == [full, REFUSED]
    assert after.texts == [SHOWN, full, REFUSED]


async def test_a_stream_that_fails_is_closed_without_details(
    caplog: pytest.LogCaptureFixture,
) -> None:
    service = ToyService()
    before, after = Wire(CONNECT, GIVEN), Wire(CONNECT, GIVEN)

    with caplog.at_level(logging.ERROR):
        service.toys.before_acknowledgement = ZeroDivisionError("a secret")
        await answer(service, before)
        service.toys.frames.put_nowait(ZeroDivisionError("a secret"))
        await answer(service, after)

    internal = {
        "code": "internal",
        "message": "toy.watch failed unexpectedly; see the server's log",
    }
    assert before.texts == [{"error": internal}, FAILED]
    assert after.texts == [SHOWN, FAILED]
    assert [r.getMessage() for r in caplog.records] == ["stream toy.watch failed"] * 2


@pytest.mark.parametrize("messages", [(GONE,), (CONNECT, GONE)])
async def test_a_client_that_leaves_before_its_parameters_gets_nothing(messages: Any) -> None:
    service, wire = ToyService(), Wire(*messages)

    await answer(service, wire)

    assert (wire.texts, service.toys.calls) == ([], [])


async def test_a_client_that_hangs_up_ends_its_stream() -> None:
    service, wire = ToyService(), Wire(CONNECT, GIVEN)

    async with streaming(service, wire):
        wire.put(said("whatever"))
        wire.put(said(data=b"whatever"))
        wire.put(GONE)

    assert service.toys.left.is_set()


@pytest.mark.parametrize("broken", [OSError("gone"), RuntimeError("closed")])
async def test_a_connection_that_breaks_while_a_frame_is_sent_ends_the_stream(
    broken: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    service, wire = ToyService(), Wire(CONNECT, GIVEN)

    async with streaming(service, wire):
        wire.broken = broken
        service.toys.frames.put_nowait(b"{}")

    assert service.toys.left.is_set()
    assert wire.texts == [SHOWN]
    assert caplog.records == []


async def test_a_client_that_has_left_before_its_refusal_is_no_failure(
    caplog: pytest.LogCaptureFixture,
) -> None:
    wire = Wire(CONNECT, GIVEN)

    async def send(message: Any) -> None:
        await wire.send(message)
        wire.broken = OSError("gone")

    await answer_stream(ToyService().dispatcher, "toy.none", websocket(), wire.receive, send)

    assert wire.sent == [ACCEPT]
    assert [r.levelno for r in caplog.records if r.levelno > logging.DEBUG] == []


async def test_a_stream_ends_at_the_next_frame_when_its_token_is_revoked() -> None:
    service, wire = ToyService(), Wire(CONNECT, GIVEN)
    bearer = (b"authorization", b"Bearer " + service.secret(Scope.READ).encode())

    async with asyncio.TaskGroup() as group:
        group.create_task(answer(service, wire, scope=websocket(bearer)))
        await service.toys.waiting.wait()
        service.toys.frames.put_nowait(b"1")
        await wire.until(lambda: 1 in wire.texts)
        service.tokens.revoke(service.tokens.list()[0].id)
        service.toys.frames.put_nowait(b"2")

    assert wire.texts == [SHOWN, 1, DONE]


async def test_the_envelope_of_a_bridge_is_looked_at() -> None:
    wire = Wire(CONNECT, GIVEN)
    noticed = {"luvus.envelope": {"extra": ["x"], "params": "object"}}

    await answer(ToyService(), wire, scope=websocket(extensions=noticed))

    assert json.dumps(wire.texts[0]).count("unknown field 'x' beside `params`") == 1
