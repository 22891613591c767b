from __future__ import annotations

import asyncio
import json
import socketserver
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from luvus_client import Event, Resync
from luvus_client.errors import (
    AnswerTimeout,
    BadAnswer,
    Forbidden,
    NotFound,
    NotRunning,
    UnsafeEndpoint,
)
from luvus_client.http import AsyncHttpClient, HttpClient
from luvus_client.wire import FRAME_LIMIT
from tests.integration.clients.fake_server import event

Answer = Callable[["Handler", dict[str, Any]], None]


class Handler(BaseHTTPRequestHandler):
    server: HttpServer

    def address_string(self) -> str:
        return "unix"

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def say(self, status: int, body: bytes, kind: str = "application/json") -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self) -> None:
        length = int(self.headers["content-length"])
        self._answer(json.loads(self.rfile.read(length)))

    def do_GET(self) -> None:
        self._answer({"last": self.headers["last-event-id"]})

    def _answer(self, params: dict[str, Any]) -> None:
        self.server.asked.append((self.path, params, self.headers["authorization"]))
        if self.path.endswith("uhp.capabilities"):
            self.say(200, json.dumps({"event_sequence": self.server.fence}).encode())
        else:
            self.server.answers.pop(0)(self, params)


class HttpServer(socketserver.ThreadingUnixStreamServer):
    daemon_threads = False

    def __init__(self, path: Path) -> None:
        self.asked: list[tuple[str, dict[str, Any], str | None]] = []
        self.answers: list[Answer] = []
        self.fence = 4
        super().__init__(str(path), Handler)
        path.chmod(0o600)


@pytest.fixture
def server(home: Path) -> Iterator[HttpServer]:
    found = HttpServer(home / "http.sock")
    thread = threading.Thread(target=found.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield found
    found.shutdown()
    found.server_close()
    thread.join(10)


def sync_call(method: str, params: dict[str, object], **options: Any) -> dict[str, Any]:
    with HttpClient(timeout=0.5, **options) as client:
        return client.call(method, params)


def async_call(method: str, params: dict[str, object], **options: Any) -> dict[str, Any]:
    async def run() -> dict[str, Any]:
        async with AsyncHttpClient(timeout=0.5, **options) as client:
            return await client.call(method, params)

    return asyncio.run(run())


def sync_events(count: int, **options: Any) -> list[Event | Resync]:
    with HttpClient(timeout=2) as client:
        events = client.events(**options)
        return [next(events) for _ in range(count)]


def async_events(count: int, **options: Any) -> list[Event | Resync]:
    async def run() -> list[Event | Resync]:
        async with AsyncHttpClient(timeout=2) as client:
            events = client.events(**options)
            found = [await anext(events) for _ in range(count)]
            await events.aclose()  # type: ignore[attr-defined]
            return found

    return asyncio.run(run())


@pytest.fixture(params=[sync_call, async_call], ids=["sync", "async"])
def call(request: pytest.FixtureRequest) -> Callable[..., dict[str, Any]]:
    found: Callable[..., dict[str, Any]] = request.param
    return found


@pytest.fixture(params=[sync_events, async_events], ids=["sync", "async"])
def follow(request: pytest.FixtureRequest) -> Callable[..., list[Event | Resync]]:
    found: Callable[..., list[Event | Resync]] = request.param
    return found


def says(status: int, body: bytes) -> Answer:
    return lambda handler, _: handler.say(status, body)


def test_a_call_returns_its_result(server: HttpServer, call: Any) -> None:
    server.answers = [says(200, b'{"type":"ok"}')]

    assert call("pane.split", {"pane": "7"}, token="luv_tok_1") == {"type": "ok"}
    assert server.asked == [("/uhp/v1/pane.split", {"pane": "7"}, "Bearer luv_tok_1")]


def test_a_refusal_is_raised_as_its_class(server: HttpServer, call: Any) -> None:
    server.answers = [says(404, b'{"code":"not_found","message":"no pane 9"}')]

    with pytest.raises(NotFound, match="no pane 9"):
        call("x", {})


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (502, b"{}"),
        (200, b"[]"),
        (200, b'{"a":1,"a":2}'),
        (200, b'{"a":"' + b"x" * FRAME_LIMIT + b'"}'),
    ],
    ids=["no error object", "a list", "repeated keys", "too large"],
)
def test_what_is_no_answer_is_refused(
    server: HttpServer, call: Any, status: int, body: bytes
) -> None:
    server.answers = [says(status, body)]

    with pytest.raises(BadAnswer):
        call("x", {})


def test_a_missing_a_silent_and_an_open_server_are_told_apart(home: Path, call: Any) -> None:
    with pytest.raises(NotRunning):
        call("x", {})

    silent = HttpServer(home / "http.sock")
    with pytest.raises(AnswerTimeout) as caught:
        call("x", {})
    assert caught.value.possibly_executed

    (home / "http.sock").chmod(0o666)
    with pytest.raises(UnsafeEndpoint):
        call("x", {})

    silent.server_close()


# httpcore leaves the socket of a refused connection to the garbage collector.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_socket_that_nobody_listens_on_is_no_server(home: Path, call: Any) -> None:
    HttpServer(home / "http.sock").server_close()

    with pytest.raises(NotRunning):
        call("x", {})


def sse(*frames: bytes) -> Answer:
    def answer(handler: Handler, _: dict[str, Any]) -> None:
        blocks = [b": hello\n\n"]
        for raw in frames:
            found = json.loads(raw)
            head = f"id: {found['sequence']}\nevent: {found['event']}\n".encode()
            blocks.append(head + b"data: " + raw.rstrip() + b"\n\n")
        handler.say(200, b"".join(blocks), "text/event-stream")

    return answer


def created(sequence: int) -> Event:
    return Event(sequence, "pane.created", {})


def test_events_begin_where_the_server_is_and_continue(server: HttpServer, follow: Any) -> None:
    server.answers = [sse(event(5), event(6)), sse(event(7))]

    assert follow(3) == [created(5), created(6), created(7)]
    assert [params for path, params, _ in server.asked if path.endswith("events")] == [
        {"last": "4"},
        {"last": "6"},
    ]


def test_an_announced_loss_is_an_item_and_the_stream_goes_on(
    server: HttpServer, follow: Any
) -> None:
    lost = event(90, "events.resync_required", reason="resync_required")
    server.answers = [sse(lost, event(91), event(93))]

    assert follow(4, after_sequence=1) == [
        Resync(90, "resync_required"),
        created(91),
        Resync(93, "gap"),
        created(93),
    ]


def test_a_refused_subscription_is_raised(server: HttpServer, follow: Any) -> None:
    server.answers = [says(403, b'{"code":"forbidden","message":"expired"}')]

    with pytest.raises(Forbidden):
        follow(1)


def test_what_is_no_event_stream_is_refused(server: HttpServer, follow: Any) -> None:
    server.answers = [says(200, b"{}")]

    with pytest.raises(BadAnswer):
        follow(1)
