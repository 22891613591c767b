"""Reads where a repository stands out of `git status` and a few questions beside it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal

from luvus_service.adapters.git_run import git
from luvus_service.luxe.domain.project_events import ChangedFile, GitState

FILES = 2_000
_GITHUB = re.compile(r"(?:https://|ssh://git@|git@)[^/:]+[/:]([^/]+/[^/]+?)(?:\.git)?/?")
_STATUS = ("status", "--porcelain=v2", "-z", "--branch", "--untracked-files=all", "--renames")
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


async def read_state(root: str) -> GitState | None:
    """Return where the repository of a folder stands; None outside git.

    Raises:
        GitTimeout: Git is too slow.
    """
    status = await git(root, *_STATUS)
    if status.code:
        return None
    headers, files = parse_status(status.out)
    counted = parse_numstat((await git(root, "diff", "--numstat", "-z", "HEAD")).out)
    folder = (await git(root, "rev-parse", "--absolute-git-dir")).out.decode().strip()
    remote, url = await _remote(root)
    head = headers.get("branch.oid")
    branch = headers.get("branch.head")
    ahead, behind = _distance(headers.get("branch.ab"))
    known = [_with_counts(file, counted) for file in files]
    found = _GITHUB.fullmatch(url) if url else None
    stashes = (await git(root, "stash", "list", "-z")).out.count(b"\0")
    return GitState(
        branch=None if branch == "(detached)" else branch,
        head=None if head == "(initial)" else head,
        detached=branch == "(detached)",
        unborn=head == "(initial)",
        upstream=headers.get("branch.upstream"),
        ahead=ahead,
        behind=behind,
        default_branch=await _default_branch(root, remote),
        remote=remote,
        repository=found[1] if found else None,
        operation=next(
            (name for sign, name in _OPERATIONS if (Path(folder) / sign).exists()), None
        ),
        files=tuple(known[:FILES]),
        files_total=len(known),
        additions=sum(file.additions or 0 for file in known),
        deletions=sum(file.deletions or 0 for file in known),
        stashes=stashes,
    )


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
    names = (await git(root, "remote")).out.decode("utf-8", "replace").split()
    if not names:
        return None, None
    name = "origin" if "origin" in names else names[0]
    url = (await git(root, "remote", "get-url", name)).out.decode("utf-8", "replace").strip()
    return name, url


async def _default_branch(root: str, remote: str | None) -> str | None:
    if remote is None:
        return None
    answer = await git(root, "symbolic-ref", "-q", "--short", f"refs/remotes/{remote}/HEAD")
    name = answer.out.decode("utf-8", "replace").strip()
    return name.removeprefix(f"{remote}/") or None
