"""The recent output of one terminal, and the session's description, in memory that outlives us.

A ring of bytes with absolute positions, a checkpoint before it, and one mark. Used by the server
and, while the server is away, by the host: by one of them at a time. Parses nothing.
"""

from __future__ import annotations

import errno
import os

from luvus_service.adapters.ptyhost.memory import PAGE, SharedMemory, TwoAreas, create_memory_fd

JOURNAL_CAPACITY = 2 << 20
"""Bytes of output between two checkpoints; the memory is only taken when it is used."""
CHECKPOINT_ROOM = 4 << 20
"""The largest dump of a terminal."""
STATE_ROOM = 4 << 20
"""The largest description of a session."""
READ_REACH = 64 << 10
"""How far ahead of `head` one read may reach; the kernel hands out at most 16 KiB at a time."""

_LEAST_REACH = 16 << 10
_MORE_WAITS = 1 << 10
"""A read of at least this much is followed by another: there is probably more."""
_MAGIC = 0x6C75767573_0001
_STATE_MAGIC = 0x6C75767573_1001
_W_MAGIC, _W_CAPACITY, _W_ROOM, _W_HEAD, _W_CLEAN, _W_FEEDING, _W_CHECKPOINT = range(7)
_N_START, _N_LOST = range(2)
_ZEROS = memoryview(bytes(READ_REACH))


class JournalDamaged(Exception):
    """The memory handed over is not a journal of this version."""


def create_journal_fd(
    name: str, *, capacity: int = JOURNAL_CAPACITY, room: int = CHECKPOINT_ROOM
) -> int:
    """Return a new empty journal's descriptor; the caller closes it."""
    for size in (capacity, room):
        if size <= 0 or size % PAGE:
            raise ValueError(f"A journal's sizes are whole pages of {PAGE} bytes, not {size}.")
    fd = create_memory_fd(name, PAGE + capacity + 2 * room)
    memory = SharedMemory(fd)
    memory.store(_W_CAPACITY, capacity)
    memory.store(_W_ROOM, room)
    memory.store(_W_MAGIC, _MAGIC)
    memory.close()
    return fd


def feeding_mark(fd: int) -> bool:
    """Tell whether the journal behind `fd` is marked, without mapping it."""
    return os.pread(fd, 1, _W_FEEDING * 8) == b"\x01"


