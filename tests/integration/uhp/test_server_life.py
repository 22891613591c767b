"""Starting, stopping and refusing to start, with the real service."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.live import LiveServer, command_line, wait_gone


@contextmanager
def started(live: LiveServer) -> Iterator[LiveServer]:
    """Run a server for the body of the `with`."""
    live.start()
    try:
        yield live
    finally:
        live.stop()


def test_twenty_starts_at_once_leave_one_server(short_tmp: Path) -> None:
    live = LiveServer(short_tmp)
    words = [sys.executable, "-m", "luvus_service", "start"]
    starts = [
        subprocess.Popen(words, env=live.env, cwd=short_tmp, stdout=subprocess.PIPE)
        for _ in range(20)
    ]
    try:
        codes = [start.wait(60) for start in starts]
        pids = live.pids()
    finally:
        for start in starts:
            assert start.stdout is not None
            start.stdout.close()
        live.stop()

    assert codes == [0] * 20
    assert len(pids) == 2


def test_sigterm_answers_what_is_under_way_and_ends_within_three_seconds(
    short_tmp: Path,
) -> None:
    live = LiveServer(short_tmp)
    with subprocess.Popen(
        [sys.executable, "-m", "luvus_service", "start", "--foreground"],
        env=live.env,
        cwd=short_tmp,
        stdout=subprocess.PIPE,
    ) as foreground:
        assert foreground.stdout is not None
        assert b"ready" in foreground.stdout.readline()
        live.wait_text("1", "$")
        inode = live.socket.stat().st_ino
        with live.stream("tab.new") as under_way, live.stream("events.subscribe") as events:
            assert events.line()
            foreground.send_signal(signal.SIGTERM)
            answer = under_way.line()
            tail = list(events.lines())

        assert foreground.wait(3) == 0
    assert answer is not None
    assert answer["result"]["tab"] == "2"
    assert isinstance(tail, list)
    assert live.pids() == []
    assert not live.socket.exists()

    with started(live):
        assert live.socket.stat().st_ino != inode


def test_a_stale_socket_file_after_kill_9_of_everything_is_replaced(short_tmp: Path) -> None:
    live = LiveServer(short_tmp)
    live.start()
    pids = live.pids()
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
    for pid in pids:
        wait_gone(pid)
    assert live.socket.exists()

    with started(live):
        assert live.call("ping")["type"] == "pong"


def test_a_home_with_a_path_of_two_hundred_characters_works_through_its_alias(
    short_tmp: Path,
) -> None:
    home = short_tmp / ("x" * 90) / ("y" * 90)
    live = LiveServer(home)
    live.folder = short_tmp
    live.start()
    try:
        found = json.loads(command_line(live, "server", "status").stdout)
        assert found["running"] is True
        assert found["socket_path"] == str(home / "luvus.sock")
        alias = Path(found["address"])
        assert alias.parent == Path(f"/tmp/luvus-{os.getuid()}")
        assert alias.stat().st_mode & 0o777 == 0o600
        live.socket = alias
        assert live.call("pane.list")["panes"][0]["pane"] == "1"
    finally:
        live.socket = Path(f"/tmp/luvus-{os.getuid()}") / alias.name
        live.stop()
    assert not alias.exists()


@pytest.mark.parametrize(("mode", "word"), [(0o770, "write"), (0o777, "write")])
def test_a_home_that_others_may_write_to_is_refused_and_left_alone(
    short_tmp: Path, mode: int, word: str
) -> None:
    home = short_tmp / "home"
    home.mkdir()
    home.chmod(mode)
    live = LiveServer(home)

    done = live.python("-m", "luvus_service", "start")

    assert done.returncode == 1
    assert word in done.stderr
    assert "chmod 700" in done.stderr
    assert list(home.iterdir()) == []


def test_a_home_of_somebody_else_is_refused(short_tmp: Path) -> None:
    if os.getuid() != 0:
        pytest.skip("only root can give a folder away")
    home = short_tmp / "home"
    home.mkdir(mode=0o700)
    os.chown(home, 12345, 12345)
    live = LiveServer(home)

    done = live.python("-m", "luvus_service", "start")

    assert done.returncode == 1
    assert "12345" in done.stderr
    assert list(home.iterdir()) == []


def test_named_sessions_are_apart(short_tmp: Path) -> None:
    one, two = LiveServer(short_tmp), LiveServer(short_tmp, session="review")
    with started(one), started(two):
        one.call("tab.new")

        assert two.call("ping")["session"] == "review"
        assert len(two.call("tab.list")["tabs"]) == 1
        two.call("pane.run", {"command": 'echo "in $LUVUS_SESSION."'})
        two.wait_text("1", "in review.")


def test_a_restart_from_the_command_line_keeps_the_programs(short_tmp: Path) -> None:
    with started(LiveServer(short_tmp)) as live:
        live.wait_text("1", "$")
        live.call("pane.run", {"pane": 1, "command": "mark=kept-$((40+2))"})
        before = live.call("session.snapshot")

        done = command_line(live, "server", "restart")

        assert done.returncode == 0, done.stderr
        after = live.call("session.snapshot")
        assert after["server_generation"] != before["server_generation"]
        live.call("pane.run", {"pane": 1, "command": "echo $mark"})
        live.wait_text("1", "\nkept-42")


def test_server_stop_ends_every_program(short_tmp: Path) -> None:
    live = LiveServer(short_tmp)
    live.start()
    live.call("pane.run", {"command": f"echo $$ > {short_tmp}/pid; exec sleep 300"})
    live.call("wait.output", {"pane": "1", "match": "sleep 300", "timeout_s": 5})
    while not (short_tmp / "pid").exists() or not (short_tmp / "pid").read_text().strip():
        live.call("ping")
    pid = int((short_tmp / "pid").read_text())

    live.stop()

    wait_gone(pid)
    assert live.pids() == []
