"""A start that finds a session whose host is on its way out takes its place, at whatever moment."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from luvus_service import launch
from luvus_service.adapters.ptyhost.lock import take_lock
from luvus_service.adapters.ptyhost.watchers import bind_owner_only
from luvus_service.adapters.ptyhost.wire import Channel
from luvus_service.settings import Settings
from tests.support.live import LiveServer


@contextmanager
def leaving_host(
    live: LiveServer, states: Sequence[str], *, unlocks_first: bool
) -> Iterator[threading.Thread]:
    """Hold the session, tell the first who comes these states, and go away."""
    settings = Settings.from_mapping({"LUVUS_HOME": str(live.home), "HOME": str(live.home)})
    lock = take_lock(settings.lock_path)
    assert lock is not None
    listener = bind_owner_only(settings.host_address)

    def host() -> None:
        sock, _ = listener.accept()
        settings.host_path.unlink()
        listener.close()
        channel = Channel(sock)
        for state in states:
            channel.send({"op": "status", "state": state, "code": None, "signal": None})
        if unlocks_first:
            os.close(lock)
            channel.close()
        else:
            channel.close()
            os.close(lock)

    thread = threading.Thread(target=host)
    thread.start()
    try:
        yield thread
    finally:
        thread.join(10)


@pytest.mark.parametrize("unlocks_first", [True, False])
@pytest.mark.parametrize(
    "states",
    [(), ("starting",), ("failed",), ("stopping",), ("stopping", "stopped"), ("stopped",)],
    ids=lambda states: "-".join(states) or "nothing",
)
def test_a_host_that_leaves_without_an_answer_is_followed_by_a_new_one(
    short_tmp: Path, states: tuple[str, ...], unlocks_first: bool
) -> None:
    live = LiveServer(short_tmp)
    try:
        with leaving_host(live, states, unlocks_first=unlocks_first):
            live.start()
        assert live.call("ping")["type"] == "pong"
    finally:
        live.stop()


def test_a_server_that_starts_slowly_is_waited_for_by_whoever_comes_second(
    short_tmp: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(launch, "JOIN_WAIT_S", 0.2)
    settings = Settings.from_mapping({"LUVUS_HOME": str(short_tmp), "HOME": str(short_tmp)})
    lock = take_lock(settings.lock_path)
    assert lock is not None
    codes: list[int] = []

    def second() -> None:
        codes.append(launch.start(settings, ("/bin/false",), foreground=False))

    with bind_owner_only(settings.host_address) as listener:
        joiner = threading.Thread(target=second)
        joiner.start()
        listener.settimeout(10)
        channel = Channel(listener.accept()[0])
        channel.send({"op": "status", "state": "starting"})
        joiner.join(1)
        before = joiner.is_alive()
        channel.send({"op": "status", "state": "ready", "server_pid": 1})
        joiner.join(10)
    channel.close()
    os.close(lock)

    assert (before, codes) == (True, [0])


def test_a_host_that_hangs_up_on_everybody_is_given_up_and_not_run_into(
    short_tmp: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a host does that has no place for one more who waits."""
    monkeypatch.setattr(launch, "JOIN_WAIT_S", 0.5)
    settings = Settings.from_mapping({"LUVUS_HOME": str(short_tmp), "HOME": str(short_tmp)})
    lock = take_lock(settings.lock_path)
    assert lock is not None
    came: list[int] = []

    def hang_up(listener: socket.socket) -> None:
        with suppress(OSError):
            while True:
                listener.accept()[0].close()
                came.append(1)

    with bind_owner_only(settings.host_address) as listener:
        host = threading.Thread(target=hang_up, args=(listener,))
        host.start()
        try:
            with pytest.raises(launch.LaunchError, match="did not answer"):
                launch.start(settings, ("/bin/false",), foreground=False)
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            host.join(10)
    os.close(lock)

    assert 1 <= len(came) <= 0.5 / 0.02 + 1


def test_starts_at_any_moment_of_a_stop_end_with_a_server(short_tmp: Path) -> None:
    live = LiveServer(short_tmp)
    live.start()
    try:
        for _ in range(8):
            live.answer("server.stop", {})
            live.start()
            assert live.call("ping")["type"] == "pong"
    finally:
        live.stop()
