"""Output on its way to an emulator that is held up, through a real pipe and journal."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from typing import cast

import pytest

from luvus_service.adapters.ptyhost.journal import TerminalJournal, create_journal_fd
from luvus_service.uhp.domain.ports import Buffer, Emulator, Fed
from luvus_service.uhp.engine.feeding import INLINE_BYTES, LOOK_BYTES, Feed, merged

CAPACITY = 1 << 20
LARGE = INLINE_BYTES + 1


class HeldEmulator:
    """Takes output when it is let; a dump is the length of what it took."""

    def __init__(self) -> None:
        self.taken = bytearray()
        self.threads: set[int] = set()
        self.let = threading.Event()
        self.let.set()

    def feed(self, data: Buffer) -> Fed:
        assert self.let.wait(10)
        self.taken += data
        self.threads.add(threading.get_ident())
        return Fed(bells=bytes(data).count(b"\a"))

    def dump(self, max_bytes: int, *, scrollback_bytes: int | None = None) -> bytes:
        return b"%d" % len(self.taken)

    def compact(self) -> None:
        """Nothing to compact."""


class Bench:
    """A feed with both ends of its pipe."""

    def __init__(self, executor: ThreadPoolExecutor) -> None:
        self.read_fd, self.write_fd = os.pipe()
        os.set_blocking(self.read_fd, False)
        os.set_blocking(self.write_fd, False)
        self.journal_fd = create_journal_fd("feeding", capacity=CAPACITY, room=1 << 16)
        self.journal = TerminalJournal(self.journal_fd)
        self.emulator = HeldEmulator()
        self.fed: list[Fed] = []
        self.ended = asyncio.Event()
        self.feed = Feed(
            self.read_fd,
            self.journal,
            cast("Emulator", self.emulator),
            executor=executor,
            on_fed=self.fed.append,
            on_end=self.ended.set,
        )
        self.feed.start()

    async def write(self, data: bytes) -> None:
        """Write all of it, as the pipe takes it."""
        rest = memoryview(data)
        while rest:
            rest = rest[self._write_some(rest) :]
            await asyncio.sleep(0)

    def _write_some(self, data: memoryview) -> int:
        try:
            return os.write(self.write_fd, data)
        except BlockingIOError:
            return 0

    async def until_stuck(self, data: bytes) -> int:
        """Write until nothing has been read for a while; return the bytes that were read."""
        rest, read, turns = memoryview(data), -1, 0
        while turns < 50:
            rest = rest[self._write_some(rest) :]
            await asyncio.sleep(0.001)
            turns = turns + 1 if self.feed.bytes_read == read else 0
            read = self.feed.bytes_read
        return read

    def hang_up(self) -> None:
        """Close the program's end."""
        os.close(self.write_fd)
        self.write_fd = -1

    async def close(self) -> None:
        """Give everything back."""
        self.emulator.let.set()
        self.feed.close()
        await self.feed.released()
        self.journal.close()
        for fd in (self.read_fd, self.write_fd, self.journal_fd):
            if fd >= 0:
                os.close(fd)


@pytest.fixture
async def bench() -> AsyncIterator[Bench]:
    """A feed that has read nothing."""
    with ThreadPoolExecutor(1) as executor:
        made = Bench(executor)
        yield made
        await made.close()


def numbered(size: int) -> bytes:
    """Return bytes in which every place looks different from its neighbours."""
    return b"".join(b"%08d\n" % n for n in range(size // 9 + 1))[:size]


async def finish(bench: Bench) -> None:
    """Hang up and wait until everything is emulated."""
    bench.hang_up()
    async with asyncio.timeout(10):
        await bench.ended.wait()
        await bench.feed.settle()


async def test_a_large_output_is_emulated_whole_and_in_order(bench: Bench) -> None:
    data = numbered(3 * CAPACITY)

    await bench.write(data)
    await finish(bench)

    assert bench.emulator.taken == data


async def test_nothing_more_is_read_while_a_piece_is_in_work(bench: Bench) -> None:
    bench.emulator.let.clear()

    read = await bench.until_stuck(numbered(2 * CAPACITY))

    assert INLINE_BYTES < read <= LOOK_BYTES
    assert bench.emulator.taken == b""


async def test_a_flood_is_emulated_beside_the_loop_and_a_small_piece_on_it(bench: Bench) -> None:
    await bench.until_stuck(b"a")
    here = threading.get_ident()
    small = set(bench.emulator.threads)
    await bench.write(numbered(CAPACITY))
    await finish(bench)

    assert small == {here}
    assert bench.emulator.threads != {here}


async def test_a_small_piece_behind_a_large_one_keeps_its_place(bench: Bench) -> None:
    bench.emulator.let.clear()
    await bench.until_stuck(b"a" * LARGE)
    await bench.until_stuck(b"b")
    bench.emulator.let.set()
    await finish(bench)

    assert bench.emulator.taken == b"a" * LARGE + b"b"


async def test_a_checkpoint_holds_what_was_emulated_and_the_journal_what_was_only_read(
    bench: Bench,
) -> None:
    data = numbered(CAPACITY)

    await bench.write(data)
    await finish(bench)

    dump, rest = bench.journal.replay()
    assert dump, "no checkpoint was made"
    assert data == data[: int(dump)] + rest


async def test_an_exclusive_job_sees_no_piece_half_emulated(bench: Bench) -> None:
    bench.emulator.let.clear()
    await bench.until_stuck(b"a" * LARGE)
    await bench.until_stuck(b"b" * LARGE)
    job = asyncio.ensure_future(bench.feed.exclusive(lambda: bytes(bench.emulator.taken)))
    await asyncio.sleep(0)
    bench.emulator.let.set()

    assert await asyncio.wait_for(job, 10) == b"a" * LARGE


async def test_after_closing_nothing_more_is_read(bench: Bench) -> None:
    bench.emulator.let.clear()
    await bench.until_stuck(b"a" * LARGE)
    await bench.until_stuck(b"b" * LARGE)
    bench.feed.close()
    bench.emulator.let.set()
    await bench.feed.released()
    await asyncio.sleep(0)

    assert bench.emulator.taken == b"a" * LARGE
    assert bench.fed == []


def test_pieces_fed_together_tell_what_each_of_them_told() -> None:
    first = Fed(replies=b"1", bells=1, title="a", cwd="/a", notifications=(("t", "b"),))
    second = Fed(replies=b"2", bells=2, title=None, cwd="/b", notifications=(("u", "c"),))

    assert merged([first, second]) == Fed(
        replies=b"12",
        bells=3,
        title="a",
        cwd="/b",
        notifications=(("t", "b"), ("u", "c")),
    )
