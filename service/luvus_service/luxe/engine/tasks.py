"""Owns asyncio tasks: keeps them, and ends them within a bound."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any

_log = logging.getLogger(__name__)


class Tasks:
    """A set of running tasks with one owner."""

    def __init__(self) -> None:
        self._running: set[asyncio.Task[Any]] = set()

    def start(self, work: Coroutine[Any, Any, Any], name: str) -> asyncio.Task[Any]:
        """Run a coroutine; a fault of it is logged."""
        task = asyncio.get_running_loop().create_task(work, name=name)
        self._running.add(task)
        task.add_done_callback(self._ended)
        return task

    async def end(self, within_s: float) -> None:
        """Cancel all tasks and wait for them; what does not end in time is given up and logged."""
        await ended(self._running, within_s)

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._running.discard(task)
        if not task.cancelled() and (fault := task.exception()) is not None:
            _log.error("%s failed", task.get_name(), exc_info=fault)


async def ended(tasks: set[asyncio.Task[Any]], within_s: float) -> None:
    """Cancel tasks and wait for them, at most this long; what failed is not raised."""
    waiting = {task for task in tasks if not task.done()}
    for task in waiting:
        task.cancel()
    left: set[asyncio.Task[Any]] = set()
    if waiting:
        _, left = await asyncio.wait(waiting, timeout=within_s)
    for task in tasks - left:
        if not task.cancelled():
            task.exception()
    for task in left:
        _log.error("%s did not end within %.1f s of being cancelled", task.get_name(), within_s)
