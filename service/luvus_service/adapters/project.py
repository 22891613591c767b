"""One project on the disk: its folders, its files as text, its changes, its state in git."""

from __future__ import annotations

import asyncio
import hashlib
import os
import stat
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal

from luvus_service.adapters.git_run import LITERAL, GitTimeout, git
from luvus_service.adapters.git_status import RepositoryReader
from luvus_service.adapters.project_changes import (
    DIFF,
    SNIFFED_BYTES,
    change_of,
    changes_from_head,
    new_files,
)
from luvus_service.adapters.project_folder import entries_of, shown_time
from luvus_service.adapters.worktree_removal import removal_of
from luvus_service.luxe.domain.diffs import cut_largest
from luvus_service.luxe.domain.handshake import Worktree
from luvus_service.luxe.domain.permission_units import PathUnit
from luvus_service.luxe.domain.ports import Paths
from luvus_service.luxe.domain.project_events import (
    ChangedFile,
    DirectoryListed,
    FileChange,
    FileDiffLoaded,
    GitState,
    ProjectFileRead,
    WorktreeRemovalChecked,
)
from luvus_service.luxe.domain.project_ports import FileRefused, Uncommitted

FILE_BYTES = 2_097_152
ENTRIES = 10_000
PATH_CHARS = 4_096
_BOM = b"\xef\xbb\xbf"


class LocalProject:
    """The files below one root."""

    def __init__(
        self, paths: Paths, denied: Callable[[PathUnit], bool] = lambda _unit: False
    ) -> None:
        """`denied` says whether a permission rule denies reading something."""
        self._paths = paths
        self._denied = denied
        self._reader = RepositoryReader(paths.root)
        self._state: GitState | None = None
        self._late = False

    @property
    def late(self) -> bool:
        """Whether git was too slow to tell the present state."""
        return self._late

    async def listed(self, request_id: str, path: str, *, include_ignored: bool) -> DirectoryListed:
        """Return one folder's entries."""
        unit = self._located(path)
        if self._denied(unit):
            raise FileRefused("denied", f"a permission rule denies reading {path}")
        found = await entries_of(self._paths, unit, self._denied, include_ignored=include_ignored)
        return DirectoryListed(
            request_id,
            "" if unit.relative in {None, "."} else unit.relative or "",
            tuple(found[:ENTRIES]),
            len(found),
            len(found) > ENTRIES,
        )

    async def read(self, request_id: str, path: str) -> ProjectFileRead:
        """Return one file's text."""
        unit = self._located(path)
        self._check(unit, path)
        return await asyncio.to_thread(_text, request_id, unit)

    async def diff(self, request_id: str, path: str) -> FileDiffLoaded:
        """Return one file's change against HEAD."""
        unit = self._located(path)
        self._check(unit, path)
        relative = unit.relative or "."
        try:
            base = await self._base(unit, relative, path)
            change = await self._change(relative, base)
        except GitTimeout as fault:
            raise FileRefused("timeout", str(fault)) from fault
        if change is None:
            raise FileRefused("no_change", f"{path} is as in HEAD")
        return FileDiffLoaded(request_id, relative, base, change)

    async def _change(self, relative: str, base: Literal["HEAD", "empty"]) -> FileChange | None:
        root = self._paths.root
        if base == "HEAD":
            answer = await git(root, LITERAL, *DIFF, "HEAD", "--", relative)
        else:
            answer = await git(root, *DIFF, "--no-index", "--", "/dev/null", relative)
        text = answer.out.decode("utf-8", "replace")
        return change_of(text, relative) if text else None

    async def uncommitted(self, limit: int) -> Uncommitted | None:
        """Return the changes against HEAD as text."""
        state = await self.state()
        if state is None:
            raise FileRefused("not_git", f"{self._paths.root} is no git repository")
        root = self._paths.root
        files = await asyncio.to_thread(self._shown, state.files)
        new = {file for file in files if state.unborn or file.worktree == "?"}
        changed = await changes_from_head(root, [f.path for f in files if f not in new])
        added = await asyncio.to_thread(new_files, root, [f.path for f in files if f in new])
        texts: list[str] = []
        additions = deletions = 0
        for file in files:
            change = (added if file in new else changed).get(file.path)
            if change is None:
                continue
            additions += change.additions
            deletions += change.deletions
            texts.append(_as_text(change)[:limit])
        if not texts:
            return None
        return Uncommitted("\n".join(cut_largest(texts, limit)), len(texts), additions, deletions)

    def _shown(self, files: Sequence[ChangedFile]) -> list[ChangedFile]:
        """Return the files that may be read, without folders in the place of one."""
        found: list[ChangedFile] = []
        for file in files:
            try:
                unit = self._located(file.path)
                self._check(unit, file.path)
            except FileRefused:
                continue
            # Of a folder git would show everything below.
            if not unit.folder:
                found.append(file)
        return found

    async def removal(self, worktree: Worktree) -> WorktreeRemovalChecked:
        """Return what removing a worktree would lose."""
        return await removal_of(worktree)

    async def state(self) -> GitState | None:
        """Return where the repository stands."""
        try:
            self._state = await self._reader.read()
            self._late = False
        except GitTimeout:
            self._late = True
        return self._state

    def _located(self, path: str) -> PathUnit:
        if len(path) > PATH_CHARS or "\0" in path:
            raise FileRefused("outside_project", "the path is too long or holds a NUL")
        unit = self._paths.locate(path or ".", "read", cwd=self._paths.root)
        if unit.relative is None:
            raise FileRefused("outside_project", f"{path} is outside the project")
        if ".git" in Path(unit.relative).parts:
            raise FileRefused("denied", f"{path} belongs to git")
        return unit

    def _check(self, unit: PathUnit, path: str) -> None:
        if unit.private:
            raise FileRefused("denied", f"{path} holds secrets; it is never shown")
        if self._denied(unit):
            raise FileRefused("denied", f"a permission rule denies reading {path}")

    async def _base(self, unit: PathUnit, relative: str, path: str) -> Literal["HEAD", "empty"]:
        """Return what a file is compared with."""
        root = self._paths.root
        if (await git(root, "rev-parse", "--is-inside-work-tree")).code:
            raise FileRefused("not_git", f"{root} is no git repository")
        head = await git(root, "rev-parse", "--verify", "-q", "HEAD")
        known = ["--with-tree=HEAD"] if head.code == 0 else []
        listed = await git(root, LITERAL, "ls-files", "-z", "--cached", *known, "--", relative)
        names = {os.fsdecode(name) for name in listed.out.split(b"\0") if name}
        folder = await asyncio.to_thread(Path(unit.resolved).is_dir)
        if folder or names - {relative}:
            # Git would show everything below, secrets included.
            raise FileRefused("is_a_directory", f"{path} is a folder")
        if names and head.code == 0:
            return "HEAD"
        if not await asyncio.to_thread(Path(unit.resolved).is_file):
            raise FileRefused("not_found", f"there is no file {path}")
        return "empty"


