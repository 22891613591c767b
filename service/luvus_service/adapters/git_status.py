"""Reads where a repository stands out of `git status` and as few questions beside it as it can."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from luvus_service.adapters.git_run import git
from luvus_service.luxe.domain.project_events import ChangedFile, GitState

FILES = 2_000
_GITHUB = re.compile(r"(?:https://|ssh://git@|git@)[^/:]+[/:]([^/]+/[^/]+?)(?:\.git)?/?")
_STATUS = (
    "status", "--porcelain=v2", "-z", "--branch", "--show-stash", "--untracked-files=all",
    "--renames",
)  # fmt: skip
_OPERATIONS: tuple[
    tuple[str, Literal["merge", "rebase", "cherry_pick", "revert", "bisect"]], ...
] = (
    ("MERGE_HEAD", "merge"),
    ("rebase-merge", "rebase"),
    ("rebase-apply", "rebase"),
    ("CHERRY_PICK_HEAD", "cherry_pick"),
    ("REVERT_HEAD", "revert"),
    ("BISECT_LOG", "bisect"),
)


@dataclass(frozen=True, slots=True)
class _Remotes:
    """What is asked again only when the files that say it have changed."""

    stamp: tuple[object, ...]
    name: str | None
    url: str | None
    default_branch: str | None


class RepositoryReader:
    """Reads one folder's repository again and again, in one or two calls of git."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._folders: tuple[Path, Path] | None = None
        """The folder of git of this worktree, and the one that all worktrees share."""
        self._remotes: _Remotes | None = None

    async def read(self) -> GitState | None:
        """Return where the repository stands; None outside git.

        Raises:
            GitTimeout: Git is too slow.
        """
        status = await git(self._root, *_STATUS)
        if status.code:
            return None
        headers, files = parse_status(status.out)
        head = headers.get("branch.oid")
        counted: dict[str, tuple[int | None, int | None]] = {}
        if head != "(initial)" and any(file.worktree != "?" for file in files):
            counted = parse_numstat((await git(self._root, "diff", "--numstat", "-z", "HEAD")).out)
        folder, shared = await self._git_folders()
        remotes = await self._remotes_of(shared)
        branch = headers.get("branch.head")
        ahead, behind = _distance(headers.get("branch.ab"))
        known = [_with_counts(file, counted) for file in files]
        found = _GITHUB.fullmatch(remotes.url) if remotes.url else None
        return GitState(
            branch=None if branch == "(detached)" else branch,
            head=None if head == "(initial)" else head,
            detached=branch == "(detached)",
            unborn=head == "(initial)",
            upstream=headers.get("branch.upstream"),
            ahead=ahead,
            behind=behind,
            default_branch=remotes.default_branch,
            remote=remotes.name,
            repository=found[1] if found else None,
            operation=next((name for sign, name in _OPERATIONS if (folder / sign).exists()), None),
            files=tuple(known[:FILES]),
            files_total=len(known),
            additions=sum(file.additions or 0 for file in known),
            deletions=sum(file.deletions or 0 for file in known),
            stashes=_number(headers.get("stash", "")) or 0,
        )

    async def _git_folders(self) -> tuple[Path, Path]:
        if self._folders is None or not self._folders[0].exists():
            asked = await git(self._root, "rev-parse", "--absolute-git-dir", "--git-common-dir")
            own, _, shared = os.fsdecode(asked.out).rstrip("\n").partition("\n")
            # The shared one may be relative to the folder that was asked about.
            self._folders = Path(own), Path(self._root) / (shared or own)
        return self._folders

    async def _remotes_of(self, shared: Path) -> _Remotes:
        known = self._remotes
        if known is None or known.stamp != _stamp(shared, known.name):
            name, url = await _remote(self._root)
            # Before the question: what changes meanwhile is seen as a change the next time.
            stamp = _stamp(shared, name)
            self._remotes = known = _Remotes(
                stamp, name, url, await _default_branch(self._root, name)
            )
        return known


def _stamp(shared: Path, remote: str | None) -> tuple[object, ...]:
    names = ["config", "packed-refs"]
    if remote is not None:
        names.append(f"refs/remotes/{remote}/HEAD")
    return tuple(_seen(shared / name) for name in names)


def _seen(path: Path) -> tuple[int, int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def parse_status(raw: bytes) -> tuple[dict[str, str], list[ChangedFile]]:
    """Return the header fields and the files of `status --porcelain=v2 -z --branch`."""
    headers: dict[str, str] = {}
    files: list[ChangedFile] = []
    fields = iter(raw.decode("utf-8", "replace").split("\0"))
    for field in fields:
        kind = field[:1]
        if kind == "#":
            name, _, value = field[2:].partition(" ")
            headers[name] = value
        elif kind == "1":
            words = field.split(" ", 8)
            files.append(_file(words[1], words[8], None))
        elif kind == "2":
            words = field.split(" ", 9)
            files.append(_file(words[1], words[9], next(fields, None)))
        elif kind == "u":
            words = field.split(" ", 10)
            files.append(_file(words[1], words[10], None, conflicted=True))
        elif kind == "?":
            files.append(_file(" ?", field[2:], None))
    return headers, files


def parse_numstat(raw: bytes) -> dict[str, tuple[int | None, int | None]]:
    """Return added and deleted lines by path; None for binary files."""
    found: dict[str, tuple[int | None, int | None]] = {}
    fields = iter(raw.decode("utf-8", "replace").split("\0"))
    for field in fields:
        words = field.split("\t")
        if len(words) != 3:
            continue
        path = words[2]
        if not path:
            next(fields, None)
            path = next(fields, "")
        found[path] = (_number(words[0]), _number(words[1]))
    return found


def _number(word: str) -> int | None:
    return int(word) if word.isdigit() else None


def _file(signs: str, path: str, old_path: str | None, *, conflicted: bool = False) -> ChangedFile:
    shown = signs.replace(".", " ")
    return ChangedFile(path, old_path, shown[0], shown[1], None, None, False, conflicted)


def _with_counts(
    file: ChangedFile, counted: dict[str, tuple[int | None, int | None]]
) -> ChangedFile:
    if file.path not in counted:
        return file
    added, deleted = counted[file.path]
    return ChangedFile(
        file.path,
        file.old_path,
        file.index,
        file.worktree,
        added,
        deleted,
        added is None,
        file.conflicted,
    )


def _distance(text: str | None) -> tuple[int | None, int | None]:
    words = (text or "").split()
    if len(words) != 2:
        return None, None
    return int(words[0]), -int(words[1])


async def _remote(root: str) -> tuple[str | None, str | None]:
    told = (await git(root, "remote", "-v")).out.decode("utf-8", "replace")
    urls: dict[str, str] = {}
    for line in told.splitlines():
        name, _, rest = line.partition("\t")
        urls.setdefault(name, rest.rpartition(" ")[0])
    if not urls:
        return None, None
    name = "origin" if "origin" in urls else next(iter(urls))
    return name, urls[name]


async def _default_branch(root: str, remote: str | None) -> str | None:
    if remote is None:
        return None
    answer = await git(root, "symbolic-ref", "-q", "--short", f"refs/remotes/{remote}/HEAD")
    name = answer.out.decode("utf-8", "replace").strip()
    return name.removeprefix(f"{remote}/") or None
