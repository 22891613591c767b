"""Owns the background work of the session: keeps every task, logs its failure, ends it on close."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any

from luvus_service.uhp.engine.causes import by_itself

_log = logging.getLogger(__name__)


class Tasks:
    """A set of running tasks with one owner."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()
        self._closed = False

    def start(self, work: Coroutine[Any, Any, Any], what: str) -> None:
        """Run something in the background; after `close` nothing more is started."""
        if self._closed:
            work.close()
            return
        # An empty context: the guard and the caller of the request that led here are not its own.
        task = asyncio.get_running_loop().create_task(work, name=what, context=by_itself())
        self._tasks.add(task)
        task.add_done_callback(self._done)

    async def drain(self) -> None:
        """Wait until all that was started has ended."""
        while self._tasks:
            await asyncio.wait(tuple(self._tasks))

    async def close(self) -> None:
        """Cancel what still runs and wait for it."""
        self._closed = True
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _done(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            _log.error("%s failed", task.get_name(), exc_info=error)
