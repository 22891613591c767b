"""Our coding agent beside pi, codex, opencode and Claude Code, on one scripted provider, in turns.

Each is driven over the protocol that it offers to programs; `agent_drivers` says which. Its own
wire format is what it asks the provider in: Anthropic's for ours and Claude Code, chat completions
for pi and opencode, responses for codex. Each has a home of its own that it has used before, so
that nobody's first installation is measured.
"""

from __future__ import annotations

import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.client import HTTPException
from pathlib import Path
from statistics import median

from tests.agents.installing import installed
from tests.bench.agent_drivers import PEERS, SLEEP, Driver, Installed, Luxe, lives, sleeping
from tests.bench.figures import Figure, Target, percentile
from tests.bench.luxe import CANCEL_MS, Script, provider
from tests.bench.luxe_sessions import GROWN, grow
from tests.bench.processes import MIB, pss_bytes, used_seconds
from tests.bench.rivals import say

STARTS = 2
DELTAS = 10_000
CANCELS = 5
QUIET_S = 0.02
"""Of processor time in a second, by an agent that is at rest."""
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
    warm: list[float] = field(default_factory=list[float])
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
    present: list[type[Driver]] = [Luxe, *filter(_installs, PEERS)]
    with tempfile.TemporaryDirectory(prefix="lxp-", dir="/tmp") as folder:
        homes = {driver: Path(folder) / driver.kind for driver in present}
        for home in homes.values():
            home.mkdir()
        found = {driver: Found() for driver in present}
        with provider(Path(folder), TURNS) as url:
            for number in range(-1, STARTS):
                say(f"luxe peers: two turns of each, round {number + 2} of {STARTS + 1}")
                for driver in list(found):
                    # The first is for their caches.
                    kept = found[driver] if number >= 0 else Found()
                    _tried(found, driver, _two_turns, homes[driver], url, kept)
        say("luxe peers: at rest, and long sessions")
        with provider(Path(folder), TURNS[:1]) as url:
            for driver, kept in list(found.items()):
                for _ in range(STARTS):
                    if driver in found:
                        _tried(found, driver, _rested, homes[driver], url, kept)
                if driver in GROWN and driver in found:
                    _tried(found, driver, _resumes, homes[driver], url, kept)
        say("luxe peers: cancelling")
        for driver, kept in list(found.items()):
            with provider(homes[driver], _sleeping(driver)) as url:
                _tried(found, driver, _cancels, homes[driver], url, kept)
    ours = found.pop(Luxe)
    for driver, theirs in found.items():
        yield from _figures(ours, theirs, driver.kind)


Measure = Callable[[type[Driver], Path, str, Found], None]


def _tried(
    found: dict[type[Driver], Found],
    driver: type[Driver],
    act: Measure,
    home: Path,
    url: str,
    kept: Found,
) -> None:
    """Measure something of an agent; one of the others that fails is left out from then on."""
    try:
        act(driver, home, url, kept)
    except (OSError, AssertionError, LookupError, HTTPException) as error:
        if driver is Luxe:
            raise
        del found[driver]
        say(f"luxe beside {driver.kind}: left out, it failed: {error!r}")


def _figures(ours: Found, theirs: Found, kind: str) -> Iterator[Figure]:
    def row(
        name: str, of: Callable[[Found], list[float]], unit: str, factor: float = 1, note: str = ""
    ) -> Figure:
        mine, other = (factor * median(of(each)) for each in (ours, theirs))
        return Figure(f"luxe {name}, beside {kind}", mine, unit, other, target=BELOW, note=note)

    yield row("start to ready", lambda found: found.ready, "s")
    yield row("start to first token", lambda found: found.first, "s")
    yield row("prompt to first token, rested", lambda found: found.warm, "ms", 1000)
    yield row("memory, idle", lambda found: found.idle, "MiB")
    yield row("memory after a turn", lambda found: found.used, "MiB")
    note = f"of {DELTAS}: {ours.pieces} and {theirs.pieces} pieces passed on"
    yield row("time for a delta", lambda found: found.wall, "us", 1e6 / DELTAS, note)
    yield row("processor time for a delta", lambda found: found.cpu, "us", 1e6 / DELTAS)
    if theirs.resume:
        yield row("resume of 50 MiB", lambda found: found.resume, "s")
    late = [1000 * percentile(each.cancel, 0.95) for each in (ours, theirs)]
    note = f"{ours.left} and {theirs.left} of {CANCELS} commands left running"
    shown = f"luxe cancel to end, p95, beside {kind}"
    yield Figure(shown, late[0], "ms", late[1], target=Target(CANCEL_MS), note=note)


def _installs(driver: type[Installed]) -> bool:
    try:
        installed(driver.found())
    except (OSError, subprocess.SubprocessError) as error:
        say(f"luxe beside {driver.kind}: skipped, it does not install: {error}")
        return False
    return True


def _two_turns(driver: type[Driver], home: Path, url: str, found: Found) -> None:
    """Prompt as soon as it takes prompts; then a long turn, in which it is warm."""
    with driver(home, url) as agent:
        found.ready.append(agent.ready() - agent.began)
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


def _rested(driver: type[Driver], home: Path, url: str, found: Found) -> None:
    """Prompt when it has done all that it does after its start."""
    with driver(home, url) as agent:
        agent.ready()
        _settle(agent)
        found.idle.append(pss_bytes(agent.pids()) / MIB)
        began = time.perf_counter()
        agent.prompt()
        found.warm.append(agent.token() - began)
        agent.ended()


def _settle(agent: Driver) -> None:
    """Wait until the agent hardly uses the processor any more."""
    pause = threading.Event()
    before, now = -1.0, used_seconds(agent.pids())
    while now - before > QUIET_S:
        pause.wait(1)
        before, now = now, used_seconds(agent.pids())


def _sleeping(driver: type[Driver]) -> Script:
    # Some want to be told what a command is for; the others refuse what they do not know.
    said = {"description": "Waits"} if driver.kind in ("opencode", "claude") else {}
    call = {"name": driver.tool, "input": {driver.argument: SLEEP, **said}}
    return ({"steps": [{"call": call}]},)


def _cancels(driver: type[Driver], home: Path, url: str, found: Found) -> None:
    with driver(home, url) as agent:
        agent.ready()
        commands: list[int] = []
        for _ in range(CANCELS):
            agent.prompt()
            commands.append(sleeping(agent, commands))
            began = time.perf_counter()
            agent.cancel()
            found.cancel.append(agent.ended() - began)
        # Some end a command only after they have said that the turn is over.
        _settle(agent)
        found.left = sum(map(lives, commands))


def _resumes(driver: type[Driver], home: Path, url: str, found: Found) -> None:
    with driver(home, url) as agent:
        agent.ready()
        agent.prompt()
        agent.ended()
    session = grow(driver, home)
    for _ in range(STARTS):
        with driver(home, url, session) as agent:
            found.resume.append(agent.resumed() - agent.began)
