"""The lock of a session: whoever holds it serves the session, however slow it is.

An open file description that launcher, host and server inherit from one another, so that it is
held as long as one of them lives, and given up by the kernel when none does.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
from pathlib import Path
from typing import Any, cast

_TEXT_LIMIT = 4096


def take_lock(path: Path) -> int | None:
    """Take the lock and return its descriptor, or None when somebody holds it.

    Raises:
        OSError: The file cannot be opened.
    """
    while True:
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        fd = os.open(path, flags, 0o600)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(fd)
            return None
        # The session may have been deleted between open and lock: then this is nobody's file.
        with contextlib.suppress(FileNotFoundError):
            if path.stat().st_ino == os.fstat(fd).st_ino:
                return fd
        os.close(fd)


def is_free(path: Path) -> bool:
    """Tell whether nobody serves the session at this instant."""
    if not path.exists():
        return True
    fd = take_lock(path)
    if fd is None:
        return False
    os.close(fd)
    return True


def lock_owner(path: Path) -> int | None:
    """Return the process id that the lock's holder wrote into it, or None."""
    try:
        with path.open("rb") as lock:
            fields: object = json.loads(lock.read(_TEXT_LIMIT))
    except (OSError, ValueError):
        return None
    pid = cast("dict[str, Any]", fields).get("pid") if isinstance(fields, dict) else None
    return pid if isinstance(pid, int) else None
