from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from luvus_client import AsyncLuvusClient, Event, LuvusClient, Resync
from luvus_client.errors import BadAnswer, Forbidden, NotRunning
from tests.integration.clients.fake_server import FakeServer, acknowledged, error, event, line

Items = list[Event | Resync]
Follow = Callable[..., Items]


def take(count: int, **options: Any) -> Items:
    with LuvusClient(timeout=2).events(**options) as feed:
        return [next(feed) for _ in range(count)]


def take_async(count: int, **options: Any) -> Items:
    async def follow() -> Items:
        async with AsyncLuvusClient(timeout=2).events(**options) as feed:
            return [await anext(feed) for _ in range(count)]

    return asyncio.run(follow())


@pytest.fixture(params=[take, take_async], ids=["sync", "async"])
def follow(request: pytest.FixtureRequest) -> Follow:
    found: Follow = request.param
    return found


class Script:
    """Serves one connection after another, each by the next step."""

    def __init__(self, *steps: Callable[[dict[str, Any], socket.socket], None]) -> None:
        self._steps: Iterator[Callable[[dict[str, Any], socket.socket], None]] = iter(steps)

    def __call__(self, request: dict[str, Any], connection: socket.socket) -> None:
        next(self._steps)(request, connection)


def serves(
    fence: int, *frames: bytes, stays: bool = False
) -> Callable[[dict[str, Any], socket.socket], None]:
    def step(request: dict[str, Any], connection: socket.socket) -> None:
        connection.sendall(acknowledged(request, fence) + b"".join(frames))
        if stays:
            connection.recv(1)

    return step


def refuses(code: str, **extra: Any) -> Callable[[dict[str, Any], socket.socket], None]:
    def step(request: dict[str, Any], connection: socket.socket) -> None:
        connection.sendall(error(request, code, **extra))

    return step


def sent(server: FakeServer) -> list[dict[str, Any]]:
    return [request["params"] for request in server.requests]


def created(sequence: int) -> Event:
    return Event(sequence, "pane.created", {})


def test_events_continue_after_the_server_ends_the_stream(home: Path, follow: Follow) -> None:
    script = Script(serves(4, event(5), event(6)), serves(7, event(7), event(8), stays=True))
    with FakeServer(home / "luvus.sock", script) as server:
        assert follow(4) == [created(5), created(6), created(7), created(8)]

    assert sent(server) == [{}, {"after_sequence": 6}]


def test_a_given_cursor_and_names_are_followed(home: Path, follow: Follow) -> None:
    script = Script(serves(3, event(2), event(3, "task.added"), event(4), stays=True))
    with FakeServer(home / "luvus.sock", script) as server:
        found = follow(1, after_sequence=1, names=["task.added"])

    assert found == [Event(3, "task.added", {})]
    assert sent(server) == [{"after_sequence": 1}]


def test_half_a_line_is_read_again_and_never_shown_twice(home: Path, follow: Follow) -> None:
    script = Script(serves(0, event(1), event(2)[:-9]), serves(2, event(2), event(3), stays=True))
    with FakeServer(home / "luvus.sock", script) as server:
        assert follow(3) == [created(1), created(2), created(3)]

    assert sent(server) == [{}, {"after_sequence": 1}]


def test_a_window_that_is_gone_is_an_item_and_the_feed_goes_on(home: Path, follow: Follow) -> None:
    script = Script(
        serves(0, event(1)), refuses("resync_required", sequence=900), serves(901, event(902))
    )
    with FakeServer(home / "luvus.sock", script) as server:
        assert follow(3) == [created(1), Resync(901, "resync_required"), created(902)]

    assert sent(server) == [{}, {"after_sequence": 1}, {}]


def test_a_cursor_newer_than_the_server_is_an_item(home: Path, follow: Follow) -> None:
    script = Script(refuses("invalid_params", sequence=2), serves(2, event(3)))
    with FakeServer(home / "luvus.sock", script) as server:
        assert follow(2, after_sequence=50) == [Resync(2, "cursor_newer"), created(3)]

    assert sent(server) == [{"after_sequence": 50}, {}]


