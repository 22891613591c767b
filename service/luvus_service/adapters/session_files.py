"""Sessions as files of JSON lines: appended only, locked while open, repaired when read.

Each record is one write that ends in a newline. The libraries that read records are loaded when
the first file is read.
"""

from __future__ import annotations

import asyncio
import errno
import fcntl
import hashlib
import os
import re
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import orjson

from luvus_service.adapters.session_summary import ends_in_a_turn, summarised
from luvus_service.luxe.domain.limits import ID_PREFIX_CHARS
from luvus_service.luxe.domain.records import Moved, Record, SessionHeader, SessionSummary, moved
from luvus_service.luxe.domain.store_ports import Loaded, SessionLog, StoreFailure

LOCK_TRIES = 3
"""A listing in another process holds a file's lock for a moment."""
LOCK_PAUSE_S = 0.02
LOCKED = "another Luxe process has this session open"
_ID = re.compile(r"[0-9a-f-]{1,36}")
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
TAIL_CHARS = 40


def project_key(cwd: str) -> str:
    """Return the name of a directory's folder: a readable tail and a hash."""
    tail = _UNSAFE.sub("-", Path(cwd).name).strip("-.")[-TAIL_CHARS:] or "root"
    return f"{tail}-{hashlib.sha256(os.fsencode(cwd)).hexdigest()[:12]}"


class FileLog:
    """One session's file."""

    def __init__(self, path: Path, header: SessionHeader, fd: int | None = None) -> None:
        self._path = path
        self._header = header
        self._fd = fd
        self._closed = False

    @property
    def header(self) -> SessionHeader:
        """The first record."""
        return self._header

    @property
    def folder(self) -> str:
        """Where images and outputs go."""
        folder = self._path.with_suffix("")
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return str(folder)

    def size(self) -> int:
        """Return how many bytes the file has."""
        return os.fstat(self._fd).st_size if self._fd is not None else 0

    def append(self, record: Record) -> None:
        """Write one record as one line."""
        if self._closed:
            raise StoreFailure("io", "the session's file is closed")
        try:
            if self._fd is None:
                self._fd = self._created()
            _write_line(self._fd, encoded(record))
        except OSError as fault:
            raise StoreFailure(
                "io", f"the session's file {self._path} cannot be written: {fault.strerror}"
            ) from fault

    def move(self, cwd: str, project_key: str) -> None:
        """Let the session belong to another directory; its file then lies with that one's."""
        record = Moved(cwd, project_key)
        self.append(record)
        self._header = moved(self._header, record)
        try:
            self.settle()
        except OSError as fault:
            raise StoreFailure(
                "io", f"the session's file {self._path} cannot be moved: {fault.strerror}"
            ) from fault

    def settle(self) -> None:
        """Put the file where its directory's sessions lie; again, when that was broken off."""
        home = self._path.parent.with_name(self._header.project_key)
        if home == self._path.parent:
            return
        home.mkdir(mode=0o700, exist_ok=True)
        # What belongs to the file first: by the file itself a later try sees what is left to do.
        for name in (self._path.stem, self._path.name):
            with suppress(FileNotFoundError):
                (self._path.parent / name).rename(home / name)
        self._path = home / self._path.name

    def put_image(self, data: bytes) -> str:
        """Store a picture under its hash."""
        sha256 = hashlib.sha256(data).hexdigest()
        path = Path(self.folder) / sha256
        if not path.exists():
            unfinished = path.with_suffix(f".{os.getpid()}")
            unfinished.write_bytes(data)
            unfinished.replace(path)
        return sha256

    def image(self, sha256: str) -> bytes | None:
        """Return a stored picture."""
        if not re.fullmatch(r"[0-9a-f]{64}", sha256):
            return None
        try:
            return (self._path.with_suffix("") / sha256).read_bytes()
        except OSError:
            return None

    async def sync(self) -> None:
        """Wait until everything is on the disk."""
        if self._fd is not None:
            await asyncio.to_thread(os.fsync, self._fd)

    def close(self) -> None:
        """Give the lock back."""
        self._closed = True
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None

    def _created(self) -> int:
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC
        fd = os.open(self._path, flags, 0o600)
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        _write_line(fd, encoded(self._header))
        return fd


@dataclass(frozen=True, slots=True)
class Examined:
    """What can be said of a session's file without loading it."""

    missing: bool = False
    fault: str | None = None
    """Why it cannot be opened now."""
    open_turn: bool = False
    """Whether it ends in the middle of a turn."""


