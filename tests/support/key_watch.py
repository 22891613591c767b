"""Looks for the keys of tests where no key may ever be: command lines and files."""

from __future__ import annotations

import os
import re
import threading
from pathlib import Path

_OWN = f"{os.getpid():08x}"
# Other runs of the tests on this machine have keys of their own.
_KEY = re.compile(rb"sk-[a-z]+-key-" + _OWN.encode())
EVERY_S = 0.1


def key_of(name: str) -> str:
    """Return a key that is watched for in this process."""
    return f"sk-{name}-key-{_OWN}89abcdef"


def files_with_keys(folder: Path) -> list[str]:
    """Return the files below a folder that hold a key."""
    found: list[str] = []
    for path in folder.rglob("*"):
        try:
            if path.is_file() and _KEY.search(path.read_bytes()):
                found.append(str(path.relative_to(folder)))
        except OSError:
            continue  # gone meanwhile
    return sorted(found)


def holds_key(data: bytes) -> bool:
    """Say whether some bytes hold a key."""
    return _KEY.search(data) is not None


class CommandLines:
    """Looks at the command lines of all processes again and again until it is ended."""

    def __init__(self) -> None:
        self.found: set[str] = set()
        self.seen = threading.Event()
        """Set once a key was found."""
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._look, name="key watch", daemon=True)
        self._thread.start()

    def end(self) -> None:
        """Look no more."""
        self._ended.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._ended.wait(EVERY_S):
            for path in Path("/proc").glob("[0-9]*/cmdline"):
                try:
                    words = path.read_bytes()
                except OSError:
                    continue
                if _KEY.search(words):
                    self.found.add(words.replace(b"\0", b" ").decode("utf-8", "replace")[:500])
                    self.seen.set()
