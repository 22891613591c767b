"""The store on SQLite: one file, one connection, one thread that uses it.

A write returns after its commit has been synchronised. A file that cannot be ours is put aside,
never deleted; a file of a later version is left alone, and nothing is stored then.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sqlite3
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from luvus_service.adapters.store.schema import Foreign, Newer, prepare
from luvus_service.uhp.domain.storage import Delete, Put, StoreFailed

BUSY_S = 2.0
"""How long a read of the file by somebody else may hold up a write."""
KEPT_ASIDE = 16
"""Files put aside beside the one in use; when all names are taken nothing is stored."""
QUEUED = 64
"""Reads and writes that wait for the thread; more are refused."""
WAL_BYTES = 8 << 20
"""What the write-ahead log is cut back to after a large write."""
_SUFFIXES = ("", "-wal", "-shm")

T = TypeVar("T")
_log = logging.getLogger(__name__)


class SqliteStore:
    """Records of one session; implements the engine's `Store`."""

    def __init__(self, path: Path) -> None:
        """Open nothing yet: the first read or write does."""
        self._path = path
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="store")
        self._connection: sqlite3.Connection | None = None
        self._refused: str | None = None
        self._queued = 0
        self._closed = False
        self.put_aside: Path | None = None
        """Where a file was put that could not be used."""

    async def read(self, kind: str) -> dict[str, bytes]:
        """Return all records of a kind by their keys."""
        query = "SELECT key, body FROM record WHERE kind = ?"
        rows = await self._run(lambda: self._select(query, kind))
        return {str(key): bytes(body) for key, body in rows}

    async def keys(self, kind: str) -> set[str]:
        """Return the keys of all records of a kind."""
        rows = await self._run(lambda: self._select("SELECT key FROM record WHERE kind = ?", kind))
        return {str(row[0]) for row in rows}

    async def write(self, changes: Sequence[Put | Delete]) -> None:
        """Make all changes or none; return once a loss of power cannot undo them."""
        await self._run(lambda: self._write(changes))

    async def close(self) -> None:
        """Finish what is under way and let go of the file."""
        if self._closed:
            return
        self._closed = True
        await asyncio.get_running_loop().run_in_executor(self._thread, self._disconnect)
        self._thread.shutdown(wait=False)

    async def _run(self, job: Callable[[], T]) -> T:
        if self._closed:
            raise StoreFailed("the store is closed")
        if self._queued >= QUEUED:
            raise StoreFailed(f"{QUEUED} calls wait for the disk already")
        self._queued += 1
        try:
            # The thread finishes a write whose caller was cancelled: a commit has no half.
            return await asyncio.get_running_loop().run_in_executor(self._thread, job)
        finally:
            self._queued -= 1

    # -- in the thread ---------------------------------------------------------------------------

    def _select(self, query: str, kind: str) -> list[tuple[Any, ...]]:
        try:
            return self._open().execute(query, (kind,)).fetchall()
        except sqlite3.Error as fault:
            if not _broken(fault):
                raise StoreFailed(f"{self._path} cannot be read: {fault}") from fault
            self._set_aside(str(fault))
            return []

    def _write(self, changes: Sequence[Put | Delete]) -> None:
        try:
            self._commit(changes)
        except sqlite3.Error as fault:
            raise StoreFailed(f"{self._path} cannot be written: {fault}") from fault

    def _commit(self, changes: Sequence[Put | Delete]) -> None:
        connection = self._open()
        connection.execute("BEGIN IMMEDIATE")
        try:
            for change in changes:
                if isinstance(change, Put):
                    connection.execute(
                        "INSERT INTO record (kind, key, body) VALUES (?, ?, ?) "
                        "ON CONFLICT (kind, key) DO UPDATE SET body = excluded.body",
                        (change.kind, change.key, change.body),
                    )
                else:
                    statement = "DELETE FROM record WHERE kind = ? AND key = ?"
                    connection.execute(statement, (change.kind, change.key))
            connection.execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
            raise

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            if self._refused is not None:
                raise StoreFailed(self._refused)
            try:
                self._connection = self._connect()
            except Newer as fault:
                self._refused = f"{self._path} is of a later version and left alone: {fault}"
                raise StoreFailed(self._refused) from fault
            except Foreign as fault:
                self._set_aside(str(fault))
                return self._open()
            except sqlite3.Error as fault:
                if not _broken(fault):
                    raise
                self._set_aside(str(fault))
                return self._open()
            except OSError as fault:
                raise StoreFailed(f"{self._path} cannot be used: {fault.strerror}") from fault
        return self._connection

    def _connect(self) -> sqlite3.Connection:
        # SQLite gives its other files the mode of this one.
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        os.close(os.open(self._path, flags, 0o600))
        connection = sqlite3.connect(
            self._path, timeout=BUSY_S, isolation_level=None, check_same_thread=False
        )
        try:
            if connection.execute("PRAGMA quick_check(1)").fetchone() != ("ok",):
                raise sqlite3.DatabaseError("database disk image is malformed")
            # Foreign and newer files are told before anything in them is changed.
            prepare(connection)
            connection.execute("PRAGMA journal_mode = WAL").close()
            connection.execute("PRAGMA synchronous = FULL").close()
            connection.execute(f"PRAGMA journal_size_limit = {WAL_BYTES}").close()
        except BaseException:
            connection.close()
            raise
        return connection

    def _disconnect(self) -> None:
        if self._connection is not None:
            with suppress(sqlite3.Error):
                self._connection.close()
            self._connection = None

    def _set_aside(self, reason: str) -> None:
        self._disconnect()
        for number in range(1, KEPT_ASIDE + 1):
            aside = self._path.with_name(f"{self._path.name}.broken-{number}")
            if not any(_beside(aside, suffix).exists() for suffix in _SUFFIXES):
                break
        else:
            self._refused = f"{self._path} cannot be used ({reason}); remove its broken copies"
            raise StoreFailed(self._refused)
        try:
            for suffix in reversed(_SUFFIXES):
                with suppress(FileNotFoundError):
                    _beside(self._path, suffix).rename(_beside(aside, suffix))
        except OSError as fault:
            self._refused = f"{self._path} cannot be moved aside: {fault.strerror}"
            raise StoreFailed(self._refused) from fault
        self.put_aside = aside
        _log.error("%s cannot be used (%s); it is kept as %s", self._path, reason, aside)


def _broken(fault: sqlite3.Error) -> bool:
    return getattr(fault, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF in (
        sqlite3.SQLITE_CORRUPT,
        sqlite3.SQLITE_NOTADB,
    )


def _beside(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)
