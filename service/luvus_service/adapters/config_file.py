"""The configuration file of a home: read whole, replaced whole, changed under a lock.

Other servers of the same home do the same; the lock is a `flock` on a file beside it, so it ends
with whoever holds it.
"""

from __future__ import annotations

import fcntl
import os
import threading
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, cast

import orjson

from luvus_service.uhp.domain.storage import ConfigBusy, ConfigUnusable

LOCK_WAIT_S = 1.0
"""How long one attempt waits for another process to let go of the lock."""
FILE_BYTES = 1_048_576
"""A larger file is no configuration."""
KEPT_ASIDE = 16
"""Broken files that are kept; the next one replaces the last of them."""
_RETRY_S = 0.02


class JsonConfigFile:
    """`config.json` in a home; implements the engine's `ConfigFile`."""

    def __init__(self, home: Path) -> None:
        self._path = home / "config.json"
        self._lock_path = home / "config.lock"
        self._abandoned = threading.Event()

    def read(self) -> dict[str, Any]:
        """Return what is stored, empty when there is nothing yet."""
        try:
            with self._path.open("rb") as file:
                raw = file.read(FILE_BYTES + 1)
        except FileNotFoundError:
            return {}
        except OSError as fault:
            raise ConfigUnusable(f"{self._path} cannot be read: {fault.strerror}") from fault
        if len(raw) > FILE_BYTES:
            raise ConfigUnusable(f"{self._path} is larger than {FILE_BYTES} bytes")
        try:
            found: object = orjson.loads(raw)
        except orjson.JSONDecodeError as fault:
            raise ConfigUnusable(f"{self._path} is no JSON: {fault}") from fault
        if not isinstance(found, dict):
            raise ConfigUnusable(f"{self._path} holds no JSON object")
        return cast("dict[str, Any]", found)

    def rescue(self) -> str | None:
        """Put a broken file aside and return where it is now; None when it is not broken."""
        with self._locked():
            return self._set_aside()

    def update(self, change: Callable[[Mapping[str, Any]], dict[str, Any]]) -> None:
        """Replace what is stored by what `change` makes of it, under the lock."""
        with self._locked():
            self._set_aside()
            changed = change(self.read())
            try:
                self._replace(orjson.dumps(changed, option=orjson.OPT_INDENT_2) + b"\n")
            except OSError as fault:
                text = f"{self._path} cannot be written: {fault.strerror}"
                raise ConfigUnusable(text) from fault

    def abandon(self) -> None:
        """Let waits for the lock end at once, from now on."""
        self._abandoned.set()

    def _set_aside(self) -> str | None:
        try:
            self.read()
        except ConfigUnusable:
            number = 1
            while number < KEPT_ASIDE and self._aside(number).exists():
                number += 1
            try:
                self._path.rename(self._aside(number))
            except OSError as fault:
                text = f"{self._path} cannot be moved aside: {fault.strerror}"
                raise ConfigUnusable(text) from fault
            return str(self._aside(number))
        return None

    def _aside(self, number: int) -> Path:
        return self._path.with_name(f"{self._path.name}.broken-{number}")

    def _replace(self, content: bytes) -> None:
        # Only whoever holds the lock writes, so one name is enough, and what a killed writer left
        # there is overwritten.
        new = self._path.with_name(f"{self._path.name}.new")
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
        descriptor = os.open(new, flags, 0o600)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            new.rename(self._path)
        except OSError:
            with suppress(OSError):
                new.unlink()
            raise
        sync_folder(self._path.parent)

    @contextmanager
    def _locked(self) -> Generator[None]:
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        try:
            descriptor = os.open(self._lock_path, flags, 0o600)
        except OSError as fault:
            text = f"{self._lock_path} cannot be opened: {fault.strerror}"
            raise ConfigUnusable(text) from fault
        try:
            self._take(descriptor)
            yield
        finally:
            os.close(descriptor)

    def _take(self, descriptor: int) -> None:
        tries = max(1, round(LOCK_WAIT_S / _RETRY_S))
        for _ in range(tries):
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if self._abandoned.wait(_RETRY_S):
                    break
            else:
                return
        raise ConfigBusy(f"{self._lock_path} is held by another process")


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
