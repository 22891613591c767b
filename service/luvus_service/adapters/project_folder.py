"""One folder of a project as a list of entries, with what git says about each."""

from __future__ import annotations

import asyncio
import os
import stat
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from luvus_service.adapters.git_run import LITERAL, GitTimeout, git
from luvus_service.adapters.git_status import parse_status
from luvus_service.adapters.tools.listing import ignored
from luvus_service.luxe.domain.permission_units import PathUnit
from luvus_service.luxe.domain.ports import Paths
from luvus_service.luxe.domain.project_events import ChangedFile, DirectoryEntry
from luvus_service.luxe.domain.project_ports import FileRefused

_SUBMODULE = b"160000 "


@dataclass(frozen=True, slots=True)
class _Marks:
    """What git says of a folder's entries, by path."""

    changes: dict[str, str] = field(default_factory=dict[str, str])
    submodules: frozenset[str] = frozenset()


async def entries_of(
    paths: Paths, unit: PathUnit, denied: Callable[[PathUnit], bool], *, include_ignored: bool
) -> Sequence[DirectoryEntry]:
    """Return a folder's entries, folders first, then by name.

    Raises:
        FileRefused: It cannot be listed.
    """
    found = await asyncio.to_thread(_scanned, paths, unit, denied)
    names = [entry.path + ("/" if entry.kind == "directory" else "") for entry in found]
    try:
        left_out = {name.rstrip("/") for name in await ignored(paths.root, names)}
        marks = await _marks(paths.root, unit.relative or ".")
    except GitTimeout as fault:
        raise FileRefused("timeout", str(fault)) from fault
    marked = [_marked(entry, left_out, marks) for entry in found]
    return [entry for entry in marked if include_ignored or not entry.ignored]


def _marked(entry: DirectoryEntry, left_out: set[str], marks: _Marks) -> DirectoryEntry:
    if entry.path in left_out:
        return replace(entry, ignored=True)
    if entry.path in marks.submodules and entry.kind == "directory":
        entry = replace(entry, kind="submodule")
    change = marks.changes.get(entry.path)
    return entry if change is None else replace(entry, git=change)


async def _marks(root: str, folder: str) -> _Marks:
    words = ("status", "--porcelain=v2", "-z", "--untracked-files=all", "--renames")
    status = await git(root, LITERAL, *words, "--", folder)
    if status.code:
        return _Marks()
    _, files = parse_status(status.out)
    below = [] if folder == "." else ["--", f"{folder}/"]
    tree = await git(root, "ls-tree", "-z", "HEAD", *below)
    modules = (line.partition(b"\t")[2] for line in tree.out.split(b"\0") if _is_module(line))
    return _Marks(
        {file.path: _word(file) for file in files},
        frozenset(os.fsdecode(name) for name in modules),
    )


def _is_module(line: bytes) -> bool:
    return line.startswith(_SUBMODULE)


def _word(file: ChangedFile) -> str:
    if file.conflicted:
        return "conflicted"
    if file.worktree == "?":
        return "untracked"
    signs = file.index + file.worktree
    words = {"D": "deleted", "R": "renamed", "C": "renamed", "A": "added"}
    return next((word for sign, word in words.items() if sign in signs), "modified")


def _scanned(
    paths: Paths, unit: PathUnit, denied: Callable[[PathUnit], bool]
) -> list[DirectoryEntry]:
    try:
        found = list(os.scandir(unit.resolved))
    except FileNotFoundError:
        raise FileRefused("not_found", f"there is no folder {unit.written}") from None
    except NotADirectoryError:
        raise FileRefused("not_a_directory", f"{unit.written} is a file") from None
    except OSError as fault:
        raise FileRefused("unreadable", f"{unit.written}: {fault.strerror}") from fault
    entries = [_entry(paths, item, unit, denied) for item in found if item.name != ".git"]
    return sorted(entries, key=lambda entry: (entry.kind != "directory", os.fsencode(entry.name)))


def _entry(
    paths: Paths, item: os.DirEntry[str], unit: PathUnit, denied: Callable[[PathUnit], bool]
) -> DirectoryEntry:
    relative = item.name if unit.relative == "." else f"{unit.relative}/{item.name}"
    try:
        status = item.stat(follow_symlinks=False)
    except OSError:
        status = None
    place = paths.locate(item.path, "read")
    kind: Literal["directory", "file", "symlink", "other"] = "other"
    target: str | None = None
    outside: Literal[True] | None = None
    if item.is_symlink():
        kind = "symlink"
        # It may be gone since the folder was read.
        with suppress(OSError):
            target = _shown(str(Path(item.path).readlink()))
        outside = None if place.inside else True
    elif item.is_dir(follow_symlinks=False):
        kind = "directory"
    elif item.is_file(follow_symlinks=False):
        kind = "file"
    hidden = denied(place) or (place.private and kind in {"file", "symlink"})
    return DirectoryEntry(
        name=_shown(item.name),
        path=_shown(relative),
        kind=kind,
        size=status.st_size if status is not None and kind == "file" else None,
        modified_at=shown_time(status.st_mtime) if status is not None else None,
        executable=bool(status and kind == "file" and status.st_mode & stat.S_IXUSR),
        target=target,
        outside=outside,
        denied=True if hidden else None,
    )


def shown_time(seconds: float) -> str:
    """Return a time of the file system as clients see it."""
    moment = datetime.fromtimestamp(seconds, UTC)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03d}Z"


def _shown(name: str) -> str:
    return os.fsencode(name).decode("utf-8", "replace")
