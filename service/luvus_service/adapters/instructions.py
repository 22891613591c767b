"""Reads AGENTS.md and CLAUDE.md: the user's, then those from the project's root to its folder."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Final

from luvus_service.luxe.domain.ports import InstructionFile

NAMES: Final = ("AGENTS.md", "CLAUDE.md")
TOTAL_BYTES: Final = 32 * 1024
BELOW_BYTES: Final = 8 * 1024
"""Of the files that one call brings along."""


class Instructions:
    """The instruction files of one project, as they were when last read."""

    def __init__(
        self,
        user: Path,
        root: Path,
        cwd: Path,
        secret: Callable[[str], bool] = lambda _path: False,
    ) -> None:
        """`user` is the folder of the user's own; `cwd` lies in `root`; both are real paths.

        `secret` says whether a real path is never shown to a model.
        """
        self._user = user
        self._root = root
        self._cwd = cwd
        self._secret = secret
        self._found: tuple[InstructionFile, ...] | None = None

    def __call__(self) -> Sequence[InstructionFile]:
        """Return them, the farthest first; read at the first time only."""
        if self._found is None:
            self._found = tuple(_fitting(self._files(), TOTAL_BYTES))
        return self._found

    def again(self) -> None:
        """Let the next time read the files anew."""
        self._found = None

    def beside(self, paths: Iterable[str], told: set[str]) -> Sequence[InstructionFile]:
        """Return those of the folders that real paths lie in and that nobody was told of yet.

        Files of the working folder and above it are always told. Of the others the returned ones
        are added to `told`; what did not fit comes another time.
        """
        files: dict[str, InstructionFile] = {}
        for folder in dict.fromkeys(f for path in paths for f in self._folders(path)):
            real, found = self._readable(_named(folder), self._root)
            if found is not None and real not in told:
                files.setdefault(real, found)
        fitting = _fitting(list(files.values()), BELOW_BYTES)
        shown = {item.path for item in fitting}
        told.update(real for real, item in files.items() if item.path in shown)
        return fitting

    def _folders(self, path: str) -> list[Path]:
        place = Path(path)
        if not place.is_relative_to(self._root):
            return []
        names = place.relative_to(self._root).parts
        folders = [self._root.joinpath(*names[:depth]) for depth in range(1, len(names) + 1)]
        return [f for f in folders if not self._cwd.is_relative_to(f)]

    def _files(self) -> list[InstructionFile]:
        below = self._cwd.relative_to(self._root).parts if self._in_root() else ()
        candidates: list[tuple[Path | None, Path]] = [(self._user / NAMES[0], self._user)]
        candidates += [
            (_named(self._root.joinpath(*below[:depth])), self._root)
            for depth in range(len(below) + 1)
        ]
        files: dict[str, InstructionFile] = {}
        for path, within in candidates:
            real, found = self._readable(path, within)
            if found is not None:
                files.setdefault(real, found)
        return list(files.values())

    def _readable(self, path: Path | None, within: Path) -> tuple[str, InstructionFile | None]:
        if path is None:
            return "", None
        real = os.path.realpath(path)
        # A link must lead neither out of the project nor to a secret inside of it.
        if not Path(real).is_relative_to(os.path.realpath(within)) or self._secret(real):
            return real, None
        text = _read(real)
        if text is None or not text.strip():
            return real, None
        return real, InstructionFile(str(path), len(text.encode()), text)

    def _in_root(self) -> bool:
        return self._cwd.is_relative_to(self._root)


def _named(folder: Path) -> Path | None:
    return next((folder / name for name in NAMES if (folder / name).is_file()), None)


def _read(path: str) -> str | None:
    try:
        if not os.path.isfile(path):  # noqa: PTH113 - a FIFO must not be opened
            return None
        with Path(path).open("rb") as file:
            # One byte more shows that there is more.
            return file.read(TOTAL_BYTES + 1).decode("utf-8", "replace")
    except OSError:
        return None


def _fitting(files: list[InstructionFile], limit: int) -> list[InstructionFile]:
    """Return the nearest files within the limit, farthest first; the last that fits is cut."""
    left = limit
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
