"""Output on its way from a terminal to its screen: read, kept in the journal, emulated.

Small pieces are emulated on the loop at once. After a large one a worker thread reads and emulates
on, until nothing waits or somebody wants the screen, so a flood slows its program down and nothing
else. Of one terminal it is always one of the two that reads.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from typing import TypeVar

from luvus_service.uhp.domain.ports import Emulator, Fed, Journal
from luvus_service.uhp.engine.counters import RenderCounters

_log = logging.getLogger(__name__)

LOOK_BYTES = 16_384
"""Read at a time on the loop, which does nothing else meanwhile."""
POUR_BYTES = 65_536
"""Read at a time in a worker."""
POUR_S = 0.005
"""How long a worker stays with one terminal."""
INLINE_BYTES = 4_096
"""Pieces up to this size are emulated on the loop."""
FLOOD_DUMP_BYTES = 131_072
"""Screen and newest scrollback that a checkpoint keeps while output pours."""
QUIET_DUMP_BYTES = 4_000_000
"""Screen and scrollback that a checkpoint keeps once the terminal is quiet."""

QUIET_JOURNAL_BYTES = 131_072
"""A quiet terminal whose journal is longer gets a checkpoint instead."""

RELIEF_S = 0.1
"""How long nothing is read after a full journal could not be emptied; twice as long each time."""
LONGEST_RELIEF_S = 10.0
"""The longest that this gets."""

T = TypeVar("T")


class TerminalClosed(Exception):
    """The terminal was closed before its emulator was free; there is no screen any more."""


@contextmanager
def marked(journal: Journal) -> Generator[None]:
    """Mark the terminal as the one at which native code is at work.

    A failure that Python sees is none of native code: it takes the mark away as well.
    """
    journal.mark_feeding(True)
    try:
        yield
    finally:
        journal.mark_feeding(False)


class Feed:
    """Reads one terminal and feeds its emulator."""

    def __init__(
        self,
        fd: int,
        journal: Journal,
        emulator: Emulator,
        *,
        executor: Executor,
        on_fed: Callable[[Fed], None],
        on_end: Callable[[], None],
        counters: RenderCounters | None = None,
    ) -> None:
        self._counters = counters or RenderCounters()
        self._fd = fd
        self._journal = journal
        self._emulator = emulator
        self._executor = executor
        self._on_fed = on_fed
        self._on_end = on_end
        self._loop = asyncio.get_running_loop()
        self._jobs: deque[Callable[[], None]] = deque()
        self._emulated = journal.head
        """Where in the journal the emulator is."""
        self._working = False
        self._future: asyncio.Future[Fed | None] | None = None
        self._reading = False
        self._closed = False
        self._relief_s = RELIEF_S
        self._relief: asyncio.TimerHandle | None = None
        self.tap: Callable[[bytes], None] | None = None
        """Gets every piece of output once it is on the screen; set while somebody views."""
        self.bytes_read = 0
        self.history_at_risk = False
        """Whether the last checkpoint left out scrollback that the emulator still has."""

    def start(self) -> None:
        """Begin to read."""
        self._resume()

    @property
    def emulated(self) -> int:
        """How much of the output is on the screen; tells screens apart."""
        return self._emulated

    @property
    def idle(self) -> bool:
        """Whether the emulator can be used on the loop right now."""
        return not self._working

    def close(self) -> None:
        """Stop reading; a piece in work still finishes, its result is dropped."""
        self._closed = True
        self._pause()
        if self._relief is not None:
            self._relief.cancel()
        for job in tuple(self._jobs):
            job()
        self._jobs.clear()

    async def exclusive(self, job: Callable[[], T]) -> T:
        """Run `job` on the loop while the emulator does nothing else.

        Raises:
            TerminalClosed: The terminal was closed, perhaps while this waited.
        """
        if self._closed:
            raise TerminalClosed
        if not self._working:
            return job()
        done: asyncio.Future[T] = self._loop.create_future()

        def run() -> None:
            if done.cancelled():
                return
            if self._closed:
                done.set_exception(TerminalClosed())
                return
            try:
                done.set_result(job())
            except Exception as error:  # noqa: BLE001 - handed to whoever asked
                done.set_exception(error)

        self._jobs.append(run)
        return await done

    async def aside(self, job: Callable[[], T]) -> T:
        """Run `job` in a worker while the emulator does nothing else; output waits meanwhile.

        Raises:
            TerminalClosed: The terminal was closed before the emulator was free.
        """
        done: asyncio.Future[T] = self._loop.create_future()
        found: list[T] = []
        failed: list[Exception] = []

        def work() -> None:
            try:
                found.append(job())
            except Exception as error:  # noqa: BLE001 - handed to whoever asked
                failed.append(error)

        def finish(_future: asyncio.Future[Fed | None]) -> None:
            if done.done():
                return
            if found:
                done.set_result(found[0])
            else:
                done.set_exception(failed[0] if failed else TerminalClosed())

        def begin() -> None:
            if self._closed:
                if not done.done():
                    done.set_exception(TerminalClosed())
                return
            self._work(work, then=finish)

        if self._working and not self._closed:
            self._jobs.append(begin)
        else:
            begin()
        return await done

    async def released(self) -> None:
        """Return once the emulator is no longer in use, so that it can be freed."""
        if self._future is not None:
            await asyncio.wait({self._future})

    async def settle(self) -> None:
        """Return once all that was read is emulated."""
        while self._working:
            await self.exclusive(lambda: None)

    def checkpoint_quietly(self) -> None:
        """Make a full checkpoint in a worker when one is due and the emulator is free."""
        grown = self._journal.head - self._journal.start > QUIET_JOURNAL_BYTES
        if self._working or self._closed or not (grown or self.history_at_risk):
            return
        self._work(self._checkpoint_whole)

    def _readable(self) -> None:
        self._counters.output_wakes += 1
        view = self._read(LOOK_BYTES)
        if view is None:
            if self._full():
                self._work(self._checkpoint_flood, then=self._relieved)
        elif not view:
            self._pause()
            self._on_end()
        elif len(view) <= INLINE_BYTES:
            tapped = self._tapped(view)
            fed = self._emulate(view)
            self._tell(tapped)
            self._on_fed(fed)
        else:
            poured: list[bytes] = []
            self._work(lambda: self._pour(view, poured), poured)

    def _read(self, limit: int) -> memoryview | None:
        view = self._journal.read_from(self._fd, limit)
        if view:
            self.bytes_read += len(view)
            self._counters.output_bytes += len(view)
        return view

    def _pour(self, view: memoryview | None, poured: list[bytes]) -> Fed:
        until = time.monotonic() + POUR_S
        found: list[Fed] = []
        # The end of the file is left for the loop to find.
        while view:
            poured.append(self._tapped(view))
            found.append(self._emulate(view))
            wanted = self._jobs or self._closed or found[-1].replies
            if wanted or time.monotonic() > until:
                break
            view = self._read(POUR_BYTES)
        return found[0] if len(found) == 1 else merged(found)

    def _emulate(self, view: memoryview) -> Fed:
        try:
            with marked(self._journal):
                fed = self._emulator.feed(view)
        finally:
            # What the emulator failed at is not given to it again.
            self._emulated += len(view)
        if self._nearly_full():
            self._checkpoint(FLOOD_DUMP_BYTES)
            self.history_at_risk = True
        return fed

    def _checkpoint_flood(self) -> Fed | None:
        self._checkpoint(FLOOD_DUMP_BYTES)
        self.history_at_risk = True
        return None

    def _checkpoint_whole(self) -> Fed | None:
        self._checkpoint(QUIET_DUMP_BYTES)
        self.history_at_risk = False
        self._emulator.compact()
        return None

    def _checkpoint(self, size: int) -> None:
        # A dump that is too large for its place is made again, smaller, until the bare screen fits.
        position = self._emulated
        with marked(self._journal):
            while not self._journal.checkpoint(self._emulator.dump(size), position) and size:
                size //= 4

    def _tapped(self, view: memoryview) -> bytes:
        # A view is only good until the next checkpoint, which may come before a tap is called.
        return b"" if self.tap is None else bytes(view)

    def _tell(self, tapped: bytes) -> None:
        if tapped and self.tap is not None:
            self.tap(tapped)

    def _work(
        self,
        job: Callable[[], Fed | None],
        poured: Sequence[bytes] = (),
        then: Callable[[asyncio.Future[Fed | None]], None] | None = None,
    ) -> None:
        self._working = True
        self._counters.reading_pauses += self._reading
        self._pause()
        self._future = self._loop.run_in_executor(self._executor, job)
        self._future.add_done_callback(lambda future: self._worked(future, poured))
        if then is not None:
            self._future.add_done_callback(then)

    def _worked(self, future: asyncio.Future[Fed | None], poured: Sequence[bytes]) -> None:
        self._counters.worker_wakes += 1
        self._working = False
        self._future = None
        if future.cancelled():
            return
        if (error := future.exception()) is not None:
            _log.error("output could not be emulated", exc_info=error)
        fed = None if error is not None else future.result()
        # Before the jobs: a snapshot that one of them takes holds this piece already.
        if not self._closed:
            self._tell(b"".join(poured))
        # A job may put the emulator to work again; the others then wait.
        while self._jobs and not self._working:
            self._jobs.popleft()()
        if self._closed:
            return
        if fed is not None:
            self._on_fed(fed)
        if not self._working:
            self._resume()

    def _relieved(self, _future: asyncio.Future[Fed | None]) -> None:
        """Wait before the next try where not even the bare screen could be kept.

        The journal stays full then and the program waits; a screen of another size, or with less
        on it, may fit later.
        """
        if self._closed or self._working:
            return
        if not self._full():
            self._relief_s = RELIEF_S
            return
        self._pause()
        if self._relief is not None:
            self._relief.cancel()
        self._relief = self._loop.call_later(self._relief_s, self._resume)
        self._relief_s = min(2 * self._relief_s, LONGEST_RELIEF_S)

    def _full(self) -> bool:
        return self._journal.head - self._journal.start >= self._journal.capacity

    def _nearly_full(self) -> bool:
        return self._journal.head - self._journal.start > self._journal.capacity // 4 * 3

    def _resume(self) -> None:
        if not self._reading and not self._closed and not self._working:
            self._reading = True
            self._loop.add_reader(self._fd, self._readable)

    def _pause(self) -> None:
        if self._reading:
            self._reading = False
            self._loop.remove_reader(self._fd)


def merged(found: Sequence[Fed]) -> Fed:
    """Return what several pieces of output led to, in their order, as if they were one."""
    titles = [fed.title for fed in found if fed.title is not None]
    folders = [fed.cwd for fed in found if fed.cwd is not None]
    return Fed(
        replies=b"".join(fed.replies for fed in found),
        bells=sum(fed.bells for fed in found),
        title=titles[-1] if titles else None,
        cwd=folders[-1] if folders else None,
        notifications=tuple(each for fed in found for each in fed.notifications),
    )
