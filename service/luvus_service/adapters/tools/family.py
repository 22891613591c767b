"""Finds every process that one program started, those that left its group and session included.

On Linux /proc is read: children by parent, by session, by a mark in the environment, and by the
pipe they hold. Elsewhere only the process group is known.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterable
from contextlib import suppress

from luvus_service.adapters import procfs

MARK = "LUXE_CALL"
"""The variable whose value tells one call's processes from all others."""
ENVIRON_BYTES = 256 * 1024
DESCRIPTORS = 4_096
"""Links of one process that are looked at."""


def members(root: int, mark: str, pipe: int | None = None) -> set[int]:
    """Return the live processes of a program; blocking, some milliseconds.

    `pipe` is the inode of a pipe that only they can hold; looking for it costs more.
    """
    stats = procfs.all_stats()
    if stats is None:
        return set()
    living = [stat for stat in stats if stat.state not in {"Z", "X"} and stat.pid != os.getpid()]
    found = {stat.pid for stat in living if stat.session == root or stat.pid == root}
    sign = f"{MARK}={mark}\0".encode()
    for stat in living:
        if stat.pid not in found and (_marked(stat.pid, sign) or _holds(stat.pid, pipe)):
            found.add(stat.pid)
    grown = True
    while grown:
        more = {stat.pid for stat in living if stat.parent in found} - found
        found |= more
        grown = bool(more)
    return found


def send(pids: Iterable[int], number: signal.Signals) -> None:
    """Signal processes that may be gone meanwhile."""
    for pid in pids:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


def send_group(group: int, number: signal.Signals) -> None:
    """Signal a process group that may be gone meanwhile."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


def _marked(pid: int, sign: bytes) -> bool:
    raw = procfs.read_small(f"/proc/{pid}/environ", ENVIRON_BYTES)
    return raw is not None and b"\0" + sign in b"\0" + raw + b"\0"


def _holds(pid: int, pipe: int | None) -> bool:
    if pipe is None:
        return False
    folder = f"/proc/{pid}/fd"
    try:
        with os.scandir(folder) as entries:
            for number, entry in enumerate(entries):
                if number >= DESCRIPTORS:
                    return False
                with suppress(OSError):
                    # The text is the answer; such a link leads nowhere.
                    if os.readlink(entry.path) == f"pipe:[{pipe}]":  # noqa: PTH115
                        return True
    except OSError:
        return False
    return False
