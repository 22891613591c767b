"""Programs, their output and their input, in real terminals of a real server."""

from __future__ import annotations

import hashlib
import json
import select
import sys
import time
from pathlib import Path

import pytest

from tests.support.live import LiveServer, Refused

SILENT_READER = "import sys,tty,time;tty.setraw(0);print('ready',flush=True);time.sleep(60)"
HASHING_READER = """
import hashlib, os, sys, tty
tty.setraw(0)
os.write(1, b"ready\\r\\n")
left, seen = int(sys.argv[1]), hashlib.sha256()
while left:
    piece = os.read(0, min(left, 65536))
    left -= len(piece)
    seen.update(piece)
os.write(1, seen.hexdigest().encode() + b"\\r\\n")
"""


def run_python(live: LiveServer, pane: str, program: str, *words: str) -> None:
    """Run a Python program in a pane."""
    script = live.home / f"program-{pane}.py"
    script.write_text(program)
    live.call(
        "pane.run", {"pane": pane, "command": " ".join([sys.executable, str(script), *words])}
    )


def test_ten_megabytes_without_a_newline_leave_the_server_quick(live: LiveServer) -> None:
    program = "import sys\nsys.stdout.write('x' * 10_000_000)\nprint()\nprint('done' + '-now')"
    run_python(live, "1", program)

    assert live.call("ping")["type"] == "pong"
    live.wait_text("1", "done-now")
    assert "x" * 100 in live.call("pane.read", {"pane": 1, "lines": 20})["text"]


def test_bytes_that_are_no_utf8_split_over_reads_become_replacement_characters(
    live: LiveServer,
) -> None:
    program = (
        "import os, time\n"
        "for piece in (b'a\\xe2\\x82', b'\\xac|', b'\\xff\\xfe|', b'\\xf0\\x9f', b'|end\\n'):\n"
        "    os.write(1, piece); time.sleep(0.02)\n"
        "print('all' + '-sent')\n"
    )
    run_python(live, "1", program)
    live.wait_text("1", "all-sent")

    text = live.call("pane.read", {"pane": 1})["text"]
    (line,) = [line for line in text.splitlines() if line.startswith("a€|")]
    assert line.endswith("|end")
    assert "\ufffd" in line


def test_a_child_that_never_reads_costs_bounded_memory_and_blocks_nobody(
    live: LiveServer,
) -> None:
    run_python(live, "1", SILENT_READER)
    live.wait_text("1", "ready")
    sent = 0

    with pytest.raises(Refused) as refused:
        for _ in range(64):
            live.call("pane.send_input", {"pane": 1, "text": "y" * 262_144})
            sent += 1

    assert refused.value.code == "send_failed"
    assert "queue is full" in refused.value.error["message"]
    assert 8_388_608 // 262_144 <= sent < 64
    assert live.call("ping")["type"] == "pong"
    assert live.call("pane.close", {"pane": 1})["type"] == "ok"


def test_a_large_input_reaches_the_program_byte_for_byte(live: LiveServer) -> None:
    text = "".join(chr(33 + i % 90) for i in range(262_144))
    run_python(live, "1", HASHING_READER, str(len(text)))
    live.wait_text("1", "ready")

    live.call("pane.send_input", {"pane": 1, "text": text})

    live.wait_text("1", hashlib.sha256(text.encode()).hexdigest())


def test_a_paste_is_bracketed_only_for_programs_that_ask_for_it(live: LiveServer) -> None:
    program = (
        "import os, sys, tty\n"
        "tty.setraw(0)\n"
        "os.write(1, (b'\\x1b[?2004h' if sys.argv[1] == 'on' else b'') + b'ready\\r\\n')\n"
        "print(ascii(os.read(0, 100)), end='\\r\\n')\n"
    )
    run_python(live, "1", program, "on")
    live.wait_text("1", "ready")
    live.call("pane.send_input", {"pane": 1, "text": "a\nb\x1b[201~c", "paste": True})
    live.wait_text("1", r"b'\x1b[200~a\nbc\x1b[201~'")

    live.call("pane.split")
    run_python(live, "2", program, "off")
    live.wait_text("2", "ready")
    live.call("pane.send_input", {"pane": 2, "text": "a\nb", "paste": True})
    live.wait_text("2", r"b'a\rb'")


