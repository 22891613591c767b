"""What both servers cost while nothing happens: memory and processor time by number of panes."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

from tests.bench.figures import Figure, Target
from tests.bench.processes import MIB, cpu_seconds, pss_bytes
from tests.bench.rivals import rivals

PANES = (1, 10, 50)
SETTLE_S = 3.0
"""After the last output a checkpoint is made and memory is given back."""
WATCH_S = 10.0
CPU_PERCENT = 0.5
MIB_A_PANE = 1.0


def measure() -> Iterator[Figure]:
    """Measure both at once; the shells themselves are not counted."""
    pause = threading.Event()
    memories: list[tuple[float, float]] = []
    with rivals() as pair:
        for count in PANES:
            pair.open_panes(count)
            ours, theirs = pair.live.pids(), [pair.tmux.pid()]
            pause.wait(SETTLE_S)
            began, before = time.perf_counter(), (cpu_seconds(ours), cpu_seconds(theirs))
            pause.wait(WATCH_S)
            elapsed = time.perf_counter() - began
            used = (cpu_seconds(ours) - before[0], cpu_seconds(theirs) - before[1])
            memory = (pss_bytes(ours) / MIB, pss_bytes(theirs) / MIB)
            memories.append(memory)
            target = Target(CPU_PERCENT) if count == PANES[-1] else None
            share = [100 * each / elapsed for each in used]
            yield Figure(f"idle CPU, {count} panes", share[0], "%", share[1], target=target)
            yield Figure(f"memory, {count} panes", memory[0], "MiB", memory[1])
        each = [
            (now - then) / (PANES[-1] - 1)
            for now, then in zip(memories[-1], memories[0], strict=True)
        ]
        wanted = Target(MIB_A_PANE)
        yield Figure("memory of each further pane", each[0], "MiB", each[1], target=wanted)