class FileStore:
    """All sessions below one folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def create(self, header: SessionHeader) -> SessionLog:
        """Begin a session."""
        return FileLog(self._folder / header.project_key / f"{header.id}.jsonl", header)

    async def open(self, session_id: str) -> tuple[SessionLog, Loaded]:
        """Lock and read a session."""
        return await asyncio.to_thread(self._open, session_id)

    async def newest(self, cwd: str) -> str | None:
        """Return the newest session of this directory that nobody has open."""
        for summary in await self.listed(cwd, None):
            if not summary.locked:
                return summary.id
        return None

    async def listed(self, cwd: str, current: str | None) -> Sequence[SessionSummary]:
        """Return the sessions of this directory, newest first."""
        return await asyncio.to_thread(self._listed, cwd, current)

    async def examined(self, session_id: str) -> Examined:
        """Look at a session's file; change nothing."""
        return await asyncio.to_thread(self._examined, session_id)

    def _examined(self, session_id: str) -> Examined:
        from luvus_service.adapters.session_records import read_header

        try:
            path = self._path_of(session_id)
        except StoreFailure as failure:
            return Examined(missing=failure.code == "not_found", fault=str(failure))
        if _is_locked(path):
            return Examined(fault=LOCKED)
        try:
            with path.open("rb") as file:
                read_header(file.readline().rstrip(b"\n"), path.name)
                return Examined(open_turn=ends_in_a_turn(file))
        except OSError as fault:
            return Examined(fault=f"{path} cannot be read: {fault.strerror}")
        except StoreFailure as failure:
            return Examined(fault=str(failure))

    def _listed(self, cwd: str, current: str | None) -> list[SessionSummary]:
        found: list[SessionSummary] = []
        for path in (self._folder / project_key(cwd)).glob("*.jsonl"):
            try:
                summary = summarised(path)
            except (OSError, ValueError):
                continue
            if summary is None or summary.cwd != cwd:
                continue
            own = summary.id == current
            found.append(replace(summary, current=own, locked=not own and _is_locked(path)))
        return sorted(found, key=lambda summary: (summary.updated_at, summary.id), reverse=True)

    def _open(self, session_id: str) -> tuple[SessionLog, Loaded]:
        path = self._path_of(session_id)
        try:
            fd = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CLOEXEC)
        except OSError as fault:
            raise StoreFailure("io", f"{path} cannot be opened: {fault.strerror}") from fault
        try:
            _lock(fd, path)
            loaded = _loaded(fd, path)
        except BaseException:
            os.close(fd)
            raise
        log = FileLog(path, loaded.header, fd)
        # Where it is it can be used as well.
        with suppress(OSError):
            log.settle()
        return log, loaded

    def _path_of(self, session_id: str) -> Path:
        missing = StoreFailure("not_found", f"there is no session {session_id[:64]!r}")
        if not _ID.fullmatch(session_id):
            raise missing
        exact = list(self._folder.glob(f"*/{session_id}.jsonl"))
        if exact:
            return exact[0]
        if len(session_id) < ID_PREFIX_CHARS:
            raise missing
        paths = list(self._folder.glob(f"*/{session_id}*.jsonl"))
        if len(paths) > 1:
            raise StoreFailure("ambiguous", f"{len(paths)} sessions begin with {session_id}")
        if not paths:
            raise missing
        return paths[0]


def encoded(record: Record | SessionHeader) -> bytes:
    """Return a record as a line with its newline."""
    try:
        return orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE)
    except (TypeError, ValueError):
        # Lone surrogates and very large integers, which a tool's input may hold.
        from luvus_service.adapters.odd_json import plain_line

        return plain_line(record)


def _write_line(fd: int, line: bytes) -> None:
    before = os.fstat(fd).st_size
    view = memoryview(line)
    try:
        while view:
            view = view[os.write(fd, view) :]
    except OSError:
        os.ftruncate(fd, before)
        raise


def _lock(fd: int, path: Path) -> None:
    for left in range(LOCK_TRIES - 1, -1, -1):
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as fault:
            if fault.errno not in {errno.EWOULDBLOCK, errno.EAGAIN}:
                raise StoreFailure("io", f"{path} cannot be locked: {fault.strerror}") from fault
            if not left:
                raise StoreFailure("locked", LOCKED) from fault
            time.sleep(LOCK_PAUSE_S)  # noqa: TID251 - in a worker thread, twice at most
        else:
            return


def _is_locked(path: Path) -> bool:
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    else:
        return False
    finally:
        os.close(fd)


def _loaded(fd: int, path: Path) -> Loaded:
    from luvus_service.adapters.session_records import read_records

    try:
        with os.fdopen(os.dup(fd), "rb") as file:
            raw = file.read()
    except OSError as fault:
        raise StoreFailure("io", f"{path} cannot be read: {fault.strerror}") from fault
    end = raw.rfind(b"\n") + 1
    if end < len(raw):
        # The last write was torn by a crash; what is appended next must start a line.
        os.ftruncate(fd, end)
    header, records, skipped = read_records(raw[:end], path.name)
    return Loaded(header, records, end < len(raw), skipped)
