"""What watching agents costs: processor time at rest and with spinners, and how late events are.

Run `python -m tests.bench.agent_detection [PANES…]`.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.integration.agents.conftest import Crew, crew_in

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


def p95(values: list[float]) -> float:
    """Return the 95th percentile in milliseconds."""
    return 1000 * sorted(values)[int(len(values) * 0.95) - 1]


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


def measure(count: int) -> None:
    """Print one line of figures for a number of agents."""
    with tempfile.TemporaryDirectory(prefix="lv-", dir="/tmp") as folder:
        crew = crew_in(Path(folder).resolve())
        try:
            for number in range(count):
                if number % 4 == 0:
                    crew.call("tab.new")
                crew.call("agent.start", {"name": f"a{number}", "kind": "claude", "timeout_s": 30})
            panes = [row["pane"] for row in crew.call("agent.list")["agents"]]
            for pane in panes:
                crew.wait(pane, "idle", "done", timeout_s=10)
            pid = crew.server.server_pid()
            idle = load(pid)
            listing = p95([timed(crew, "agent.list") for _ in range(100)])
            late = p95(lateness(crew, panes[0])) if count == 1 else float("nan")
            for pane in panes:
                crew.call("agent.send", {"target": pane, "text": f"spin {12 * WINDOW_S}"})
            for pane in panes:
                crew.wait(pane, "working")
            busy = load(pid)
            print(
                f"{count:3} agents: idle {idle:.2f} % of a core, spinning {busy:.1f} %, "
                f"agent.list p95 {listing:.1f} ms, event p95 {late:.0f} ms after Enter"
            )
        finally:
            crew.server.stop()


if __name__ == "__main__":
    for argument in sys.argv[1:] or ["1", "20", "50"]:
        measure(int(argument))
