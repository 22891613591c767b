"""Files that are made for a caller: owner-only, never over what is there unless told to."""

from __future__ import annotations

import os
import stat
from contextlib import suppress

from luvus_service.uhp.domain.storage import FileRefused


class OwnerFile:
    """A file open for writing; implements the engine's `OutputFile`."""

    def __init__(self, path: str, descriptor: int) -> None:
        self._path = path
        self._descriptor = descriptor

    def write(self, data: bytes) -> None:
        """Append bytes."""
        rest = memoryview(data)
        try:
            while rest:
                rest = rest[os.write(self._descriptor, rest) :]
        except OSError as fault:
            raise FileRefused(f"{self._path} cannot be written: {fault.strerror}") from fault

    def close(self) -> None:
        """Finish the file; closing twice is harmless."""
        if self._descriptor >= 0:
            with suppress(OSError):
                os.close(self._descriptor)
            self._descriptor = -1


class OwnerFiles:
    """Makes such files; implements the engine's `OutputFiles`."""

    def create(self, path: str, *, replace: bool) -> OwnerFile:
        """Make a file of mode 0600 at an absolute path."""
        # Without O_NONBLOCK a named pipe would block until somebody reads it.
        flags = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        try:
            descriptor = os.open(path, flags | (0 if replace else os.O_EXCL), 0o600)
        except FileExistsError as fault:
            raise FileRefused(
                f"{path} is there already; name another file, or use force"
            ) from fault
        except (OSError, ValueError) as fault:
            reason = fault.strerror if isinstance(fault, OSError) else str(fault)
            raise FileRefused(f"{path} cannot be made: {reason}") from fault
        try:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise FileRefused(f"{path} is no regular file")
            os.fchmod(descriptor, 0o600)
            os.ftruncate(descriptor, 0)
        except OSError as fault:
            os.close(descriptor)
            raise FileRefused(f"{path} cannot be written: {fault.strerror}") from fault
        except FileRefused:
            os.close(descriptor)
            raise
        return OwnerFile(path, descriptor)
