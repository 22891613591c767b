"""What processes cost: memory, processor time, descriptors and children, from /proc."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

MIB = 1_048_576


def pss_bytes(pids: Iterable[int]) -> int:
    """Return the proportional memory of some processes together, without those that ended."""
    total = 0
    for pid in pids:
        try:
            lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
        except OSError:
            continue
        total += sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))
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


def descendants(pid: int) -> list[int]:
    """Return the processes that a process has started, and theirs."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue
            children.setdefault(parent, []).append(int(entry.name))
    found: list[int] = []
    waiting = [pid]
    while waiting:
        below = children.get(waiting.pop(), [])
        found += below
        waiting += below
    return found


def used_seconds(pids: Iterable[int]) -> float:
    """Return the processor time of some processes, ended threads included, in whole ticks."""
    ticks = 0
    for pid in pids:
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def load() -> float:
    """Return the machine's load of the last minute."""
    return os.getloadavg()[0]