class TerminalJournal:
    """The journal of one terminal; implements the engine's `Journal`.

    Not thread safe, except that views returned by `read_from` may be read anywhere.
    """

    def __init__(self, fd: int, *, memory: SharedMemory | None = None) -> None:
        """Take a journal over: map it and find bytes that a killed reader did not publish.

        `fd` stays the caller's and must stay open as long as this object.
        """
        self._memory = SharedMemory(fd) if memory is None else memory
        words = self._memory.words
        self.capacity = words[_W_CAPACITY]
        room = words[_W_ROOM]
        if words[_W_MAGIC] != _MAGIC or self._memory.size != PAGE + self.capacity + 2 * room:
            self._memory.close()
            raise JournalDamaged("This memory holds no terminal journal of this version.")
        self._ring = self._memory.view[PAGE : PAGE + self.capacity]
        self._checkpoint = TwoAreas(
            self._memory,
            first_word=_W_CHECKPOINT,
            offset=PAGE + self.capacity,
            room=room,
            numbers=2,
        )
        self._publish_unpublished()

    @property
    def start(self) -> int:
        """Absolute position of the current checkpoint."""
        return self._checkpoint.number(_N_START)

    @property
    def head(self) -> int:
        """Absolute position after the newest byte."""
        return self._memory.words[_W_HEAD]

    @property
    def lost(self) -> int:
        """Bytes overwritten since the last checkpoint because nobody made one in time."""
        return self._checkpoint.number(_N_LOST)

    @property
    def full(self) -> bool:
        """Whether nothing can be read until the next checkpoint."""
        return self.head - self.start >= self.capacity

    def read_from(self, fd: int, limit: int) -> memoryview | None:
        """Read what `fd` has into the ring and return the new bytes.

        At most `limit` bytes, fewer at the ring's end; an empty view at end of file; None when
        nothing can be read now or the ring is full (`full`) until the next checkpoint. The view
        stays valid until a checkpoint has passed it.
        """
        head = self.head
        at = head % self.capacity
        room = min(limit, self.capacity - at, self.start + self.capacity - head)
        total = 0
        while total < room:
            count = self._read_piece(fd, room - total)
            if count is None:
                break
            total += count
            if count == 0 and total == 0:
                return self._ring[at:at]
            if count < _MORE_WAITS:
                break
        return self._ring[at : at + total] if total else None

    def read_or_drop(self, fd: int, limit: int) -> memoryview | None:
        """Read like `read_from`, but when the ring is full, drop the oldest bytes for the new.

        Dropping makes the checkpoint void: `replay` then has an empty one and what is left.
        """
        wanted = min(limit, READ_REACH, self.capacity)
        excess = self.head + wanted - self.start - self.capacity
        if excess > 0:
            start, lost = self.start + excess, self.lost + excess
            self._checkpoint.write(b"", (start, lost))
        return self.read_from(fd, wanted)

    def replay(self) -> tuple[bytes, bytes]:
        """Return the checkpoint (a dump) and all bytes after it."""
        start, head = self.start, self.head
        at = start % self.capacity
        first = bytes(self._ring[at : at + min(head - start, self.capacity - at)])
        rest = bytes(self._ring[: head - start - len(first)])
        return self._checkpoint.payload(), first + rest

    def checkpoint(self, dump: bytes, position: int) -> bool:
        """Replace the checkpoint by a dump that holds everything up to `position`.

        Atomic against a kill at any instant. False when the dump is larger than the room for it.
        """
        start = self.start
        if not start <= position <= self.head:
            raise ValueError(
                f"A checkpoint lies between {start} and {self.head}, not at {position}."
            )
        if not self._checkpoint.write(dump, (position, 0)):
            return False
        # Giving pages back costs 25 times what writing them costs, so a busy terminal, which
        # needs them again at once, keeps them; a checkpoint made in a quiet moment frees them.
        if self.head - start < self.capacity // 2:
            self._discard_outside(position, max(self._memory.words[_W_CLEAN], self.head))
        return True

    def mark_feeding(self, feeding: bool) -> None:
        """Note in shared memory that the emulator is working on this terminal."""
        self._memory.store(_W_FEEDING, 1 if feeding else 0)

    def close(self) -> None:
        """Unmap; views still held keep the memory until they go."""
        self._ring.release()
        self._memory.close()

    def _read_piece(self, fd: int, room: int) -> int | None:
        """Read once and publish; None when nothing waits, 0 at end of file."""
        head = self.head
        reach = min(room, self._clean_ahead(head) - head)
        at = head % self.capacity
        try:
            count = os.readv(fd, [self._ring[at : at + reach]])
        except BlockingIOError:
            return None
        except OSError as fault:
            if fault.errno != errno.EIO:
                raise
            return 0
        self._memory.store(_W_HEAD, head + count)
        return count

    def _clean_ahead(self, head: int) -> int:
        """Return up to where the ring is known to be zero, after making that far enough.

        A reader killed between the read and the store of `head` leaves its bytes there, and the
        next one finds them as the last byte that is not zero. NUL means nothing to a terminal.
        """
        clean = self._memory.words[_W_CLEAN]
        end = self.start + self.capacity
        if clean - head >= _LEAST_REACH or clean == end:
            return clean
        target = min(head + READ_REACH, end)
        position = max(clean, head, self.capacity)
        # Nothing was ever written before the first lap's end, so that part is zero.
        while position < target:
            at = position % self.capacity
            count = min(target - position, self.capacity - at)
            self._memory.copy(PAGE + at, _ZEROS[:count])
            position += count
        self._memory.store(_W_CLEAN, target)
        return target

    def _publish_unpublished(self) -> None:
        head, clean = self.head, self._memory.words[_W_CLEAN]
        at = head % self.capacity
        # One read never wraps, so what it left lies before the ring's end. pread instead of the
        # mapping: looking at a page that was never used must not take memory for it.
        count = min(clean - head, self.capacity - at)
        if count > 0:
            left = os.pread(self._memory.fd, count, PAGE + at).rstrip(b"\0")
            self._memory.store(_W_HEAD, head + len(left))

    def _discard_outside(self, start: int, end: int) -> None:
        """Give back the pages of the ring that hold nothing of [start, end)."""
        first, last = start % self.capacity, end % self.capacity
        if end - start >= self.capacity:
            return
        if first <= last:
            self._memory.discard(PAGE + last, self.capacity - last)
            self._memory.discard(PAGE, first)
        else:
            self._memory.discard(PAGE + last, first - last)


def create_state_fd(*, room: int = STATE_ROOM) -> int:
    """Return a new empty state slot's descriptor; the caller closes it."""
    fd = create_memory_fd("luvus-state", PAGE + 2 * room)
    memory = SharedMemory(fd)
    memory.store(_W_ROOM, room)
    memory.store(_W_MAGIC, _STATE_MAGIC)
    memory.close()
    return fd


class StateSlot:
    """The session's description, replaced as a whole and never torn."""

    def __init__(self, fd: int) -> None:
        """Map the slot; `fd` stays the caller's and must stay open as long as this object."""
        self._memory = SharedMemory(fd)
        room = self._memory.words[_W_ROOM]
        if self._memory.words[_W_MAGIC] != _STATE_MAGIC or self._memory.size != PAGE + 2 * room:
            self._memory.close()
            raise JournalDamaged("This memory holds no session state of this version.")
        self._record = TwoAreas(
            self._memory, first_word=_W_CHECKPOINT, offset=PAGE, room=room, numbers=0
        )

    def load(self) -> bytes:
        """Return what was stored last; empty at first."""
        return self._record.payload()

    def save(self, state: bytes) -> None:
        """Replace the state at once.

        Raises:
            ValueError: The state is larger than the room for it; the old one stays.
        """
        if not self._record.write(state, ()):
            raise ValueError(
                f"A session's state of {len(state)} bytes does not fit: "
                f"at most {self._record.room} bytes are kept."
            )

    def close(self) -> None:
        """Unmap."""
        self._memory.close()
