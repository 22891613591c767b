"""Shared memory that outlives the process that fills it, and records in it that cannot tear.

Knows nothing of terminals. The writer may be killed at any instruction: what a later process
finds is the old record or the new one, because one aligned 8-byte store decides between them.
"""

from __future__ import annotations

import fcntl
import mmap
import os
from collections.abc import Sequence
from pathlib import Path

PAGE = mmap.PAGESIZE
WORD = 8
_FILL_STEP = 1 << 20


def create_memory_fd(name: str, size: int) -> int:
    """Return a descriptor of `size` zero bytes that no file name leads to; the caller closes it."""
    if hasattr(os, "memfd_create"):
        fd = os.memfd_create(name[:200], os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        os.ftruncate(fd, size)
        # Nobody who holds the descriptor can shorten it, so a mapping never raises SIGBUS.
        seals = fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL
        fcntl.fcntl(fd, fcntl.F_ADD_SEALS, seals)
        return fd
    return create_file_fd(size)


def create_file_fd(size: int) -> int:
    """Return an unlinked temporary file of `size` zero bytes whose blocks are all reserved.

    Reserved, because a store into a hole of a file raises SIGBUS when the disk is full.
    """
    # Where memory has descriptors this is never run, and the host stays small.
    import tempfile

    fd, path = tempfile.mkstemp(prefix="luvus-journal-")
    try:
        Path(path).unlink()
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(fd, 0, size)
        else:
            for at in range(0, size, _FILL_STEP):
                os.pwrite(fd, bytes(min(_FILL_STEP, size - at)), at)
    except BaseException:
        os.close(fd)
        raise
    return fd


class SharedMemory:
    """A mapping of a whole descriptor; `words` are its first page as 8-byte numbers."""

    def __init__(self, fd: int) -> None:
        """Map `fd`, which stays the caller's."""
        self.fd = fd
        self.size = os.fstat(fd).st_size
        self._map = mmap.mmap(fd, self.size)
        self.view = memoryview(self._map)
        self.words = self.view[:PAGE].cast("Q")

    def store(self, word: int, value: int) -> None:
        """Publish one number with a single aligned store."""
        self.words[word] = value

    def copy(self, offset: int, payload: bytes | memoryview) -> None:
        """Put bytes at `offset`; not atomic."""
        self.view[offset : offset + len(payload)] = payload

    def discard(self, offset: int, length: int) -> None:
        """Give back the whole pages inside this range; they read as zero, or as they were."""
        first = -(-offset // PAGE) * PAGE
        last = (offset + length) // PAGE * PAGE
        if last > first and hasattr(mmap, "MADV_REMOVE"):
            self._map.madvise(mmap.MADV_REMOVE, first, last - first)

    def close(self) -> None:
        """Unmap as soon as nobody holds a view any more; the descriptor stays open."""
        self.words.release()
        self.view.release()
        try:
            self._map.close()
        except BufferError:
            # Somebody still reads a piece of it; the last view frees the mapping.
            return


class TwoAreas:
    """A record with a few numbers, kept in two places of which one is in force.

    Takes the words `first_word` (the turn) and after it, for each area, the length and the
    numbers. An even turn means that area A is in force, an odd one area B.
    """

    def __init__(
        self, memory: SharedMemory, *, first_word: int, offset: int, room: int, numbers: int
    ) -> None:
        """Lay the record out; both areas are `room` bytes and start at `offset`."""
        self._memory = memory
        self._turn = first_word
        self._slot_words = 1 + numbers
        self._offset = offset
        self.room = room

    def number(self, index: int) -> int:
        """Return one of the numbers in force."""
        words = self._memory.words
        return words[self._slot(words[self._turn] & 1) + 1 + index]

    def payload(self) -> bytes:
        """Return the bytes in force."""
        area = self._memory.words[self._turn] & 1
        at = self._offset + area * self.room
        return bytes(self._memory.view[at : at + self._memory.words[self._slot(area)]])

    def write(self, payload: bytes, numbers: Sequence[int]) -> bool:
        """Put a new record in force and give the old one's pages back; False when too large."""
        if len(payload) > self.room:
            return False
        memory = self._memory
        turn = memory.words[self._turn]
        old, new = turn & 1, 1 - (turn & 1)
        slot = self._slot(new)
        memory.copy(self._offset + new * self.room, payload)
        memory.store(slot, len(payload))
        for index, value in enumerate(numbers):
            memory.store(slot + 1 + index, value)
        memory.store(self._turn, turn + 1)
        left = -(-memory.words[self._slot(old)] // PAGE) * PAGE
        memory.discard(self._offset + old * self.room, left)
        return True

    def _slot(self, area: int) -> int:
        return self._turn + 1 + area * self._slot_words
