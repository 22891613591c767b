from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from luvus_service.asgi import sse
from luvus_service.asgi.sse import SseRoute, answer_events
from luvus_service.rpc.errors import InvalidRequest, LimitExceeded, Unavailable
from luvus_service.rpc.scopes import Scope
from tests.support.toys import ToyService
from tests.support.wires import HUNG_UP, Wire, http

ROUTE = SseRoute("toy.watch", cursor="number", resync="toy.resync_required")
ACKNOWLEDGED = b': {"type":"shown","number":0}\n\n'
HEADERS = {
    b"content-type": b"text/event-stream; charset=utf-8",
    b"cache-control": b"no-store",
    b"x-accel-buffering": b"no",
}


def frame(sequence: int) -> bytes:
    """Return an event frame."""
    return json.dumps({"event": "toy.shown", "sequence": sequence, "data": {}}).encode()


def block(sequence: int) -> bytes:
    """Return the same as a server-sent event."""
    return b"id: %d\nevent: toy.shown\ndata: %b\n\n" % (sequence, frame(sequence))


async def answer(
    service: ToyService, wire: Wire, *headers: tuple[bytes, bytes], query: bytes = b""
) -> None:
    """Serve the stream until it has ended."""
    scope = {**http("/uhp/v1/toy.watch", "GET", *headers), "query_string": query}
    async with asyncio.timeout(5):
        await answer_events(service.dispatcher, ROUTE, scope, wire.receive, wire.send)


@asynccontextmanager
async def streaming(
    service: ToyService, wire: Wire, *headers: tuple[bytes, bytes]
) -> AsyncIterator[None]:
    """Run a stream that is acknowledged already; leave once it has ended."""
    async with asyncio.TaskGroup() as group:
        group.create_task(answer(service, wire, *headers))
        await service.toys.waiting.wait()
        yield


def last_event_id(value: bytes) -> tuple[bytes, bytes]:
    """Return the header with which a client resumes."""
    return b"last-event-id", value


async def test_every_frame_is_an_event_with_its_sequence_until_the_end() -> None:
    service, wire = ToyService(), Wire()
    for given in (frame(8), frame(9), b""):
        service.toys.frames.put_nowait(given)

    await answer(service, wire)

    assert (wire.status, wire.headers) == (200, HEADERS)
    assert wire.body == ACKNOWLEDGED + block(8) + block(9)
    assert wire.sent[-1] == {"type": "http.response.body", "body": b"", "more_body": False}
    assert [m.get("more_body") for m in wire.sent[1:-1]] == [True] * 3


async def test_a_client_resumes_after_the_last_event_it_has_seen() -> None:
    service, wire = ToyService(), Wire()
    service.toys.frames.put_nowait(b"")

    await answer(service, wire, last_event_id(b"12"))

    assert service.toys.calls == [("toy.watch", 12)]


@pytest.mark.parametrize(
    ("headers", "query", "seen"),
    [
        ([], b"number=12", 12),
        ([], b"number=0", 0),
        ([last_event_id(b"14")], b"number=12", 14),
    ],
)
async def test_a_client_may_begin_after_an_event_that_the_address_names(
    headers: list[tuple[bytes, bytes]], query: bytes, seen: int
) -> None:
    service, wire = ToyService(), Wire()
    service.toys.frames.put_nowait(b"")

    await answer(service, wire, *headers, query=query)

    assert (wire.status, service.toys.calls) == (200, [("toy.watch", seen)])


@pytest.mark.parametrize(
    ("query", "message"),
    [
        (b"number=x", "`number` must be a sequence number, got 'x'"),
        (b"number=", "`number` must be a sequence number, got ''"),
        (b"number=-1", "`number` must be a sequence number, got '-1'"),
        (b"number=%D9%A3", "`number` must be a sequence number, got '\u0663'"),
        (b"number=" + b"1" * 19, f"`number` must be a sequence number, got '{'1' * 19}'"),
        (b"number=1&number=1", "give `number` once"),
        (b"counter=1", "unknown query parameter 'counter'; only `number` is known here"),
        (b"number=1&token=x", "unknown query parameter 'token'; only `number` is known here"),
        (b"number=" + b"1" * 5000, "the query is larger than 4096 bytes"),
    ],
)
async def test_a_query_that_is_not_understood_is_refused(query: bytes, message: str) -> None:
    service, wire = ToyService(), Wire()

    await answer(service, wire, last_event_id(b"12"), query=query)

    assert (wire.status, service.toys.calls) == (400, [])
    assert json.loads(wire.body) == {"code": "invalid_request", "message": message}


