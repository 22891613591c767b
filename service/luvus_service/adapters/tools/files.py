"""Files as the tools see them: read in windows, stamped, replaced whole or not at all.

Blocking; called in threads. Only regular files are opened, never a device or a pipe.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import stat
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from luvus_service.luxe.domain.tool_ports import FileStamp

WHOLE_BYTES = 5 * 1024 * 1024
"""Of a file that is written or edited."""
HASHED_BYTES = 16 * 1024 * 1024
"""Bigger files are told apart by time and size only."""
SCANNED_BYTES = 512 * 1024 * 1024
"""How far into a file a window is looked for."""
SNIFFED_BYTES = 8_000
BLOCK_BYTES = 256 * 1024
BOM = b"\xef\xbb\xbf"


class FileFault(Exception):
    """A file cannot be used; the sentence says why."""


@dataclass(frozen=True, slots=True)
class WholeFile:
    """A file's bytes with what is needed to replace it."""

    raw: bytes
    stamp: FileStamp
    mode: int


@dataclass(frozen=True, slots=True)
class Window:
    """Some lines of a file."""

    lines: tuple[str, ...]
    more: bool
    """Whether the file goes on after them."""
    cut: bool
    """Whether a line was too long to be shown whole."""
    empty: bool
    stamp: FileStamp
    seen_lines: int
    """Lines from the beginning up to the end of the window."""


@contextmanager
def opened(path: str, shown: str) -> Generator[int]:
    """Open a regular file for reading; a link at the end of the path is not followed.

    Raises:
        FileFault: It is not there, is no regular file, or may not be read.
    """
    try:
        # Without O_NONBLOCK a pipe without a writer would hold the thread for ever.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        raise FileFault(f"there is no file {shown}") from None
    except OSError as fault:
        raise FileFault(f"{shown} cannot be opened: {fault.strerror}") from fault
    try:
        status = os.fstat(descriptor)
        if stat.S_ISDIR(status.st_mode):
            raise FileFault(f"{shown} is a folder")
        if not stat.S_ISREG(status.st_mode):
            raise FileFault(f"{shown} is no regular file")
        yield descriptor
    finally:
        os.close(descriptor)


def whole(path: str, shown: str) -> WholeFile:
    """Return all bytes of a file of at most `WHOLE_BYTES`.

    Raises:
        FileFault: It cannot be read, or is bigger.
    """
    with opened(path, shown) as descriptor:
        status = os.fstat(descriptor)
        if status.st_size > WHOLE_BYTES:
            raise FileFault(f"{shown} has {status.st_size} bytes; at most {WHOLE_BYTES} are taken")
        raw = b"".join(_blocks(descriptor, WHOLE_BYTES + 1))
    if len(raw) > WHOLE_BYTES:
        raise FileFault(f"{shown} grows while it is read")
    stamp = FileStamp(status.st_mtime_ns, len(raw), hashlib.sha256(raw).hexdigest())
    return WholeFile(raw, stamp, stat.S_IMODE(status.st_mode))


def text_of(raw: bytes, shown: str) -> str:
    """Return bytes as text, without a byte order mark.

    Raises:
        FileFault: They are no UTF-8 text.
    """
    if b"\0" in raw[:SNIFFED_BYTES]:
        raise FileFault(f"{shown} is binary")
    try:
        return raw.removeprefix(BOM).decode("utf-8")
    except UnicodeDecodeError as fault:
        raise FileFault(f"{shown} is not UTF-8 at byte {fault.start}") from None


def stamp_of(path: str, shown: str) -> FileStamp:
    """Return what a file is now."""
    with opened(path, shown) as descriptor:
        return _stamp(descriptor)


def unchanged(before: FileStamp, now: FileStamp) -> bool:
    """Say whether a file still holds what it held."""
    if before.sha256 and now.sha256:
        return before.sha256 == now.sha256
    return (before.mtime_ns, before.size) == (now.mtime_ns, now.size)


def window(path: str, shown: str, *, first: int, count: int, chars: int, size: int) -> Window:
    """Return lines from number `first` on, at most `count` and about `size` bytes of them.

    Long lines are cut at `chars`; nothing but the window is held in memory.

    Raises:
        FileFault: It cannot be read as text, or the window lies too far inside.
    """
    with opened(path, shown) as descriptor:
        stamp = _stamp(descriptor)
        os.lseek(descriptor, 0, os.SEEK_SET)
        taking = _Taking(first, count, chars, size)
        for number, block in enumerate(_blocks(descriptor, SCANNED_BYTES)):
            if number == 0:
                if b"\0" in block[:SNIFFED_BYTES]:
                    raise FileFault(f"{shown} is binary ({stamp.size} bytes)")
                block = block.removeprefix(BOM)  # noqa: PLW2901 - the mark is no text
            if not taking.take(block):
                break
        else:
            if stamp.size > SCANNED_BYTES and not taking.begun:
                raise FileFault(f"line {first} of {shown} is too far inside; use tail or sed")
            taking.end()
    return Window(
        tuple(taking.lines), taking.more, taking.cut, stamp.size == 0, stamp, taking.number - 1
    )


