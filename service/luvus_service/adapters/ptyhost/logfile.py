"""The session's log file, which the server and the host append to, kept below a size."""

from __future__ import annotations

import os
from pathlib import Path

LOG_LIMIT = 4 << 20
"""Bytes after which the log is moved aside once; the one before is dropped."""
LOG_CHECK_S = 30.0
"""How often the size is looked at while nothing else happens."""
TAIL_LIMIT = 4 << 10


def open_log(path: str) -> int:
    """Return the log opened for appending, owner-only; the caller closes it."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
    return os.open(path, flags, 0o600)


def trim_log(path: str, limit: int = LOG_LIMIT) -> bool:
    """Move the log's end to `path`.1 and empty it when it is over the limit.

    Those who append keep their descriptors: with O_APPEND they go on at the new end.
    """
    try:
        fd = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        size = os.fstat(fd).st_size
        if size <= limit:
            return False
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
        kept = os.open(path + ".1", flags, 0o600)
        try:
            os.write(kept, os.pread(fd, limit, size - limit))
        finally:
            os.close(kept)
        os.ftruncate(fd, 0)
        return True
    except OSError:
        # A full disk: better an empty log than one that fills it further.
        os.ftruncate(fd, 0)
        return True
    finally:
        os.close(fd)


def log_tail(path: str, since: int = 0) -> str:
    """Return the newest lines after a size that was noted earlier, at most `TAIL_LIMIT` bytes."""
    try:
        with Path(path).open("rb") as log:
            size = os.fstat(log.fileno()).st_size
            log.seek(max(0 if size < since else since, size - TAIL_LIMIT))
            return log.read(TAIL_LIMIT).decode("utf-8", "replace")
    except OSError:
        return ""
