"""The journal against a model of plain bytes, and against a kill at every store."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from luvus_service.adapters.ptyhost.journal import (
    JournalDamaged,
    StateSlot,
    TerminalJournal,
    create_journal_fd,
    create_state_fd,
    feeding_mark,
)
from luvus_service.adapters.ptyhost.memory import PAGE, SharedMemory, create_file_fd

CAPACITY = 4 * PAGE
ROOM = 2 * PAGE


class Feed:
    """A pipe that stands for a terminal's master end."""

    def __init__(self) -> None:
        self.read_fd, self.write_fd = os.pipe()
        os.set_blocking(self.read_fd, False)

    def close(self) -> None:
        os.close(self.read_fd)
        os.close(self.write_fd)


@contextmanager
def journal() -> Iterator[tuple[TerminalJournal, Feed, int]]:
    fd = create_journal_fd("test", capacity=CAPACITY, room=ROOM)
    feed = Feed()
    made = TerminalJournal(fd)
    yield made, feed, fd
    made.close()
    feed.close()
    os.close(fd)


def unpublish(fd: int, head: int) -> None:
    """Do what a kill between the read and the store of the head leaves."""
    memory = SharedMemory(fd)
    memory.store(3, head)
    memory.close()


class JournalMachine(RuleBasedStateMachine):
    """Reads, checkpoints, laps, drops and take-overs must always give what plain bytes give."""

    @initialize()
    def begin(self) -> None:
        self.fd = create_journal_fd("test", capacity=CAPACITY, room=ROOM)
        self.journal = TerminalJournal(self.fd)
        self.feed = Feed()
        self.dump = b""
        self.after = b""
        self.lost = 0
        self.position = 0

    @rule(size=st.integers(1, 3 * PAGE), limit=st.integers(1, 3 * PAGE), seed=st.integers(0, 255))
    def read(self, size: int, limit: int, seed: int) -> None:
        # Without NUL, which a terminal ignores and which a scan cannot tell from nothing.
        written = bytes((seed + index) % 255 + 1 for index in range(size))
        os.write(self.feed.write_fd, written)
        while written:
            piece = self.journal.read_from(self.feed.read_fd, limit)
            if piece is None:
                assert self.journal.full
                os.read(self.feed.read_fd, size)
                return
            assert 0 < len(piece) <= limit
            assert piece == written[: len(piece)]
            self.after += bytes(piece)
            self.position += len(piece)
            written = written[len(piece) :]

    @rule(size=st.integers(1, 2 * PAGE), seed=st.integers(0, 255))
    def read_without_a_server(self, size: int, seed: int) -> None:
        written = bytes((seed + index) % 255 + 1 for index in range(size))
        os.write(self.feed.write_fd, written)
        while written:
            before = self.journal.start
            piece = self.journal.read_or_drop(self.feed.read_fd, size)
            assert piece is not None
            dropped = self.journal.start - before
            if dropped:
                self.dump = b""
                self.after = self.after[dropped:]
                self.lost += dropped
            self.after += bytes(piece)
            self.position += len(piece)
            written = written[len(piece) :]

    @rule(share=st.floats(0, 1), size=st.integers(0, ROOM), fill=st.integers(0, 255))
    def make_checkpoint(self, share: float, size: int, fill: int) -> None:
        passed = int(len(self.after) * share)
        dump = bytes([fill]) * size
        assert self.journal.checkpoint(dump, self.journal.start + passed)
        self.dump, self.after, self.lost = dump, self.after[passed:], 0

    @rule()
    def refuse_a_large_dump(self) -> None:
        assert not self.journal.checkpoint(bytes(ROOM + 1), self.journal.head)

    @rule()
    def another_takes_over(self) -> None:
        self.journal.close()
        self.journal = TerminalJournal(self.fd)

    @precondition(lambda self: not self.journal.full)
    @rule(size=st.integers(1, PAGE))
    def killed_before_the_head_is_stored(self, size: int) -> None:
        head = self.journal.head
        os.write(self.feed.write_fd, b"k" * size)
        piece = self.journal.read_from(self.feed.read_fd, size)
        assert piece is not None
        got = bytes(piece)
        piece.release()
        if len(got) < size:
            os.read(self.feed.read_fd, size)
        unpublish(self.fd, head)
        self.another_takes_over()
        self.after += got
        self.position += len(got)

    @invariant()
    def it_holds_what_the_model_holds(self) -> None:
        assert self.journal.replay() == (self.dump, self.after)
        assert (self.journal.head, self.journal.lost) == (self.position, self.lost)

    def teardown(self) -> None:
        self.journal.close()
        self.feed.close()
        os.close(self.fd)


