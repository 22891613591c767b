"""What the engine needs of the project's files and of git."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from luvus_service.luxe.domain.handshake import Worktree
from luvus_service.luxe.domain.project_events import (
    DirectoryListed,
    FileDiffLoaded,
    FileFault,
    GitState,
    ProjectFileRead,
    WorktreeRemovalChecked,
)


class FileRefused(Exception):
    """A file or folder cannot be shown; `code` and the sentence say why."""

    def __init__(self, code: FileFault, reason: str, size: int | None = None) -> None:
        super().__init__(reason)
        self.code: FileFault = code
        self.size = size


@dataclass(frozen=True, slots=True)
class Uncommitted:
    """Everything that is not committed, as text."""

    text: str
    files: int
    additions: int
    deletions: int


class Project(Protocol):
    """The files of the project and their state in git; nothing outside of it is shown."""

    async def listed(self, request_id: str, path: str, *, include_ignored: bool) -> DirectoryListed:
        """Return one folder's entries.

        Raises:
            FileRefused: It cannot be listed.
        """
        ...

    async def read(self, request_id: str, path: str) -> ProjectFileRead:
        """Return one file's text.

        Raises:
            FileRefused: It cannot be read as text.
        """
        ...

    async def diff(self, request_id: str, path: str) -> FileDiffLoaded:
        """Return one file's change against HEAD.

        Raises:
            FileRefused: There is none, or it cannot be shown.
        """
        ...

    async def uncommitted(self, limit: int) -> Uncommitted | None:
        """Return the changes against HEAD, untracked text files included; None without any.

        Files that hold secrets are left out; beyond `limit` bytes the largest files are cut first.

        Raises:
            FileRefused: This is no git repository, or git is too slow.
        """
        ...

    async def removal(self, worktree: Worktree) -> WorktreeRemovalChecked:
        """Return what removing a worktree would lose; a failing git makes it not removable."""
        ...

    @property
    def late(self) -> bool:
        """Whether git was too slow to tell the present state."""
        ...

    async def state(self) -> GitState | None:
        """Return where the repository stands; None outside git.

        A git that is too slow gives the last known state.
        """
        ...