class _Taking:
    """Cuts blocks of bytes into the lines of a window."""

    def __init__(self, first: int, count: int, chars: int, size: int) -> None:
        self.lines: list[str] = []
        self.number = 1
        self.more = False
        self.cut = False
        self._first = first
        self._count = count
        self._chars = chars
        self._room = size
        self._line = bytearray()
        self._line_cut = False
        self._open = False

    @property
    def begun(self) -> bool:
        return self.number > self._first or bool(self.lines)

    def take(self, block: bytes) -> bool:
        """Take a block; False when the window is full."""
        start = 0
        while start < len(block):
            if len(self.lines) >= self._count or self._room <= 0:
                self.more = True
                return False
            if self.number < self._first and not self._open:
                skipped = self._skip(block, start)
                if skipped is None:
                    return True
                start = skipped
                continue
            end = block.find(b"\n", start)
            piece = block[start : end if end >= 0 else len(block)]
            self._keep(piece)
            self._open = True
            if end < 0:
                return True
            self._close()
            start = end + 1
        return True

    def end(self) -> None:
        """Take the last line, which has no line feed."""
        if self._open:
            self._close()

    def _skip(self, block: bytes, start: int) -> int | None:
        """Return where the next wanted line begins, or None when it is not in this block."""
        while self.number < self._first:
            end = block.find(b"\n", start)
            if end < 0:
                return None
            self.number += 1
            start = end + 1
        return start

    def _keep(self, piece: bytes) -> None:
        room = 4 * self._chars - len(self._line)
        if len(piece) > room:
            self._line_cut = True
        self._line += piece[: max(0, room)]

    def _close(self) -> None:
        text = self._line.decode("utf-8", "replace").removesuffix("\r")
        if len(text) > self._chars or self._line_cut:
            text = text[: self._chars] + "… [line cut]"
            self.cut = True
        self.lines.append(text)
        self._room -= len(text.encode("utf-8", "replace")) + 1
        self.number += 1
        self._line.clear()
        self._line_cut = False
        self._open = False


def replace_whole(path: str, raw: bytes, *, mode: int | None, expected: FileStamp | None) -> None:
    """Put bytes in a file's place, so that every reader sees the old or the new file.

    Missing folders are made. `mode` None is for a new file. A file that is not as `expected`
    (None: not there) is left alone.

    Raises:
        FileFault: It changed, or cannot be written; it is as before.
    """
    target = Path(path)
    shown = target.name
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary = target.parent / f".{shown[:80]}.{secrets.token_hex(6)}.tmp"
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
        # The kernel takes the umask off a new file's mode; an old file's mode is kept as it is.
        descriptor = os.open(temporary, flags, 0o666 if mode is None else 0o600)
        try:
            try:
                _write_all(descriptor, raw)
                if mode is not None:
                    _keep_owner(descriptor, target)
                    os.fchmod(descriptor, mode)
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
            _check_unchanged(path, expected)
            temporary.replace(target)
        finally:
            temporary.unlink(missing_ok=True)
        _sync_folder(target.parent)
    except OSError as fault:
        raise FileFault(f"{shown} cannot be written: {fault.strerror}") from fault


def _check_unchanged(path: str, expected: FileStamp | None) -> None:
    name = Path(path).name
    if os.path.realpath(path) != path:
        raise FileFault(f"{name} leads elsewhere now than when it was asked for")
    if expected is None:
        if os.path.lexists(path):
            raise FileFault(f"{name} has been made by somebody else meanwhile; read it first")
    elif not unchanged(expected, stamp_of(path, name)):
        raise FileFault(f"{name} has changed since it was read; read it again")


def _keep_owner(descriptor: int, target: Path) -> None:
    with suppress(OSError):
        status = target.stat()
        if (status.st_uid, status.st_gid) != (os.geteuid(), os.getegid()):
            os.fchown(descriptor, status.st_uid, status.st_gid)


def _write_all(descriptor: int, raw: bytes) -> None:
    view = memoryview(raw)
    while view:
        view = view[os.write(descriptor, view) :]


def _sync_folder(folder: Path) -> None:
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _stamp(descriptor: int) -> FileStamp:
    status = os.fstat(descriptor)
    if status.st_size > HASHED_BYTES:
        return FileStamp(status.st_mtime_ns, status.st_size, "")
    digest = hashlib.sha256()
    for block in _blocks(descriptor, HASHED_BYTES + 1):
        digest.update(block)
    return FileStamp(status.st_mtime_ns, status.st_size, digest.hexdigest())


def _blocks(descriptor: int, limit: int) -> Iterator[bytes]:
    left = limit
    while left > 0 and (block := os.read(descriptor, min(BLOCK_BYTES, left))):
        left -= len(block)
        yield block


def first_bytes(descriptor: int, count: int) -> bytes:
    """Return the beginning of an open file."""
    return os.read(descriptor, count)