def _as_text(change: FileChange) -> str:
    lines = [f"--- {change.path} ({change.change})"]
    for hunk in change.hunks:
        lines.append(hunk.header)
        lines += [line.t + line.text for line in hunk.lines]
    return "\n".join(lines)


def _text(request_id: str, unit: PathUnit) -> ProjectFileRead:
    try:
        # A pipe without a writer must not hold the thread for ever.
        fd = os.open(unit.resolved, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(fd, "rb") as file:  # noqa: PTH123 - a descriptor
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise FileRefused("unreadable", f"{unit.written} is no regular file")
            if status.st_size > FILE_BYTES:
                raise FileRefused(
                    "too_large", f"{unit.written} has more than {FILE_BYTES} bytes", status.st_size
                )
            raw = file.read(FILE_BYTES + 1)
    except FileNotFoundError:
        raise FileRefused("not_found", f"there is no file {unit.written}") from None
    except IsADirectoryError:
        raise FileRefused("is_a_directory", f"{unit.written} is a folder") from None
    except OSError as fault:
        raise FileRefused("unreadable", f"{unit.written}: {fault.strerror}") from fault
    if b"\0" in raw[:SNIFFED_BYTES]:
        raise FileRefused("binary", f"{unit.written} is no text", len(raw))
    try:
        text = raw.removeprefix(_BOM).decode("utf-8")
    except UnicodeDecodeError as fault:
        raise FileRefused(
            "not_utf8", f"{unit.written} is not UTF-8 at byte {fault.start}", len(raw)
        ) from None
    return ProjectFileRead(
        request_id=request_id,
        path=unit.relative or ".",
        text=text,
        bytes=len(raw),
        lines=text.count("\n") + bool(text and not text.endswith("\n")),
        encoding="utf-8",
        bom=raw.startswith(_BOM),
        eol=_line_ends(text),
        final_newline=text.endswith("\n"),
        executable=bool(status.st_mode & stat.S_IXUSR),
        sha256=hashlib.sha256(raw).hexdigest(),
        modified_at=shown_time(status.st_mtime),
    )


def _line_ends(text: str) -> Literal["lf", "crlf", "mixed", "none"]:
    all_ends, with_cr = text.count("\n"), text.count("\r\n")
    if not all_ends:
        return "none"
    if not with_cr:
        return "lf"
    return "crlf" if with_cr == all_ends else "mixed"
