from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from luvus_client import AsyncLuvusClient, LuvusClient
from luvus_client.errors import (
    AnswerTimeout,
    BadAnswer,
    ConnectionLost,
    NotFound,
    NotRunning,
    RequestRefused,
    ServerBusy,
    ServerChanged,
    UnsafeEndpoint,
)
from luvus_client.wire import FRAME_LIMIT
from tests.integration.clients.fake_server import FakeServer, Reply, error, event, line, result

Call = Callable[[str, dict[str, object]], dict[str, Any]]


@pytest.fixture(params=["sync", "async"])
def call(request: pytest.FixtureRequest) -> Call:
    """The same call through either client, with a short time-out."""

    def sync_call(method: str, params: dict[str, object]) -> dict[str, Any]:
        return LuvusClient(timeout=0.5).call(method, params)

    def async_call(method: str, params: dict[str, object]) -> dict[str, Any]:
        return asyncio.run(AsyncLuvusClient(timeout=0.5).call(method, params))

    return sync_call if request.param == "sync" else async_call


def says(*pieces: bytes) -> Reply:
    def reply(_: dict[str, Any], connection: socket.socket) -> None:
        for piece in pieces:
            connection.sendall(piece)

    return reply


def echo(request: dict[str, Any], connection: socket.socket) -> None:
    connection.sendall(result(request, type="echo", params=request["params"]))


def test_a_call_returns_its_result(home: Path, call: Call) -> None:
    with FakeServer(home / "luvus.sock", echo) as server:
        assert call("x.y", {"text": "é\u2028"}) == {"type": "echo", "params": {"text": "é\u2028"}}

    assert server.requests == [{"id": "1", "method": "x.y", "params": {"text": "é\u2028"}}]


def test_an_answer_in_pieces_of_one_byte_is_read_whole(home: Path, call: Call) -> None:
    raw = line({"id": "1", "result": {"text": "é" * 20}})
    with FakeServer(home / "luvus.sock", says(*(raw[i : i + 1] for i in range(len(raw))))):
        assert call("x", {}) == {"text": "é" * 20}


def test_the_largest_answer_is_read_and_a_larger_one_refused(home: Path, call: Call) -> None:
    rest = len(line({"id": "1", "result": {"t": ""}}))
    with FakeServer(home / "luvus.sock", echo) as server:
        server.reply = says(line({"id": "1", "result": {"t": "x" * (FRAME_LIMIT - rest)}}))
        assert len(call("x", {})["t"]) == FRAME_LIMIT - rest

        server.reply = says(line({"id": "1", "result": {"t": "x" * (FRAME_LIMIT - rest + 1)}}))
        with pytest.raises(BadAnswer, match="more than 1048576 bytes"):
            call("x", {})


def test_an_endless_answer_without_a_line_feed_is_refused(home: Path, call: Call) -> None:
    with (
        FakeServer(home / "luvus.sock", says(b"x" * (FRAME_LIMIT + 1))),
        pytest.raises(BadAnswer, match="more than 1048576 bytes"),
    ):
        call("x", {})


def test_a_refusal_is_raised_as_its_class(home: Path, call: Call) -> None:
    def refuse(request: dict[str, Any], connection: socket.socket) -> None:
        connection.sendall(error(request, "not_found", "no such pane: 42", pane="42"))

    with FakeServer(home / "luvus.sock", refuse), pytest.raises(NotFound) as caught:
        call("x", {})

    assert (caught.value.message, caught.value.data) == ("no such pane: 42", {"pane": "42"})


def test_without_a_socket_no_server_runs(home: Path, call: Call) -> None:
    with pytest.raises(NotRunning) as caught:
        call("ping", {})

    assert not caught.value.possibly_executed
    assert str(home / "luvus.sock") in str(caught.value)


def test_a_socket_that_nobody_listens_on_is_no_server(home: Path, call: Call) -> None:
    stale = socket.socket(socket.AF_UNIX)
    stale.bind(str(home / "luvus.sock"))
    stale.close()
    (home / "luvus.sock").chmod(0o600)

    with pytest.raises(NotRunning, match="no server accepts connections"):
        call("ping", {})


