"""kill -9 of the server at random moments while twenty panes work: nothing may be missing."""

from __future__ import annotations

import itertools
import os
import random
import signal
import sys
import threading
import time
from typing import Any

from tests.soak.homes import costs, served
from tests.soak.verdict import Verdict
from tests.support.live import LiveServer, wait_gone

PANES = 20
LONGEST_LIFE_S = 1.0
"""The longest time from an answer to the next kill."""
TWICE = 0.25
"""How often a server is killed again before it answers."""
LINES = 4000
TALE = """
import sys, time
number = 0
while True:
    number += 1
    print(f"line-{number}", flush=True)
    time.sleep(float(sys.argv[1]))
"""


def run(seconds: float, seed: int) -> Verdict:
    """Kill until the time is up, and look at every pane after each kill."""
    found, chance = Verdict(), random.Random(seed)
    with served() as live:
        panes = _counting_panes(live, chance)
        found.note(costs(live, "before"))
        before, reached = _terminals(live), dict.fromkeys(panes, 0)
        deadline, rounds, kills = time.monotonic() + seconds, 0, 0
        longest = 0.0
        while time.monotonic() < deadline:
            threading.Event().wait(chance.uniform(0, LONGEST_LIFE_S))
            kills += _kill(live, chance)
            began = time.monotonic()
            live.start()
            longest = max(longest, time.monotonic() - began)
            rounds += 1
            if _terminals(live) != before:
                found.faults.append(f"round {rounds}: the panes are not the same")
                break
            found.faults += [
                f"round {rounds}, pane {pane}: {fault}"
                for pane in panes
                if (fault := _fault_of(live, pane, reached))
            ]
        found.note({"kills": kills, "longest way back, s": longest})
        found.note({"lines counted": sum(reached.values()), **costs(live, "after")})
    return found


def _counting_panes(live: LiveServer, chance: random.Random) -> list[str]:
    script = live.home / "tale.py"
    script.write_text(TALE)
    for _ in range(PANES - 1):
        live.call("tab.new", {})
    panes = sorted(row["pane"] for row in live.call("pane.list", {"all_tabs": True})["panes"])
    for pane in panes:
        pause = chance.choice((0.005, 0.02, 0.1))
        command = f"clear; exec {sys.executable} {script} {pause}"
        live.wait_text(pane, "$")
        live.call("pane.run", {"pane": pane, "command": command})
    for pane in panes:
        live.wait_text(pane, "line-2\n")
    return panes


def _kill(live: LiveServer, chance: random.Random) -> int:
    live.kill()
    if chance.random() > TWICE:
        return 1
    deadline = time.monotonic() + chance.uniform(0, 1)
    while time.monotonic() < deadline:
        for pid in live.pids():
            if _is_server(pid):
                os.kill(pid, signal.SIGKILL)
                wait_gone(pid)
                return 2
    return 1


def _is_server(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:  # noqa: PTH123 - read in a tight loop
            return b"\0serve\0" in file.read()
    except OSError:
        return False


def _terminals(live: LiveServer) -> Any:
    listed = live.call("pane.list", {"all_tabs": True})["panes"]
    return sorted(
        (row["pane"], live.call("pane.get", {"pane": row["pane"]})["terminal_id"]) for row in listed
    )


def _fault_of(live: LiveServer, pane: str, reached: dict[str, int]) -> str | None:
    text = live.call("pane.read", {"pane": pane, "lines": LINES})["text"]
    numbers = [int(line[5:]) for line in text.splitlines() if line.startswith("line-")]
    if not numbers:
        return f"it shows no line of its program but {text[-200:]!r}"
    holes = [b for a, b in itertools.pairwise(numbers) if b != a + 1]
    last, reached[pane] = reached[pane], numbers[-1]
    if holes:
        return f"before line {holes[0]} something is missing or came twice"
    if numbers[-1] < last:
        return f"it went back from line {last} to {numbers[-1]}"
    return None
