"""What survives a server that is killed or crashes, with real programs in its panes."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.support.live import LiveServer
from tests.support.programs import needs

COUNTER = """
import time
for number in range(1, 1501):
    print(f"line-{number}", flush=True)
    time.sleep(0.001)
print("counted" + "-all", flush=True)
"""


def start_counting(live: LiveServer, pane: str) -> None:
    """Count to 1500 in a pane, a line for each number."""
    script = live.home / "count.py"
    script.write_text(COUNTER)
    live.call("pane.run", {"pane": pane, "command": f"{sys.executable} {script}"})


def counted(live: LiveServer, pane: str) -> list[int]:
    """Return the numbers that a pane has in its output."""
    text = live.call("pane.read", {"pane": pane, "lines": 5000})["text"]
    return [int(line[5:]) for line in text.splitlines() if line.startswith("line-")]


def wait_for_new_server(live: LiveServer, old: int) -> None:
    """Return when the pty host has started another server and it answers."""
    live.start()
    assert live.server_pid() != old


@needs("vim")
def test_after_kill_9_every_pane_is_there_and_no_output_is_missing(live: LiveServer) -> None:
    page = live.home / "page.txt"
    page.write_text("".join(f"this is row {n}\n" for n in range(1, 200)))
    live.call("pane.split")
    live.call("pane.run", {"pane": 2, "command": f"vim -u NONE -N {page}"})
    live.wait_text("2", "this is row 10")
    live.call("pane.send_input", {"pane": 2, "text": "100Gzt"})
    live.wait_text("2", "this is row 105")
    screen = live.call("pane.read", {"pane": 2, "lines": 100})["text"]
    before = live.call("session.snapshot")
    start_counting(live, "1")
    live.wait_text("1", "line-100\n")

    old = live.kill()
    wait_for_new_server(live, old)

    live.wait_text("1", "counted-all")
    assert counted(live, "1") == list(range(1, 1501))
    after = live.call("session.snapshot")
    assert after["server_generation"] != before["server_generation"]
    assert _terminals(after) == _terminals(before)
    assert live.call("pane.read", {"pane": 2, "lines": 100})["text"] == screen
    live.call("pane.send_input", {"pane": 2, "text": "ihello from after\x1b"})
    live.wait_text("2", "hello from after")


def test_a_program_that_ends_while_the_server_is_away_is_reported_with_its_code(
    live: LiveServer,
) -> None:
    live.call("pane.split")
    live.call("pane.run", {"pane": 2, "command": "sleep 0.2; exit 9"})
    live.wait_text("2", "sleep 0.2")
    marker = live.home / "gone"
    live.call("pane.run", {"pane": 1, "command": f"sleep 0.5; touch {marker}"})

    old = live.kill()
    wait_for_new_server(live, old)
    with live.stream("events.subscribe", {"after_sequence": 0}) as events:
        events.line()
        exited = events.until("terminal.exited", pane_id="2")

    assert exited["data"]["detail"] == {"exit_code": 9, "signal": None}
    assert live.call("tab.get")["panes"] == ["1"]


def test_replayed_output_never_becomes_input(live: LiveServer) -> None:
    program = live.home / "ask.py"
    program.write_text(
        "import os, select, tty\n"
        "tty.setraw(0)\n"
        "os.write(1, b'\\x1b[c')\n"
        "seen = os.read(0, 100)\n"
        "os.write(1, b'asked\\r\\n')\n"
        "while not select.select([0], [], [], 5)[0]: pass\n"
        "more = os.read(0, 100)\n"
        "os.write(1, b'then ' + ascii(more).encode() + b'\\r\\n')\n"
    )
    live.call("pane.run", {"pane": 1, "command": f"{sys.executable} {program}"})
    live.wait_text("1", "asked")

    old = live.kill()
    wait_for_new_server(live, old)
    live.call("pane.send_input", {"pane": 1, "text": "x"})

    live.wait_text("1", "then b'x'")


def test_a_native_crash_of_the_emulator_costs_seconds_and_no_pane(short_tmp: Path) -> None:
    live = LiveServer(short_tmp)
    live.extra["LUVUS_TEST_CRASH_ON"] = "crash-me-now"
    live.start()
    try:
        live.wait_text("1", "$")
        live.call("pane.split")
        before = _terminals(live.call("session.snapshot"))
        old = live.server_pid()
        live.call("pane.run", {"pane": 2, "command": "echo crash-me-$(echo now)"})

        wait_for_new_server(live, old)

        assert _terminals(live.call("session.snapshot")) == before
        live.wait_text("2", "crash-me-now")
        live.call("pane.run", {"pane": 2, "command": "echo crash-me-$(echo now) again-$((1+1))"})
        live.wait_text("2", "again-2")
        assert live.call("ping")["type"] == "pong"
    finally:
        live.stop()


@pytest.mark.timeout(90)
@pytest.mark.parametrize("rounds", [5])
def test_kill_9_again_and_again_keeps_the_same_programs(live: LiveServer, rounds: int) -> None:
    start_counting(live, "1")
    before = _terminals(live.call("session.snapshot"))

    for _ in range(rounds):
        old = live.kill()
        wait_for_new_server(live, old)

    assert _terminals(live.call("session.snapshot")) == before
    live.wait_text("1", "counted-all", 20)
    assert counted(live, "1") == list(range(1, 1501))


def _terminals(snapshot: dict[str, object]) -> list[object]:
    workspaces = snapshot["workspaces"]
    assert isinstance(workspaces, list)
    return [
        (workspace["workspace_id"], tab["tab_id"], pane["pane_id"], pane["terminal_id"])
        for workspace in workspaces
        for tab in workspace["tabs"]
        for pane in tab["panes"]
    ]
