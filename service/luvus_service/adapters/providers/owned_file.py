"""Reads a small file of the user's own, refusing one that others have a say in."""

from __future__ import annotations

import os
import stat
from pathlib import Path


def read_owned(path: Path, *, limit: int, forbidden: int, remedy: str) -> bytes | None:
    """Return the file's bytes, None when there is no file.

    `forbidden` are the permission bits it must not have; `remedy` is what to do about them.

    Raises:
        OSError: It cannot be read or must not be; its text says why.
    """
    try:
        number = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise OSError(error.strerror or "it cannot be opened") from error
    with os.fdopen(number, "rb") as file:
        found = os.fstat(number)
        if not stat.S_ISREG(found.st_mode):
            raise OSError("it is no regular file")
        if found.st_uid not in (os.geteuid(), 0):
            raise OSError("it belongs to somebody else")
        if stat.S_IMODE(found.st_mode) & forbidden:
            raise OSError(remedy)
        raw = file.read(limit + 1)
    if len(raw) > limit:
        raise OSError(f"it is larger than {limit} bytes")
    return raw
