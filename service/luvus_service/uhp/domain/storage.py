"""What the engine needs of disks, as protocols and the values they exchange."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol


class StoreFailed(Exception):
    """Nothing was stored; the text says why, for people."""


@dataclass(frozen=True, slots=True)
class Put:
    """A record to be stored in place of the one of the same kind and key."""

    kind: str
    key: str
    body: bytes


@dataclass(frozen=True, slots=True)
class Delete:
    """A record to be removed, if it is there."""

    kind: str
    key: str


class Store(Protocol):
    """The session's records on disk: bodies by kind and key."""

    async def read(self, kind: str) -> dict[str, bytes]:
        """Return all records of a kind by their keys.

        Raises:
            StoreFailed: The store cannot be read.
        """
        ...

    async def keys(self, kind: str) -> set[str]:
        """Return the keys of all records of a kind; raises like `read`."""
        ...

    async def write(self, changes: Sequence[Put | Delete]) -> None:
        """Make all changes or none; return once a loss of power cannot undo them.

        Raises:
            StoreFailed: None was made.
        """
        ...

    async def close(self) -> None:
        """Finish what is under way and let go of the file."""
        ...


class ConfigBusy(Exception):
    """Another process held the configuration's lock for too long; try again later."""


class ConfigUnusable(Exception):
    """The configuration cannot be read or written; the text says why, for people."""


class ConfigFile(Protocol):
    """The configuration that all sessions of a home share."""

    def read(self) -> dict[str, Any]:
        """Return what is stored, empty when there is nothing yet; blocking.

        Raises:
            ConfigUnusable: The file is broken or cannot be read.
        """
        ...

    def rescue(self) -> str | None:
        """Put a broken file aside and return where it is now; None when it is not broken.

        Blocking.

        Raises:
            ConfigBusy: The lock was held too long.
            ConfigUnusable: It could not be moved.
        """
        ...

    def update(self, change: Callable[[Mapping[str, Any]], dict[str, Any]]) -> None:
        """Replace what is stored by what `change` makes of it, under the lock; blocking.

        A kill at any instant leaves the old file or the new one. A broken file is put aside.

        Raises:
            ConfigBusy: The lock was held too long.
            ConfigUnusable: The file could not be written.
        """
        ...

    def abandon(self) -> None:
        """Let waits for the lock end at once, from now on."""
        ...


class FileRefused(Exception):
    """A file cannot be made or written; the text says why, for people."""


class OutputFile(Protocol):
    """A new file that is written from front to back."""

    def write(self, data: bytes) -> None:
        """Append bytes; blocking.

        Raises:
            FileRefused: They could not be written.
        """
        ...

    def close(self) -> None:
        """Finish the file; blocking."""
        ...


class OutputFiles(Protocol):
    """Makes files that only their owner can read."""

    def create(self, path: str, *, replace: bool) -> OutputFile:
        """Make a file at an absolute path; blocking.

        Raises:
            FileRefused: Something is there and `replace` is false, or it cannot be made.
        """
        ...