def test_device_queries_are_answered_once_by_the_server(live: LiveServer) -> None:
    program = (
        "import os, tty\n"
        "tty.setraw(0)\n"
        "os.write(1, b'\\x1b[c\\x1b[6n')\n"
        "seen = b''\n"
        "while not seen.endswith(b'R'): seen += os.read(0, 100)\n"
        "os.write(1, ascii(seen).encode() + b' -end\\r\\n')\n"
    )
    run_python(live, "1", program)

    live.wait_text("1", "-end")
    text = live.call("pane.read", {"pane": 1})["text"]
    assert text.count("\\x1b[?") == 1
    assert text.count("R'") == 1


def test_scrollback_stays_inside_its_budget(live: LiveServer) -> None:
    live.call("pane.run", {"pane": 1, "command": "seq 1 400000; echo counted-$((1+1))"})
    live.wait_text("1", "counted-2")

    status = live.call("pane.status", {"pane": 1})
    assert status["history_rows"] > 1000
    assert status["history_bytes"] <= status["history_budget_bytes"] * 1.25


def test_programs_see_the_size_of_their_pane_and_its_changes(live: LiveServer) -> None:
    live.call("pane.run", {"pane": 1, "command": "stty size"})
    live.wait_text("1", "40 120")

    live.call("pane.split", {"down": True})
    live.call("pane.run", {"pane": 2, "command": "stty size"})
    live.wait_text("2", "20 120")
    live.call("pane.close", {"pane": 2})
    live.call("pane.run", {"pane": 1, "command": "echo; stty size; echo again"})
    live.wait_text("1", "40 120\nagain")


def test_two_hundred_short_panes_leave_no_zombie_and_no_descriptor(live: LiveServer) -> None:
    pids = live.pids()
    before = descriptors(pids)

    for _ in range(200):
        pane = live.call("pane.split", {"focus": False})["pane"]
        live.call("pane.close", {"pane": pane})
    sequence = live.call("pane.rename", {"name": "a"})["revision"]
    assert sequence > 0

    # The last shells are still being hung up; their end gives the descriptors back.
    settled = settle(pids, before)
    assert settled == before
    zombies = [
        stat
        for stat in (entry / "stat" for entry in Path("/proc").iterdir() if entry.name.isdigit())
        if _is_zombie_of(stat, pids)
    ]
    assert zombies == []


def descriptors(pids: list[int]) -> list[int]:
    """Return how many descriptors each process has open."""
    return [len(list(Path(f"/proc/{pid}/fd").iterdir())) for pid in pids]


def settle(pids: list[int], wanted: list[int]) -> list[int]:
    """Return the numbers of descriptors once they are as wanted, or what they are after 10 s."""
    deadline = time.monotonic() + 10
    while (found := descriptors(pids)) != wanted and time.monotonic() < deadline:
        select.select([], [], [], 0.05)
    return found


def _is_zombie_of(stat: Path, parents: list[int]) -> bool:
    try:
        fields = stat.read_text().rpartition(")")[2].split()
    except OSError:
        return False
    return fields[0] == "Z" and int(fields[1]) in parents


def test_terminal_events_fit_their_catalogue(live: LiveServer) -> None:
    with live.stream("events.subscribe") as events:
        events.line()
        live.call("pane.split")
        created = events.until("terminal.created", pane_id="2")
        live.call("pane.close", {"pane": 2})
        closed = events.until("terminal.closed", pane_id="2")

    snapshot = live.call("session.snapshot")
    expected = {
        "server_generation": snapshot["server_generation"],
        "terminal_id": created["data"]["terminal_id"],
        "pane_id": "2",
        "content_revision": 0,
        "workspace": 1,
        "tab": 1,
        "detail": {},
    }
    assert created["data"] == expected
    assert closed["data"] == {
        **expected,
        "content_revision": closed["data"]["content_revision"],
        "detail": {"reason": "closed"},
    }
    assert json.dumps(created)