TestJournalAgainstPlainBytes = JournalMachine.TestCase
TestJournalAgainstPlainBytes.settings = settings(
    max_examples=60, stateful_step_count=40, deadline=None
)


def test_an_end_of_file_is_an_empty_view_and_nothing_to_read_is_none() -> None:
    with journal() as (made, feed, _):
        nothing = made.read_from(feed.read_fd, 100)
        os.close(feed.write_fd)
        end = made.read_from(feed.read_fd, 100)
        feed.write_fd = os.open(os.devnull, os.O_WRONLY)

        assert nothing is None
        assert end is not None
        assert bytes(end) == b""


def test_a_full_ring_is_not_read_into_until_the_next_checkpoint() -> None:
    with journal() as (made, feed, _):
        os.write(feed.write_fd, b"x" * CAPACITY + b"more")
        while made.read_from(feed.read_fd, CAPACITY):
            pass
        full = made.full

        assert full
        assert made.read_from(feed.read_fd, 100) is None
        assert made.checkpoint(b"all", made.head)
        assert bytes(made.read_from(feed.read_fd, 100) or b"") == b"more"
        assert made.replay() == (b"all", b"more")


def test_a_view_stays_valid_while_other_bytes_are_read() -> None:
    with journal() as (made, feed, _):
        os.write(feed.write_fd, b"first")
        first = made.read_from(feed.read_fd, 100)
        os.write(feed.write_fd, b"second")
        made.read_from(feed.read_fd, 100)

        assert first is not None
        assert bytes(first) == b"first"


def test_a_view_outlives_the_journal_that_gave_it() -> None:
    # A worker may still feed it to an emulator while the terminal is being forgotten.
    fd = create_journal_fd("test", capacity=CAPACITY, room=ROOM)
    made, feed = TerminalJournal(fd), Feed()
    os.write(feed.write_fd, b"last words")
    piece = made.read_from(feed.read_fd, 100)
    made.close()
    feed.close()
    os.close(fd)

    assert piece is not None
    assert bytes(piece) == b"last words"


def test_a_checkpoint_outside_the_ring_is_refused() -> None:
    with journal() as (made, _, _), pytest.raises(ValueError, match="between 0 and 0, not at 1"):
        made.checkpoint(b"", 1)


def test_the_mark_is_seen_without_a_mapping() -> None:
    with journal() as (made, _, fd):
        made.mark_feeding(True)
        during = feeding_mark(fd)
        made.mark_feeding(False)

        assert (during, feeding_mark(fd)) == (True, False)


def test_memory_that_is_no_journal_is_refused() -> None:
    fd = create_state_fd()
    with pytest.raises(JournalDamaged, match="no terminal journal"):
        TerminalJournal(fd)
    os.close(fd)


def test_nobody_can_shorten_the_memory() -> None:
    # A shorter memory would raise SIGBUS in whoever maps it.
    with journal() as (_, _, fd), pytest.raises(PermissionError):
        os.ftruncate(fd, PAGE)


def test_the_file_behind_a_journal_without_memfd_owns_all_its_blocks() -> None:
    # Where there is no memfd (which no disk backs at all) an unlinked file is used; its blocks are
    # reserved, so a disk that fills up later cannot raise SIGBUS at a store.
    fd = create_file_fd(1 << 20)
    found = os.fstat(fd)
    os.close(fd)

    assert (found.st_size, found.st_nlink) == (1 << 20, 0)
    assert found.st_blocks * 512 >= 1 << 20