def test_an_overflow_frame_is_an_item(home: Path, follow: Follow) -> None:
    lost = event(300, "events.resync_required", reason="subscriber_overflow")
    script = Script(serves(0, event(1), lost), serves(301, event(2), stays=True))
    with FakeServer(home / "luvus.sock", script):
        assert follow(3) == [created(1), Resync(300, "subscriber_overflow"), created(2)]


def test_a_restarted_server_is_an_item_although_its_sequence_would_fit(
    home: Path, follow: Follow
) -> None:
    second: list[FakeServer] = []

    def ends_and_is_followed(request: dict[str, Any], connection: socket.socket) -> None:
        serves(0, event(1))(request, connection)
        (home / "luvus.sock").unlink()
        second.append(FakeServer(home / "luvus.sock", serves(7, event(8), stays=True)))

    with FakeServer(home / "luvus.sock", ends_and_is_followed):
        assert follow(3) == [created(1), Resync(7, "server_restarted"), created(8)]
        assert sent(second[0]) == [{}]
        second[0].close()


def test_a_busy_server_is_tried_again_after_it_was_reached(home: Path, follow: Follow) -> None:
    script = Script(
        serves(0, event(1)), refuses("unavailable"), refuses("server_busy"), serves(1, event(2))
    )
    with FakeServer(home / "luvus.sock", script):
        assert follow(2) == [created(1), created(2)]


def test_a_token_that_expired_ends_the_feed(home: Path, follow: Follow) -> None:
    script = Script(serves(0, event(1)), refuses("forbidden"))
    with FakeServer(home / "luvus.sock", script), pytest.raises(Forbidden):
        follow(2)


def test_a_server_that_never_was_there_is_raised_at_once(home: Path, follow: Follow) -> None:
    with pytest.raises(NotRunning):
        follow(1)


def test_a_server_that_stays_away_is_given_up(home: Path, follow: Follow) -> None:
    def vanishes(request: dict[str, Any], connection: socket.socket) -> None:
        serves(0, event(1))(request, connection)
        (home / "luvus.sock").unlink()

    with FakeServer(home / "luvus.sock", vanishes), pytest.raises(NotRunning):
        follow(2, give_up_after=0.3)


@pytest.mark.parametrize("garbage", [b"what?\n", line({"event": "x", "data": {}})])
def test_garbage_ends_the_feed(home: Path, follow: Follow, garbage: bytes) -> None:
    with FakeServer(home / "luvus.sock", Script(serves(0, garbage))), pytest.raises(BadAnswer):
        follow(1)


def test_closing_from_another_thread_ends_the_iteration(home: Path) -> None:
    with FakeServer(home / "luvus.sock", Script(serves(0, event(1), stays=True))):
        feed = LuvusClient().events()
        assert next(feed) == created(1)
        found: Items = []
        reader = threading.Thread(target=lambda: found.extend(feed))
        reader.start()
        feed.close()
        reader.join(10)

    assert not reader.is_alive() and found == []


async def test_closing_an_asynchronous_feed_ends_its_reader(home: Path) -> None:
    with FakeServer(home / "luvus.sock", Script(serves(0, event(1), stays=True))):
        feed = AsyncLuvusClient().events()
        assert await anext(feed) == created(1)

        async with asyncio.timeout(10), asyncio.TaskGroup() as group:
            reading = group.create_task(_collect(feed))
            await asyncio.sleep(0)
            await feed.aclose()

        assert reading.result() == []


async def _collect(feed: Any) -> Items:
    return [item async for item in feed]


def test_closing_releases_the_socket(home: Path) -> None:
    ended = threading.Event()

    def serve(request: dict[str, Any], connection: socket.socket) -> None:
        connection.sendall(acknowledged(request, 0) + event(1))
        assert connection.recv(1) == b""
        ended.set()

    with FakeServer(home / "luvus.sock", serve):
        with LuvusClient().events() as feed:
            next(feed)
        assert ended.wait(10)
