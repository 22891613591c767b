"""What the engine needs of the place where sessions are stored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from luvus_service.luxe.domain.records import Record, SessionHeader, SessionSummary


class StoreFailure(Exception):
    """A session cannot be read or written; `code` says why."""

    def __init__(
        self, code: Literal["not_found", "locked", "version", "ambiguous", "io"], message: str
    ) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True, slots=True)
class Loaded:
    """What a session's file holds, as far as it can be read."""

    header: SessionHeader
    records: tuple[Record, ...]
    cut: bool = False
    """The last line was torn and has been cut off."""
    skipped: int = 0
    """Broken lines in the middle."""


class SessionLog(Protocol):
    """The open file of one session; this process holds its lock until `close`."""

    @property
    def header(self) -> SessionHeader:
        """The first record, with the directory that the session belongs to now."""
        ...

    @property
    def folder(self) -> str:
        """Where this session's images and spilled outputs go; absolute, mode 0700.

        Made at the first use, so that a session without messages leaves nothing behind.
        """
        ...

    def size(self) -> int:
        """Return how many bytes the file has."""
        ...

    def append(self, record: Record) -> None:
        """Write one record as one line, at once; the file is made by the first one.

        Raises:
            StoreFailure: It could not be written in full; the file ends as before.
        """
        ...

    def move(self, cwd: str, project_key: str) -> None:
        """Let the session belong to another directory from now on.

        Raises:
            StoreFailure: It could not be written.
        """
        ...

    def put_image(self, data: bytes) -> str:
        """Store a picture and return its SHA-256; storing it again does nothing."""
        ...

    def image(self, sha256: str) -> bytes | None:
        """Return a stored picture, or None when it is gone."""
        ...

    async def sync(self) -> None:
        """Wait until everything appended is on the disk."""
        ...

    def close(self) -> None:
        """Give the lock back; nothing is appended afterwards."""
        ...


class SessionStore(Protocol):
    """All sessions of this user."""

    def create(self, header: SessionHeader) -> SessionLog:
        """Begin a session; nothing is on the disk until its first record."""
        ...

    async def open(self, session_id: str) -> tuple[SessionLog, Loaded]:
        """Lock and read a session by its id or a unique beginning of 8 or more characters.

        Raises:
            StoreFailure: Unknown, ambiguous, open in another process, or of a newer version.
        """
        ...

    async def newest(self, cwd: str) -> str | None:
        """Return the newest session recorded in exactly this real path and not locked."""
        ...

    async def listed(self, cwd: str, current: str | None) -> Sequence[SessionSummary]:
        """Return the sessions of this directory, newest first."""
        ...
