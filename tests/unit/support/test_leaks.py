"""The guards see what a test leaves behind, and nothing else."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

from tests.support import leaks

# Says that it runs, then waits to be killed.
SLEEPER = [sys.executable, "-c", "print(flush=True); import signal; signal.pause()"]


def started(*arguments: str) -> subprocess.Popen[bytes]:
    process = subprocess.Popen([*SLEEPER, *arguments], stdout=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.readline()
    return process


def test_a_running_child_is_found_ended_and_described(short_tmp: Path) -> None:
    assert leaks.children() == set()
    with started("a-leak", str(short_tmp)) as process:
        found = leaks.children()
        assert [child.pid for child in found] == [process.pid]
        assert leaks.processes_of(short_tmp) == found

        lines = leaks.end(found, grace=0.1)

    assert [line.split(" ")[0] for line in lines] == [f"{process.pid}:"]
    assert "a-leak" in lines[0]
    assert leaks.children() == set()


def test_a_child_that_has_exited_is_no_leak() -> None:
    with started() as process:
        found = leaks.children()
        process.kill()

        assert leaks.end(found) == []


async def test_a_running_task_is_found_and_a_cancelled_one_is_not() -> None:
    known = asyncio.all_tasks()
    async with asyncio.TaskGroup() as group:
        task = group.create_task(asyncio.Event().wait(), name="waiter")

        found = await leaks.unfinished_tasks(known)

        task.cancel()
        assert await leaks.unfinished_tasks(known) == []
    assert [line.split(":")[0] for line in found] == ["waiter"]
