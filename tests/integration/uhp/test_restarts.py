"""A session after a stop, a crash and a reboot, on a real server with real shells."""

from __future__ import annotations

import os
import resource
import select
import signal
import socket
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.support.live import LiveServer, wait_gone

WAIT_S = 15.0


def until(condition: Callable[[], bool], what: str) -> None:
    """Return when something that another process does has happened."""
    deadline = time.monotonic() + WAIT_S
    while not condition():
        assert time.monotonic() < deadline, f"{what} did not happen"
        select.select([], [], [], 0.02)


def answers(live: LiveServer) -> bool:
    """Say whether a server listens; its socket may be the one of a server that was killed."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        return probe.connect_ex(str(live.socket)) == 0


def stored(home: Path, kind: str) -> list[bytes]:
    with closing(sqlite3.connect(home / "session.db")) as connection:
        query = "SELECT body FROM record WHERE kind = ?"
        return [bytes(row[0]) for row in connection.execute(query, (kind,))]


def is_stored(home: Path, kind: str, text: bytes) -> bool:
    return any(text in body for body in stored(home, kind))


def shape(live: LiveServer) -> list[Any]:
    """Return what of a session must come back."""
    snapshot = live.call("session.snapshot")
    return [
        (
            workspace["workspace_id"],
            workspace["name"],
            workspace["active"],
            [
                (tab["tab_id"], tab["name"], tab["active"], [p["cwd"] for p in tab["panes"]])
                for tab in workspace["tabs"]
            ],
        )
        for workspace in snapshot["workspaces"]
    ]


def furnish(live: LiveServer) -> None:
    """Open workspaces, tabs and panes, one of them elsewhere and with a text."""
    (live.home / "api").mkdir()
    live.call("workspace.open", {"path": str(live.home / "api")})
    live.call("pane.split", {"pane": 2, "direction": "right"})
    live.call("tab.new")
    live.call("tab.rename", {"tab": 2, "name": "build"})
    live.call("pane.rename", {"pane": 3, "name": "tests"})
    live.call("pane.run", {"pane": 3, "command": "cd /usr; echo 'I was ''three'"})
    live.wait_text("3", "\nI was three")
    live.call("workspace.focus", {"workspace": 0})


def pane_named(live: LiveServer, name: str) -> str:
    rows = [
        pane
        for workspace in live.call("session.snapshot")["workspaces"]
        for tab in workspace["tabs"]
        for pane in tab["panes"]
    ]
    found = [
        row["pane_id"]
        for row in rows
        if live.call("pane.get", {"pane": row["pane_id"]})["name"] == name
    ]
    assert len(found) == 1
    return str(found[0])


def test_after_a_stop_the_session_comes_back_with_new_shells_below_the_old_screens(
    live: LiveServer,
) -> None:
    furnish(live)
    before = shape(live)
    live.stop()

    live.start()

    assert shape(live) == before
    pane = pane_named(live, "tests")
    live.call("pane.run", {"pane": pane, "command": "pwd"})
    live.wait_text(pane, "\n/usr\n")
    lines = live.call("pane.read", {"pane": pane})["text"].splitlines()
    said = lines.index("I was three")
    separator = next(i for i, line in enumerate(lines) if line.startswith("── restored from "))
    assert said < separator < lines.index("/usr")


def test_old_screens_survive_a_crash_right_after_they_came_back(live: LiveServer) -> None:
    furnish(live)
    live.stop()
    live.start()
    pane = pane_named(live, "tests")

    live.kill()
    until(lambda: answers(live), "the start of a new server")
    live.wait_text(pane, "I was three")

    assert "── restored from " in live.call("pane.read", {"pane": pane})["text"]


@pytest.mark.timeout(40)
def test_after_a_power_cut_the_last_checkpoint_comes_back(live: LiveServer) -> None:
    furnish(live)
    before = shape(live)
    until(lambda: is_stored(live.home, "layout", b'"tests"'), "a checkpoint")
    until(lambda: is_stored(live.home, "screen", b"I was three"), "a stored screen")
    until(lambda: is_stored(live.home, "layout", b'"/usr"'), "a stored folder")
    pids = live.pids()
    # Halted first, so that neither can do anything about the end of the other.
    for number in (signal.SIGSTOP, signal.SIGKILL):
        for pid in pids:
            os.kill(pid, number)
    for pid in pids:
        wait_gone(pid)

    live.start()

    assert shape(live) == before
    assert "I was three" in live.call("pane.read", {"pane": pane_named(live, "tests")})["text"]


def test_shells_that_a_shutdown_ends_first_come_back(live: LiveServer) -> None:
    furnish(live)
    before = shape(live)
    until(lambda: is_stored(live.home, "layout", b'"tests"'), "a checkpoint")
    server = live.server_pid()
    shells = [
        int(entry.name)
        for entry in Path("/proc").iterdir()
        if entry.name.isdigit() and _is_shell(entry, live.home)
    ]
    assert len(shells) == 4
    for pid in shells:
        os.kill(pid, signal.SIGHUP)
    until(lambda: len(shape(live)) == 1, "the end of the panes")
    hosts = live.pids()
    os.kill(server, signal.SIGTERM)
    for pid in hosts:
        wait_gone(pid)

    live.start()

    folders = [(w[0], [len(tab[3]) for tab in w[3]]) for w in shape(live)]
    assert folders == [(w[0], [len(tab[3]) for tab in w[3]]) for w in before]


def test_a_crash_of_the_server_alone_keeps_the_very_programs(live: LiveServer) -> None:
    live.call("pane.split")
    live.call("pane.run", {"pane": 2, "command": "echo my pid is $$."})
    live.wait_text("2", "\nmy pid is ")
    before = [
        p["terminal_id"] for p in live.call("session.snapshot")["workspaces"][0]["tabs"][0]["panes"]
    ]

    live.kill()
    until(lambda: answers(live), "the start of a new server")
    live.wait_text("2", "\nmy pid is ")

    after = [
        p["terminal_id"] for p in live.call("session.snapshot")["workspaces"][0]["tabs"][0]["panes"]
    ]
    assert after == before
    assert "restored from" not in live.call("pane.read", {"pane": 2})["text"]


@pytest.mark.timeout(40)
def test_a_full_disk_is_logged_once_and_the_server_goes_on(live: LiveServer) -> None:
    until(lambda: bool(stored(live.home, "layout")), "a checkpoint")
    server = live.server_pid()
    limit = 100_000
    resource.prlimit(server, resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
    live.call("pane.run", {"pane": 1, "command": f"yes {'x' * 99} | head -n 5000; echo 'do''ne'"})
    live.wait_text("1", "\ndone")
    live.call("pane.split")

    log = live.home / "server.log"
    until(lambda: "is not stored" in log.read_text(), "a report in the log")
    for _ in range(3):
        live.call("pane.split")
    assert live.call("ping")["type"] == "pong"

    resource.prlimit(server, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
    live.stop()
    assert log.read_text().count("is not stored") == 1
    live.start()
    assert [len(tab[3]) for tab in shape(live)[0][3]] == [5]


def test_a_terminal_comes_back_with_its_label_only_when_it_was_made_to(live: LiveServer) -> None:
    for label, restore in (("first", True), ("second", False)):
        live.call(
            "terminal.backend.create",
            {
                "placement": {"kind": "workspace"},
                "label": label,
                "restore": restore,
                "focus": False,
                "cwd": str(live.home),
                "command": ["/bin/sh", "-c", "cat"],
            },
        )
    pids = live.pids()
    os.kill(live.server_pid(), signal.SIGTERM)
    for pid in pids:
        wait_gone(pid)

    live.start()

    rows = live.call("terminal.backend.inventory")["terminals"]
    assert [(row["label"], row["restore"]) for row in rows] == [(None, True), ("first", True)]


@pytest.mark.parametrize("content", [b"", b"This is no database. " * 50])
def test_a_broken_database_does_not_keep_the_server_from_starting(
    short_tmp: Path, content: bytes
) -> None:
    (short_tmp / "session.db").write_bytes(content)
    live = LiveServer(short_tmp)
    live.start()
    try:
        assert len(live.call("workspace.list")["workspaces"]) == 1
        kept = short_tmp / "session.db.broken-1"
        assert (kept.read_bytes() if kept.exists() else b"") == content
    finally:
        live.stop()


def _is_shell(entry: Path, home: Path) -> bool:
    try:
        command = (entry / "cmdline").read_bytes()
        environment = (entry / "environ").read_bytes()
    except OSError:
        return False
    return command.startswith(b"/bin/sh") and f"LUVUS_SOCKET_PATH={home}/".encode() in environment