class Recording(SharedMemory):
    """Keeps what a killed process would have left before and after every store."""

    def __init__(self, fd: int) -> None:
        super().__init__(fd)
        self.left: list[bytes] = []

    def store(self, word: int, value: int) -> None:
        self._note()
        super().store(word, value)
        self._note()

    def copy(self, offset: int, payload: bytes | memoryview) -> None:
        self._note()
        half = len(payload) // 2
        super().copy(offset, payload[:half])
        self._note()
        super().copy(offset + half, payload[half:])
        self._note()

    def discard(self, offset: int, length: int) -> None:
        super().discard(offset, length)
        self._note()

    def _note(self) -> None:
        self.left.append(bytes(self.view))


def replayed(left: bytes) -> tuple[bytes, bytes]:
    """Return what the next process finds in the memory that a killed one left."""
    fd = os.memfd_create("left")
    os.write(fd, left)
    found = TerminalJournal(fd)
    replay = found.replay()
    found.close()
    os.close(fd)
    return replay


def test_a_checkpoint_killed_at_any_store_leaves_the_old_or_the_new() -> None:
    fd = create_journal_fd("test", capacity=CAPACITY, room=ROOM)
    memory = Recording(fd)
    made = TerminalJournal(fd, memory=memory)
    feed = Feed()
    os.write(feed.write_fd, b"one two")
    made.read_from(feed.read_fd, 100)
    assert made.checkpoint(b"ONE", 3)
    memory.left.clear()

    assert made.checkpoint(b"a longer dump of one and two", 7)

    results = [replayed(left) for left in memory.left]
    old, new = (b"ONE", b" two"), (b"a longer dump of one and two", b"")
    turn = results.index(new)
    assert results == [old] * turn + [new] * (len(results) - turn)
    assert turn > 5
    made.close()
    feed.close()
    os.close(fd)


def test_a_read_killed_at_any_store_loses_no_byte() -> None:
    fd = create_journal_fd("test", capacity=CAPACITY, room=ROOM)
    memory = Recording(fd)
    made = TerminalJournal(fd, memory=memory)
    feed = Feed()
    for _ in range(3):
        # Into the second lap, where the ring ahead must be cleaned before it is read into.
        os.write(feed.write_fd, b"x" * (CAPACITY // 2))
        while made.read_from(feed.read_fd, CAPACITY):
            pass
        assert made.checkpoint(b"so far", made.head)
    os.write(feed.write_fd, b"last words")
    memory.left.clear()

    piece = made.read_from(feed.read_fd, 100)

    assert piece is not None
    results = [replayed(left) for left in memory.left]
    first = results.index((b"so far", b"last words"))
    # Before the read the words are still in the pipe; from the read on they are in the journal.
    assert results[:first] == [(b"so far", b"")] * first
    assert results[first:] == [(b"so far", b"last words")] * 2
    made.close()
    feed.close()
    os.close(fd)


def test_a_dropping_read_killed_at_any_store_leaves_a_true_tail_of_the_output() -> None:
    fd = create_journal_fd("test", capacity=CAPACITY, room=ROOM)
    memory = Recording(fd)
    made = TerminalJournal(fd, memory=memory)
    feed = Feed()
    output = bytes(index % 251 + 1 for index in range(CAPACITY + 100))
    os.write(feed.write_fd, output)
    while made.head < CAPACITY:
        made.read_or_drop(feed.read_fd, 1000)
    memory.left.clear()

    made.read_or_drop(feed.read_fd, 1000)

    results = [replayed(left) for left in memory.left]
    assert all(dump == b"" and rest in output for dump, rest in results)
    assert results[-1] == (b"", output[1000:])
    assert made.lost == 1000
    made.close()
    feed.close()
    os.close(fd)


def test_the_state_is_replaced_as_a_whole_and_a_larger_one_is_refused() -> None:
    fd = create_state_fd(room=PAGE)
    slot = StateSlot(fd)
    empty = slot.load()
    slot.save(b"first")
    slot.save(b"second")
    with pytest.raises(ValueError, match="4097 bytes does not fit: at most 4096 bytes"):
        slot.save(bytes(PAGE + 1))
    again = StateSlot(fd)

    assert (empty, again.load()) == (b"", b"second")
    slot.close()
    again.close()
    os.close(fd)
