"""What watching agents costs: processor time at rest and with spinners, and how late events are.

The agents are fakes that draw what a real one draws.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.bench.figures import Figure, Target, percentile
from tests.integration.agents.conftest import Crew, crew_in

AGENTS = (1, 20, 50)
WINDOW_S = 5.0
SAMPLES = 10
_TICKS = os.sysconf("SC_CLK_TCK")


def cpu_s(pid: int) -> float:
    """Return the processor time of a process so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


def load(pid: int) -> float:
    """Return the share of a core that a process takes, in per cent."""
    before = cpu_s(pid)
    time.sleep(WINDOW_S)
    return 100 * (cpu_s(pid) - before) / WINDOW_S


def timed(crew: Crew, method: str, params: Any = None) -> float:
    """Return how long a call takes."""
    began = time.perf_counter()
    crew.call(method, params)
    return time.perf_counter() - began


def lateness(crew: Crew, pane: str) -> list[float]:
    """Return how long after Enter the event `working` arrives."""
    found: list[float] = []
    for _ in range(SAMPLES):
        with crew.server.stream("events.subscribe") as events:
            events.line()
            began = time.perf_counter()
            crew.call("pane.send_input", {"pane": pane, "text": "work 0.5\r"})
            events.until("pane.agent_status_changed", pane=pane, status="working")
            found.append(time.perf_counter() - began)
        crew.wait(pane, "done", "idle")
    return found


def measure() -> Iterator[Figure]:
    """Measure servers with some fake agents each."""
    for count in AGENTS:
        with tempfile.TemporaryDirectory(prefix="lv-", dir="/tmp") as folder:
            crew = crew_in(Path(folder).resolve())
            try:
                yield from _with(crew, count)
            finally:
                crew.server.stop()


def _with(crew: Crew, count: int) -> Iterator[Figure]:
    for number in range(count):
        if number % 4 == 0:
            crew.call("tab.new")
        crew.call("agent.start", {"name": f"a{number}", "kind": "claude", "timeout_s": 30})
    panes = [row["pane"] for row in crew.call("agent.list")["agents"]]
    for pane in panes:
        crew.wait(pane, "idle", "done", timeout_s=10)
    pid = crew.server.server_pid()
    yield Figure(f"detection at rest, {count} agents", load(pid), "% of a core")
    listing = percentile([timed(crew, "agent.list") for _ in range(100)], 0.95)
    yield Figure(f"agent.list p95, {count} agents", 1000 * listing, "ms")
    if count == 1:
        late = 1000 * percentile(lateness(crew, panes[0]), 0.95)
        yield Figure("Enter to the event `working`, p95", late, "ms", target=Target(100))
    for pane in panes:
        crew.call("agent.send", {"target": pane, "text": f"spin {12 * WINDOW_S}"})
    for pane in panes:
        crew.wait(pane, "working")
    yield Figure(f"detection with spinners, {count} agents", load(pid), "% of a core")