@pytest.mark.parametrize(
    ("pieces", "complaint"),
    [
        ([], "without an answer"),
        ([b'{"id":"1","result"'], "in the middle of a line"),
    ],
    ids=["nothing", "half a line"],
)
def test_a_lost_answer_says_that_the_request_may_have_run(
    home: Path, call: Call, pieces: list[bytes], complaint: str
) -> None:
    with (
        FakeServer(home / "luvus.sock", says(*pieces)),
        pytest.raises(ConnectionLost, match=complaint) as caught,
    ):
        call("x", {})

    assert caught.value.possibly_executed


@pytest.mark.parametrize("garbage", [b"\n", b"\xff\xfe\n", b"hello\n", b'{"id":"9","result":{}}\n'])
def test_garbage_is_no_answer(home: Path, call: Call, garbage: bytes) -> None:
    with FakeServer(home / "luvus.sock", says(garbage)), pytest.raises(BadAnswer) as caught:
        call("x", {})

    assert caught.value.possibly_executed


def test_a_silent_server_ends_the_wait_in_time(home: Path, call: Call) -> None:
    released = threading.Event()

    def silent(_: dict[str, Any], __: socket.socket) -> None:
        released.wait(10)

    with FakeServer(home / "luvus.sock", silent):
        with pytest.raises(AnswerTimeout, match=r"within 0\.5 s") as caught:
            call("ping", {})
        released.set()

    assert caught.value.possibly_executed


def test_a_busy_server_that_refuses_unread_is_heard(home: Path, call: Call) -> None:
    """The refusal is there before the large request can be written, and the write then fails."""
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(home / "luvus.sock"))
    (home / "luvus.sock").chmod(0o600)
    listener.listen()

    def refuse() -> None:
        connection, _ = listener.accept()
        with connection:
            connection.sendall(error({"id": "0"}, "server_busy", "80 connections", retryable=True))
            connection.shutdown(socket.SHUT_RDWR)

    thread = threading.Thread(target=refuse)
    thread.start()
    with pytest.raises(ServerBusy) as caught:
        call("x", {"text": "x" * 900_000})
    thread.join()
    listener.close()

    assert caught.value.data == {"retryable": True}


def test_a_server_that_does_not_read_is_given_up_and_nothing_ran(home: Path, call: Call) -> None:
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(home / "luvus.sock"))
    (home / "luvus.sock").chmod(0o600)
    listener.listen()

    with pytest.raises(AnswerTimeout, match="took no request") as caught:
        call("x", {"text": "x" * 900_000})
    listener.close()

    assert not caught.value.possibly_executed


def test_a_full_backlog_is_a_busy_server_and_not_a_missing_one(home: Path, call: Call) -> None:
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(home / "luvus.sock"))
    (home / "luvus.sock").chmod(0o600)
    listener.listen(0)
    waiting: list[socket.socket] = []
    while True:
        waiting.append(socket.socket(socket.AF_UNIX))
        waiting[-1].setblocking(False)
        if waiting[-1].connect_ex(str(home / "luvus.sock")):
            break

    with pytest.raises(AnswerTimeout, match="accepts no connection"):
        call("x", {})

    for sock in (*waiting, listener):
        sock.close()


@pytest.mark.parametrize(("socket_mode", "folder_mode"), [(0o666, 0o700), (0o600, 0o755)])
def test_nothing_is_sent_to_an_endpoint_that_is_not_private(
    home: Path, call: Call, socket_mode: int, folder_mode: int
) -> None:
    with FakeServer(home / "luvus.sock", echo) as server:
        server.path.chmod(socket_mode)
        home.chmod(folder_mode)
        with pytest.raises(UnsafeEndpoint):
            call("x", {})

    assert server.requests == []


def test_a_request_over_the_limit_is_refused_unsent(home: Path, call: Call) -> None:
    with (
        FakeServer(home / "luvus.sock", echo) as server,
        pytest.raises(RequestRefused, match="a frame holds 1048576"),
    ):
        call("x", {"text": "x" * FRAME_LIMIT})

    assert server.requests == []


