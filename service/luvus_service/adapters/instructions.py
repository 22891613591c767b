"""Reads AGENTS.md and CLAUDE.md: the user's, then those from the project's root to its folder."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from luvus_service.luxe.domain.ports import InstructionFile

NAMES: Final = ("AGENTS.md", "CLAUDE.md")
TOTAL_BYTES: Final = 32 * 1024


class Instructions:
    """The instruction files of one project, as they were when last read."""

    def __init__(self, user: Path, root: Path, cwd: Path) -> None:
        """`user` is the folder of the user's own; `cwd` lies in `root`; both are real paths."""
        self._user = user
        self._root = root
        self._cwd = cwd
        self._found: tuple[InstructionFile, ...] | None = None

    def __call__(self) -> Sequence[InstructionFile]:
        """Return them, the farthest first; read at the first time only."""
        if self._found is None:
            self._found = tuple(_fitting(self._files()))
        return self._found

    def again(self) -> None:
        """Let the next time read the files anew."""
        self._found = None

    def _files(self) -> list[InstructionFile]:
        candidates = [(self._user / NAMES[0], self._user)]
        below = self._cwd.relative_to(self._root).parts if self._in_root() else ()
        for depth in range(len(below) + 1):
            folder = self._root.joinpath(*below[:depth])
            found = next((folder / n for n in NAMES if (folder / n).is_file()), None)
            if found is not None:
                candidates.append((found, self._root))
        seen: set[str] = set()
        files: list[InstructionFile] = []
        for path, within in candidates:
            real = os.path.realpath(path)
            if real in seen or not Path(real).is_relative_to(os.path.realpath(within)):
                continue
            seen.add(real)
            text = _read(real)
            if text is not None and text.strip():
                files.append(InstructionFile(str(path), len(text.encode()), text))
        return files

    def _in_root(self) -> bool:
        return self._cwd.is_relative_to(self._root)


def _read(path: str) -> str | None:
    try:
        if not os.path.isfile(path):  # noqa: PTH113 - a FIFO must not be opened
            return None
        with Path(path).open("rb") as file:
            # One byte more shows that there is more.
            return file.read(TOTAL_BYTES + 1).decode("utf-8", "replace")
    except OSError:
        return None


def _fitting(files: list[InstructionFile]) -> list[InstructionFile]:
    """Return the nearest files within the limit, farthest first; the last that fits is cut."""
    left = TOTAL_BYTES
    kept: list[InstructionFile] = []
    for item in reversed(files):
        if left <= 0:
            break
        if item.bytes > left:
            kept.append(_cut(item, left))
            break
        left -= item.bytes
        kept.append(item)
    return kept[::-1]


def _cut(item: InstructionFile, size: int) -> InstructionFile:
    # A character that the cut went through is left out.
    text = item.text.encode()[:size].decode("utf-8", "replace").rstrip("\ufffd")
    return InstructionFile(item.path, len(text.encode()), text, truncated=True)