async def test_a_cursor_that_cannot_be_served_is_answered_by_a_resync_and_live_events() -> None:
    service, wire = ToyService(), Wire()
    service.toys.before_acknowledgement = InvalidRequest("too old", sequence=20)
    for given in (frame(21), b""):
        service.toys.frames.put_nowait(given)

    await answer(service, wire, last_event_id(b"12"))

    data = b'{"event":"toy.resync_required","sequence":20,"data":{"reason":"invalid_request"}}'
    resync = b"id: 20\nevent: toy.resync_required\ndata: " + data + b"\n\n"
    assert (wire.status, wire.body) == (200, resync + ACKNOWLEDGED + block(21))
    assert service.toys.calls == [("toy.watch", 0)]


@pytest.mark.parametrize(
    ("headers", "error", "status", "code"),
    [
        ([last_event_id(b"x")], None, 400, "invalid_request"),
        ([last_event_id(b"-1")], None, 400, "invalid_request"),
        ([last_event_id(b"")], None, 400, "invalid_request"),
        ([last_event_id(b"1" * 19)], None, 400, "invalid_request"),
        ([(b"authorization", b"Bearer x")], None, 403, "forbidden"),
        ([(b"authorization", b"x")], None, 400, "invalid_request"),
        ([], LimitExceeded("full"), 429, "limit_exceeded"),
        ([], ZeroDivisionError("a secret"), 500, "internal"),
    ],
)
async def test_a_stream_that_cannot_begin_is_answered_with_an_error_object(
    headers: Any, error: Exception | None, status: int, code: str
) -> None:
    service, wire = ToyService(), Wire()
    service.toys.before_acknowledgement = error

    await answer(service, wire, *headers)

    assert (wire.status, wire.json["code"]) == (status, code)
    assert "secret" not in wire.json["message"]
    assert wire.headers[b"content-type"] == b"application/json"


@pytest.mark.parametrize("error", [Unavailable("over", sequence=3), ZeroDivisionError("a secret")])
async def test_a_stream_that_fails_underway_breaks_off_and_says_nothing_more(
    error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    service, wire = ToyService(), Wire()
    service.toys.frames.put_nowait(error)

    with caplog.at_level(logging.ERROR):
        await answer(service, wire)

    assert wire.body == ACKNOWLEDGED
    assert wire.sent[-1]["more_body"] is True
    logged = [r.getMessage() for r in caplog.records]
    assert logged == ["stream toy.watch failed"] * isinstance(error, ZeroDivisionError)


async def test_a_client_that_hangs_up_ends_its_stream() -> None:
    service, wire = ToyService(), Wire()

    async with streaming(service, wire):
        wire.put({"type": "http.request"})
        wire.put(HUNG_UP)

    assert service.toys.left.is_set()


@pytest.mark.parametrize("broken", [OSError("gone"), RuntimeError("closed")])
async def test_a_connection_that_breaks_while_a_frame_is_sent_ends_the_stream(
    broken: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    service, wire = ToyService(), Wire()

    async with streaming(service, wire):
        wire.broken = broken
        service.toys.frames.put_nowait(frame(1))

    assert (wire.body, service.toys.left.is_set()) == (ACKNOWLEDGED, True)
    assert caplog.records == []


@pytest.mark.parametrize("broken", [OSError("gone"), RuntimeError("closed")])
async def test_a_connection_that_breaks_at_the_end_is_no_failure(
    broken: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    service, wire = ToyService(), Wire()

    async with streaming(service, wire):
        wire.broken = broken
        service.toys.frames.put_nowait(b"")

    assert caplog.records == []


async def test_a_silent_stream_is_kept_alive(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sse, "KEEP_ALIVE_S", 0.001)
    service, wire = ToyService(), Wire()

    async with streaming(service, wire):
        await wire.until(lambda: wire.body.count(b": keep-alive\n\n") >= 2)
        wire.put(HUNG_UP)

    assert wire.body.replace(b": keep-alive\n\n", b"") == ACKNOWLEDGED


async def test_a_dead_connection_shows_itself_at_a_keep_alive(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sse, "KEEP_ALIVE_S", 0.001)
    service, wire = ToyService(), Wire()

    async with streaming(service, wire):
        wire.broken = OSError("gone")

    assert service.toys.left.is_set()


async def test_a_stream_ends_at_the_next_frame_when_its_token_is_revoked() -> None:
    service, wire = ToyService(), Wire()
    bearer = (b"authorization", b"Bearer " + service.secret(Scope.READ).encode())

    async with streaming(service, wire, bearer):
        service.toys.frames.put_nowait(frame(1))
        await wire.until(lambda: block(1) in wire.body)
        service.tokens.revoke(service.tokens.list()[0].id)
        service.toys.frames.put_nowait(frame(2))

    assert wire.body == ACKNOWLEDGED + block(1)
    assert wire.sent[-1]["more_body"] is False
