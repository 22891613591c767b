"""Panes that come and go: how many a second, and what a thousand of them leave behind."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from statistics import median

from tests.bench.figures import Figure, Target
from tests.bench.processes import MIB, descriptors, pss_bytes, zombies
from tests.bench.rivals import Rivals, in_turns, rivals
from tests.bench.tmux import Control
from tests.support.live import LiveServer

CYCLES = 1000
TURN = 50
SETTLE_S = 20.0
"""How long the last programs may take to be gone before what is left counts as lost."""


def measure() -> Iterator[Figure]:
    """Open and close a shell in a tab of its own a thousand times."""
    with rivals() as pair, pair.tmux.control() as control:
        create_and_close(pair.live, TURN)
        ours = pair.live.pids()
        before = (descriptors(ours), pss_bytes(ours))
        speeds = in_turns(
            CYCLES // TURN,
            lambda: TURN / _timed(lambda: create_and_close(pair.live, TURN)),
            lambda: TURN / _timed(lambda: _in_tmux(control, TURN)),
        )
        yield Figure("create and close", median(speeds[0]), "a second", median(speeds[1]), "higher")
        settle(pair, before[0])
        left = descriptors(ours) - before[0]
        grown = (pss_bytes(ours) - before[1]) / MIB
        name = f"after {CYCLES} cycles:"
        yield Figure(f"{name} descriptors more", left, "", target=Target(0))
        yield Figure(f"{name} zombies", zombies(ours), "", target=Target(0))
        yield Figure(f"{name} memory more", grown, "MiB")


def create_and_close(live: LiveServer, count: int) -> None:
    """Open a tab with a shell and close it again, one after the other."""
    for _ in range(count):
        tab = live.call("tab.new", {})["tab"]
        live.call("tab.close", {"tab": tab})


def settle(pair: Rivals, wanted: int) -> None:
    """Wait until closed panes are gone from the processes, at most `SETTLE_S`."""
    pids, pause = pair.live.pids(), threading.Event()
    deadline = time.monotonic() + SETTLE_S
    while time.monotonic() < deadline and (zombies(pids) or descriptors(pids) > wanted):
        pause.wait(0.1)


def _in_tmux(control: Control, count: int) -> None:
    for _ in range(count):
        control.command("new-window -n gone")
        control.command("kill-window -t gone")


def _timed(work: Callable[[], None]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began
