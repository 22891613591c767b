"""A server for a soak, and the costs of its processes."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.bench.processes import MIB, descriptors, pss_bytes, zombies
from tests.support.live import LiveServer


@contextmanager
def served() -> Iterator[LiveServer]:
    """Start a server in a home of its own, and end it afterwards."""
    home = Path(tempfile.mkdtemp(prefix="lvs-", dir="/tmp"))
    live = LiveServer(home)
    try:
        live.start()
        live.wait_text("1", "$")
        yield live
    finally:
        # A start that was asked for again leaves nothing half started to stop.
        live.start()
        live.stop()
        shutil.rmtree(home, ignore_errors=True)


def costs(live: LiveServer, when: str) -> dict[str, float]:
    """Return what the server and its host hold."""
    pids = live.pids()
    return {
        f"descriptors {when}": descriptors(pids),
        f"zombies {when}": zombies(pids),
        f"MiB {when}": pss_bytes(pids) / MIB,
    }
