"""Runs the measurements one after the other and prints one table.

`python -m tests.bench [--only PART,PART]`; the figures also go to .reports/bench.json. Parts run
in an order in which the quiet ones come first.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path

from tests.bench import (
    agent_detection,
    bridge_ratio,
    capture,
    cycles,
    events,
    flood,
    idle,
    latency,
    luxe,
    luxe_peers,
    observers,
    page,
    reads,
    starting,
)
from tests.bench.figures import Figure, table, write_json
from tests.bench.processes import load
from tests.bench.rivals import say

REPORT = Path(__file__).resolve().parents[2] / ".reports/bench.json"

PARTS: dict[str, Callable[[], Iterator[Figure]]] = {
    "start": starting.measure_servers,
    "command": starting.measure_commands,
    "bridge": bridge_ratio.measure,
    "ping": reads.measure,
    "capture": capture.measure,
    "submit": latency.measure,
    "idle": idle.measure,
    "cat": flood.measure,
    "cycles": cycles.measure,
    "observe": observers.measure,
    "events": events.measure,
    "agents": agent_detection.measure,
    "page": page.measure,
    "luxe": lambda: chain(luxe.measure(), luxe_peers.measure()),
}


def main() -> int:
    """Measure what was asked for."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--only", metavar="PARTS", help=f"some of {','.join(PARTS)}")
    wanted = parser.parse_args().only
    names = list(PARTS) if wanted is None else wanted.split(",")
    if unknown := [name for name in names if name not in PARTS]:
        parser.error(f"no part is called {unknown[0]!r}; there are {', '.join(PARTS)}")
    figures: list[Figure] = []
    broken: list[str] = []
    loads: list[float] = []
    for name in names:
        began, busy = time.monotonic(), load()
        loads.append(busy)
        try:
            figures.extend(PARTS[name]())
        except Exception:  # noqa: BLE001 - what the other parts measured is worth telling
            broken.append(name)
            traceback.print_exc()
        say(f"{name}: {time.monotonic() - began:.0f} s, load before {busy:.1f}")
    print(table(figures))
    machine = {
        "cpus": os.cpu_count(),
        "system": platform.platform(),
        "python": sys.version,
        "load": [round(each, 1) for each in loads],
    }
    print(
        f"load while measuring {min(loads):.1f} to {max(loads):.1f} on {os.cpu_count()} processors"
    )
    write_json(REPORT, figures, machine)
    missed = [figure.name for figure in figures if figure.met is False]
    print(f"{len(missed)} targets missed" + "".join(f"\n  {name}" for name in missed))
    print("".join(f"{name} could not be measured\n" for name in broken), end="")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
