"""Disks in memory, for tests of what is stored when."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from luvus_service.uhp.domain.storage import (
    ConfigBusy,
    ConfigUnusable,
    Delete,
    FileRefused,
    Put,
    StoreFailed,
)


class MemoryStore:
    """A store whose writes the test can watch, refuse and wait for."""

    def __init__(self, records: Mapping[tuple[str, str], bytes] | None = None) -> None:
        self.records = dict(records or {})
        self.writes: list[Sequence[Put | Delete]] = []
        self.fault: str | None = None
        self.wrote = asyncio.Event()

    async def read(self, kind: str) -> dict[str, bytes]:
        """Return the records of a kind."""
        return {key: body for (k, key), body in self.records.items() if k == kind}

    async def keys(self, kind: str) -> set[str]:
        """Return their keys."""
        return set(await self.read(kind))

    async def write(self, changes: Sequence[Put | Delete]) -> None:
        """Make the changes, or fail as the test wants."""
        if self.fault is not None:
            raise StoreFailed(self.fault)
        self.writes.append(changes)
        for change in changes:
            if isinstance(change, Put):
                self.records[change.kind, change.key] = change.body
            else:
                self.records.pop((change.kind, change.key), None)
        self.wrote.set()

    async def until(self, condition: Callable[[], bool]) -> None:
        """Return when a condition holds, looking after each write."""
        while not condition():
            self.wrote.clear()
            await self.wrote.wait()

    async def close(self) -> None:
        """Do nothing."""


class MemoryConfig:
    """A configuration file that may be locked or broken."""

    def __init__(self, stored: dict[str, Any] | None = None) -> None:
        self.stored: dict[str, Any] = stored or {}
        self.locked = False
        self.broken = False
        self.tries = 0
        self.refused = threading.Event()

    def read(self) -> dict[str, Any]:
        """Return what is stored."""
        if self.broken:
            raise ConfigUnusable("config.json is no JSON")
        return self.stored

    def rescue(self) -> str | None:
        """Put it aside."""
        self.broken, self.stored = False, {}
        return "config.json.broken-1"

    def update(self, change: Callable[[Mapping[str, Any]], dict[str, Any]]) -> None:
        """Change it, unless it is locked."""
        self.tries += 1
        if self.locked:
            self.refused.set()
            raise ConfigBusy("config.lock is held")
        self.stored = change(self.stored)

    def abandon(self) -> None:
        """Do nothing."""


class MemoryFile:
    """A file that may be slow or full."""

    def __init__(self, gate: Callable[[], None]) -> None:
        self.content = b""
        self.closed = False
        self.full = False
        self._gate = gate

    def write(self, data: bytes) -> None:
        """Append."""
        self._gate()
        if self.full:
            raise FileRefused("no space left")
        self.content += data

    def close(self) -> None:
        """Close."""
        self.closed = True


class MemoryFiles:
    """Files by their path."""

    def __init__(self, gate: Callable[[], None] = lambda: None) -> None:
        self.files: dict[str, MemoryFile] = {}
        self._gate = gate

    def create(self, path: str, *, replace: bool) -> MemoryFile:
        """Make a file."""
        if path in self.files and not replace:
            raise FileRefused(f"{path} is there already")
        self.files[path] = MemoryFile(self._gate)
        return self.files[path]
