"""What processes cost: memory, processor time, descriptors and children, from /proc."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

MIB = 1_048_576


def pss_bytes(pids: Iterable[int]) -> int:
    """Return the proportional memory of some processes together."""
    total = 0
    for pid in pids:
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                total += int(line.split()[1]) * 1024
    return total


def cpu_seconds(pids: Iterable[int]) -> float:
    """Return the processor time that some processes have used so far, to the nanosecond."""
    nanoseconds = 0
    for pid in pids:
        for task in Path(f"/proc/{pid}/task").iterdir():
            nanoseconds += int((task / "schedstat").read_text().split()[0])
    return nanoseconds / 1e9


def descriptors(pids: Iterable[int]) -> int:
    """Return how many descriptors some processes have open together."""
    return sum(len(os.listdir(f"/proc/{pid}/fd")) for pid in pids)  # noqa: PTH208 - only counted


def zombies(pids: Iterable[int]) -> int:
    """Return how many ended children of some processes wait to be reaped."""
    parents = set(pids)
    found = 0
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                after = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            found += after[0] == "Z" and int(after[1]) in parents
    return found


def load() -> float:
    """Return the machine's load of the last minute."""
    return os.getloadavg()[0]
