"""Ten thousand panes that are opened and closed: what they leave behind."""

from __future__ import annotations

import threading
import time

from tests.bench.cycles import create_and_close
from tests.bench.processes import descriptors, zombies
from tests.soak.homes import costs, served
from tests.soak.verdict import Verdict
from tests.support.live import LiveServer

CYCLES = 10_000
TURN = 50
SETTLE_S = 30.0
GROWTH_LIMIT_MIB = 16.0


def run(seconds: float, _seed: int) -> Verdict:
    """Open and close until all cycles are done or the time is up."""
    found = Verdict()
    with served() as live:
        create_and_close(live, 10 * TURN)
        _settle(live, 0)
        before = costs(live, "before")
        began, done = time.monotonic(), 0
        while done < CYCLES and time.monotonic() - began < seconds:
            create_and_close(live, TURN)
            done += TURN
        rate = done / (time.monotonic() - began)
        _settle(live, int(before["descriptors before"]))
        after = costs(live, "after")
    found.note({"cycles": done, "a second": rate, **before, **after})
    if after["descriptors after"] > before["descriptors before"]:
        found.faults.append("descriptors are left open")
    if after["zombies after"]:
        found.faults.append("ended programs were not reaped")
    if after["MiB after"] - before["MiB before"] > GROWTH_LIMIT_MIB:
        found.faults.append(f"memory grew by more than {GROWTH_LIMIT_MIB} MiB")
    return found


def _settle(live: LiveServer, wanted: int) -> None:
    """Wait for the last programs to be gone; at most `SETTLE_S`, or until nothing changes."""
    pids, pause = live.pids(), threading.Event()
    deadline, last = time.monotonic() + SETTLE_S, -1
    while time.monotonic() < deadline:
        now = descriptors(pids)
        if not zombies(pids) and (now <= wanted or (not wanted and now == last)):
            return
        last = now
        pause.wait(1.0)
