"""Our coding agent beside pi, codex, opencode and Claude Code, on one scripted provider, in turns.

Each is driven over the protocol that it offers to programs; `agent_drivers` says which. Its own
wire format is what it asks the provider in: Anthropic's for ours and Claude Code, chat completions
for pi and opencode, responses for codex. Each has a home of its own that it has used before, so
that nobody's first installation is measured.
"""

from __future__ import annotations

import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from tests.agents.installing import installed
from tests.bench.agent_drivers import PEERS, SLEEP, Driver, Luxe, lives, sleeping
from tests.bench.figures import Figure, Target, percentile
from tests.bench.luxe import Script, provider
from tests.bench.luxe_sessions import GROWN, grow
from tests.bench.processes import MIB, pss_bytes, used_seconds
from tests.bench.rivals import say

STARTS = 3
DELTAS = 10_000
CANCELS = 6
BELOW = Target(1.0, "ratio")

TURNS: Script = (
    {"steps": [{"say": "Hello."}]},
    {"steps": [{"say": "x" * DELTAS}], "piece": 1},
)


@dataclass
class Found:
    """What one agent took; times in seconds, memory in MiB, of each start one."""

    ready: list[float] = field(default_factory=list[float])
    first: list[float] = field(default_factory=list[float])
    idle: list[float] = field(default_factory=list[float])
    used: list[float] = field(default_factory=list[float])
    wall: list[float] = field(default_factory=list[float])
    cpu: list[float] = field(default_factory=list[float])
    cancel: list[float] = field(default_factory=list[float])
    resume: list[float] = field(default_factory=list[float])
    pieces: int = 0
    left: int = 0
    """Commands that outlived their cancelled turn."""


def measure() -> Iterator[Figure]:
    """Measure ours and those that install."""
    present = [Luxe, *filter(_installs, PEERS)]
    with tempfile.TemporaryDirectory(prefix="lxp-", dir="/tmp") as folder, ExitStack() as stack:
        homes: dict[type[Driver], Path] = {}
        for driver in present:
            homes[driver] = Path(folder) / driver.kind
            homes[driver].mkdir()
        url = stack.enter_context(provider(Path(folder), TURNS))
        found = {driver: Found() for driver in present}
        for number in range(-1, STARTS):
            for driver in present:
                # The first is for their caches.
                _two_turns(driver, homes[driver], url, found[driver] if number >= 0 else Found())
        for driver in present:
            with provider(homes[driver], _sleeping(driver)) as other:
                _cancels(driver, homes[driver], other, found[driver])
            if driver in GROWN:
                _resumes(driver, homes[driver], url, found[driver])
    yield from _figures(found)


def _figures(found: dict[type[Driver], Found]) -> Iterator[Figure]:
    ours = found.pop(Luxe)
    for driver, theirs in found.items():
        beside = f", beside {driver.kind}"

        def row(
            name: str, mine: float, other: float, unit: str, note: str = "", beside: str = beside
        ) -> Figure:
            return Figure(f"luxe {name}{beside}", mine, unit, other, target=BELOW, note=note)

        yield row("start to ready", median(ours.ready), median(theirs.ready), "s")
        yield row("start to first token", median(ours.first), median(theirs.first), "s")
        yield row("memory, idle", median(ours.idle), median(theirs.idle), "MiB")
        yield row("memory after a turn", median(ours.used), median(theirs.used), "MiB")
        note = f"of {DELTAS}: {ours.pieces} and {theirs.pieces} pieces passed on"
        wall = [1e6 * median(each.wall) / DELTAS for each in (ours, theirs)]
        yield row("time for a delta", *wall, "us", note)
        cpu = [1e6 * median(each.cpu) / DELTAS for each in (ours, theirs)]
        yield row("processor time for a delta", *cpu, "us")
        if theirs.cancel:
            note = f"{ours.left} and {theirs.left} of {CANCELS} commands left running"
            late = [1000 * percentile(each.cancel, 0.95) for each in (ours, theirs)]
            yield Figure(f"luxe cancel to end, p95{beside}", late[0], "ms", late[1], note=note)
        if theirs.resume:
            yield row("resume of 50 MiB", median(ours.resume), median(theirs.resume), "s")


def _installs(driver: type[Driver]) -> bool:
    try:
        installed(driver.found())
    except (OSError, subprocess.SubprocessError) as error:
        say(f"luxe beside {driver.kind}: skipped, it does not install: {error}")
        return False
    return True


def _two_turns(driver: type[Driver], home: Path, url: str, found: Found) -> None:
    say(f"luxe peers: {driver.kind}, two turns")
    with driver(home, url) as agent:
        found.ready.append(agent.ready() - agent.began)
        found.idle.append(pss_bytes(agent.pids()) / MIB)
        agent.prompt()
        found.first.append(agent.token() - agent.began)
        agent.ended()
        found.used.append(pss_bytes(agent.pids()) / MIB)
        before, pids = agent.tokens, agent.pids()
        busy, began = used_seconds(pids), time.perf_counter()
        agent.prompt()
        found.wall.append(agent.ended() - began)
        found.cpu.append(used_seconds(pids) - busy)
        found.pieces = agent.tokens - before


def _sleeping(driver: type[Driver]) -> Script:
    # Some want to be told what a command is for; the others refuse what they do not know.
    said = {"description": "Waits"} if driver.kind in ("opencode", "claude") else {}
    call = {"name": driver.tool, "input": {driver.argument: SLEEP, **said}}
    return ({"steps": [{"call": call}]},)


def _cancels(driver: type[Driver], home: Path, url: str, found: Found) -> None:
    with driver(home, url) as agent:
        agent.ready()
        for _ in range(CANCELS):
            agent.prompt()
            command = sleeping(agent)
            began = time.perf_counter()
            agent.cancel()
            found.cancel.append(agent.ended() - began)
            found.left += lives(command)


def _resumes(driver: type[Driver], home: Path, url: str, found: Found) -> None:
    with driver(home, url) as agent:
        agent.ready()
        agent.prompt()
        agent.ended()
    session = grow(driver, home)
    for _ in range(STARTS):
        with driver(home, url, session) as agent:
            found.resume.append(agent.resumed() - agent.began)
