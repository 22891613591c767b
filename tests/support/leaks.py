"""Finds what a test left behind: running child processes, processes of its folder, asyncio tasks.

Reports sentences and ends what it found; whether that fails a test is the caller's decision.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

import psutil

GRACE_SECONDS = 1.0
"""How long a process that is already on its way out may take."""
SETTLING_TURNS = 10
"""How many turns of the loop a task that is already cancelled may take to end."""

# Python's own servants of multiprocessing live as long as the test run.
_SERVANTS = ("multiprocessing.resource_tracker", "multiprocessing.forkserver")


def children() -> set[psutil.Process]:
    """Return the live descendants of this process, zombies left out."""
    if _is_childless():
        return set()
    return {child for child in psutil.Process().children(recursive=True) if _counts(child)}


def processes_of(folder: Path) -> set[psutil.Process]:
    """Return the live processes that name `folder` in arguments, environment or working folder.

    This finds daemons that left our process tree.
    """
    own = psutil.Process()
    relatives = {own, *own.parents()}
    return {
        process
        for process in psutil.process_iter()
        if process not in relatives and _mentions(process, str(folder)) and _counts(process)
    }


def end(processes: set[psutil.Process], grace: float = GRACE_SECONDS) -> list[str]:
    """Wait `grace` seconds for `processes`, kill the rest, return a line about each of those."""
    _, alive = psutil.wait_procs(processes, timeout=grace)
    lines = [_described(process) for process in alive]
    for process in alive:
        try:
            process.kill()
        except psutil.NoSuchProcess:
            continue
    psutil.wait_procs(alive, timeout=GRACE_SECONDS)
    return lines


async def unfinished_tasks(known: set[asyncio.Task[object]]) -> list[str]:
    """Return a line about each running task that is neither in `known` nor the caller's own."""
    left: set[asyncio.Task[object]] = set()
    for _ in range(SETTLING_TURNS):
        left = {task for task in asyncio.all_tasks() if task not in known and not task.done()}
        left.discard(current_task())
        if not left:
            return []
        await asyncio.sleep(0)
    return sorted(f"{task.get_name()}: {task.get_coro()!r}" for task in left)


def current_task() -> asyncio.Task[object]:
    """Return the running task, which must exist."""
    task: asyncio.Task[object] | None = asyncio.current_task()
    assert task is not None
    return task


def _is_childless() -> bool:
    # Asking the kernel about ourselves is a hundred times cheaper than looking at every process,
    # and this runs twice in every test.
    try:
        threads = list(Path("/proc/self/task").iterdir())
        return bool(threads) and not any((task / "children").read_bytes() for task in threads)
    except OSError:
        return False


def _counts(process: psutil.Process) -> bool:
    try:
        if process.status() == psutil.STATUS_ZOMBIE:
            return False
        return not any(name in " ".join(process.cmdline()) for name in _SERVANTS)
    except psutil.Error:
        return False


def _mentions(process: psutil.Process, folder: str) -> bool:
    try:
        words = [*process.cmdline(), process.cwd(), *process.environ().values()]
    except psutil.Error:
        return False
    return any(folder in word for word in words)


def _described(process: psutil.Process) -> str:
    try:
        return f"{process.pid}: {' '.join(process.cmdline())}"
    except psutil.Error:
        return f"{process.pid}: gone meanwhile"