def test_the_token_travels_with_every_request(home: Path) -> None:
    with FakeServer(home / "luvus.sock", echo) as server:
        LuvusClient(token="luv_tok_1").call("x")

    assert server.requests[0]["auth"] == "luv_tok_1"


def test_a_named_session_and_an_explicit_path_are_reached(home: Path) -> None:
    folder = home / "sessions" / "review"
    folder.mkdir(parents=True, mode=0o700)
    with FakeServer(folder / "luvus.sock", echo) as server:
        LuvusClient("review").call("one")
        LuvusClient(socket_path=server.path).call("two")

    assert [request["method"] for request in server.requests] == ["one", "two"]


def test_a_pinned_client_refuses_the_next_server(home: Path) -> None:
    pinned, free = LuvusClient(pin_server=True), LuvusClient()
    with FakeServer(home / "luvus.sock", echo):
        assert pinned.call("x") == free.call("x")
    with FakeServer(home / "luvus.sock", echo) as second:
        with pytest.raises(ServerChanged):
            pinned.call("x")
        free.call("x")

    assert len(second.requests) == 1


def streams(request: dict[str, Any], connection: socket.socket) -> None:
    connection.sendall(result(request, type="stream") + event(1) + event(2))


def test_a_stream_gives_its_acknowledgement_and_frames_and_ends(home: Path) -> None:
    with FakeServer(home / "luvus.sock", streams), LuvusClient().stream("x") as stream:
        assert stream.acknowledgement == {"type": "stream"}
        assert [frame["sequence"] for frame in stream] == [1, 2]
        assert list(stream) == []


async def test_an_asynchronous_stream_does_the_same(home: Path) -> None:
    with FakeServer(home / "luvus.sock", streams):
        async with AsyncLuvusClient().stream("x") as stream:
            assert stream.acknowledgement == {"type": "stream"}
            assert [frame["sequence"] async for frame in stream] == [1, 2]


def test_a_stream_that_breaks_off_in_a_line_says_so(home: Path) -> None:
    def broken(request: dict[str, Any], connection: socket.socket) -> None:
        connection.sendall(result(request) + b'{"event":')

    with (
        FakeServer(home / "luvus.sock", broken),
        LuvusClient().stream("x") as stream,
        pytest.raises(ConnectionLost, match="middle of a line"),
    ):
        next(stream)


def talks(request: dict[str, Any], connection: socket.socket) -> None:
    connection.sendall(result(request))
    while piece := connection.recv(100):
        connection.sendall(piece)


def test_a_stream_takes_input_and_closing_wakes_its_reader(home: Path) -> None:
    with FakeServer(home / "luvus.sock", talks):
        stream = LuvusClient().stream("x")
        stream.send({"action": "keys"})
        assert next(stream) == {"action": "keys"}

        found: list[dict[str, Any]] = []
        reader = threading.Thread(target=lambda: found.extend(stream))
        reader.start()
        stream.close()
        reader.join(10)

    assert not reader.is_alive() and found == []


async def test_closing_an_asynchronous_stream_wakes_its_reader(home: Path) -> None:
    with FakeServer(home / "luvus.sock", talks):
        stream = AsyncLuvusClient().stream("x")
        await stream.send({"action": "keys"})
        assert await anext(stream) == {"action": "keys"}

        async with asyncio.timeout(10), asyncio.TaskGroup() as group:
            reading = group.create_task(anext(stream, None))
            await asyncio.sleep(0)
            await stream.aclose()

        assert reading.result() is None


async def test_a_cancelled_call_releases_its_connection(home: Path) -> None:
    gone = threading.Event()

    def parked(_: dict[str, Any], connection: socket.socket) -> None:
        assert connection.recv(1) == b""
        gone.set()

    with FakeServer(home / "luvus.sock", parked):
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.1):
                await AsyncLuvusClient().call("x")
        assert await asyncio.to_thread(gone.wait, 10)
