"""A session that is kept nowhere: for `--no-session`."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections.abc import Sequence

from luvus_service.luxe.domain.records import Moved, Record, SessionHeader, SessionSummary, moved
from luvus_service.luxe.domain.store_ports import Loaded, SessionLog, StoreFailure


class MemoryLog:
    """Pictures in memory; spilled outputs in a temporary folder that `close` removes."""

    def __init__(self, header: SessionHeader) -> None:
        self._header = header
        self._folder: str | None = None
        self._images: dict[str, bytes] = {}

    @property
    def header(self) -> SessionHeader:
        """The first record."""
        return self._header

    @property
    def folder(self) -> str:
        """A temporary folder, made at the first use."""
        if self._folder is None:
            self._folder = tempfile.mkdtemp(prefix="luxe-")
        return self._folder

    def size(self) -> int:
        """Return 0: nothing is stored."""
        return 0

    def append(self, record: Record) -> None:
        """Do nothing: the conversation itself remembers what it needs."""

    def move(self, cwd: str, project_key: str) -> None:
        """Let the session belong to another directory."""
        self._header = moved(self._header, Moved(cwd, project_key))

    def put_image(self, data: bytes) -> str:
        """Keep a picture."""
        sha256 = hashlib.sha256(data).hexdigest()
        self._images[sha256] = data
        return sha256

    def image(self, sha256: str) -> bytes | None:
        """Return a kept picture."""
        return self._images.get(sha256)

    async def sync(self) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Remove the temporary folder."""
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None


class NoStore:
    """Makes sessions and finds none."""

    def create(self, header: SessionHeader) -> SessionLog:
        """Begin a session."""
        return MemoryLog(header)

    async def open(self, session_id: str) -> tuple[SessionLog, Loaded]:
        """Refuse: nothing was stored."""
        raise StoreFailure("not_found", f"there is no session {session_id[:64]!r}")

    async def newest(self, cwd: str) -> str | None:
        """Return None."""
        return None

    async def listed(self, cwd: str, current: str | None) -> Sequence[SessionSummary]:
        """Return nothing."""
        return ()
