"""A feed whose journal, screen and pipe belong to the test."""

from __future__ import annotations

import asyncio
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import cast

from luvus_service.uhp.domain.ports import Buffer, Emulator, Fed
from luvus_service.uhp.engine.counters import RenderCounters
from luvus_service.uhp.engine.feeding import INLINE_BYTES, Feed

LARGE = b"x" * (INLINE_BYTES + 1)
"""A piece that is emulated in a worker."""


class Log:
    """A journal that a test fills up and empties."""

    def __init__(self) -> None:
        self.capacity = 1 << 30
        self.start = 0
        self.head = 0
        self.accepts = 1 << 30
        """Dumps over this size do not fit."""
        self.checkpoints: list[tuple[int, int]] = []
        self.marks: list[bool] = []

    def read_from(self, fd: int, limit: int) -> memoryview | None:
        if self.head - self.start >= self.capacity:
            return None
        try:
            data = os.read(fd, limit)
        except BlockingIOError:
            return None
        self.head += len(data)
        return memoryview(data)

    def replay(self) -> tuple[bytes, bytes]:
        return b"", b""

    def checkpoint(self, dump: bytes, position: int) -> bool:
        if len(dump) > self.accepts:
            return False
        self.checkpoints.append((len(dump), position))
        self.start = position
        return True

    def mark_feeding(self, feeding: bool) -> None:
        self.marks.append(feeding)


class Screen:
    """An emulator that is held up, or fails, when a test wants it."""

    def __init__(self) -> None:
        self.text = b""
        self.let = threading.Event()
        self.let.set()
        self.begun = threading.Event()
        self.threads: list[str] = []
        self.compacted = 0
        self.dumps = True
        """Whether dumps can be made."""

    def feed(self, data: Buffer) -> Fed:
        self.begun.set()
        assert self.let.wait(10)
        self.threads.append(threading.current_thread().name)
        if b"!" in bytes(data):
            raise ZeroDivisionError("bad output")
        self.text += data
        return Fed(bells=1)

    def dump(self, max_bytes: int) -> bytes:
        if not self.dumps:
            raise ZeroDivisionError("bad screen")
        return b"d" * max_bytes

    def compact(self) -> None:
        self.compacted += 1


class Rig:
    """A feed with a pipe; the loop's own failures are kept."""

    def __init__(self, executor: ThreadPoolExecutor) -> None:
        self.read_fd, self.write_fd = os.pipe()
        for fd in (self.read_fd, self.write_fd):
            os.set_blocking(fd, False)
        self.log, self.screen = Log(), Screen()
        self.counters = RenderCounters()
        self.fed: list[Fed] = []
        self.told = asyncio.Event()
        self.failures: list[BaseException | None] = []
        asyncio.get_running_loop().set_exception_handler(
            lambda _loop, context: self._failed(context.get("exception"))
        )
        self.feed = Feed(
            self.read_fd,
            self.log,
            cast("Emulator", self.screen),
            executor=executor,
            on_fed=self._fed,
            on_end=lambda: None,
            counters=self.counters,
        )
        self.feed.start()

    async def until_fed(self, data: bytes) -> None:
        """Write and wait until it is emulated, or has failed."""
        self.told.clear()
        os.write(self.write_fd, data)
        await asyncio.wait_for(self.told.wait(), 5)

    async def hold(self, data: bytes = LARGE) -> None:
        """Write a large piece and return while it is in work."""
        self.screen.let.clear()
        self.screen.begun.clear()
        os.write(self.write_fd, data)
        assert await asyncio.to_thread(self.screen.begun.wait, 5)

    async def close(self) -> None:
        """Give everything back."""
        self.screen.let.set()
        self.feed.close()
        await self.feed.released()
        os.close(self.read_fd)
        os.close(self.write_fd)

    def _fed(self, fed: Fed) -> None:
        self.fed.append(fed)
        self.told.set()

    def _failed(self, error: BaseException | None) -> None:
        self.failures.append(error)
        self.told.set()
