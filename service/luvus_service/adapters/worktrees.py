"""Linked worktrees of a repository: makes them, and says what removing one would lose.

Never removes one and never forces anything.
"""

from __future__ import annotations

import asyncio
import os
import re
import secrets
import shutil
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final

from luvus_service.adapters.git_run import GitAnswer, GitTimeout, git
from luvus_service.luxe.domain.handshake import Worktree

COPY_LIST: Final = ".luxe/worktree-copy"
COPIED_FILES: Final = 200
COPIED_BYTES: Final = 50 * 1024 * 1024
ADD_S: Final = 120.0
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_FIRST: Final = (
    "amber",
    "brisk",
    "calm",
    "clear",
    "deft",
    "keen",
    "lucid",
    "quiet",
    "swift",
    "warm",
)
_SECOND: Final = (
    "birch",
    "cedar",
    "delta",
    "ember",
    "fjord",
    "heron",
    "maple",
    "otter",
    "ridge",
    "wren",
)


class WorktreeFault(Exception):
    """A worktree cannot be made or entered; the text says why."""


async def entered(root: Path, folder: Path, name: str | None) -> Worktree:
    """Return the worktree of this name, made from HEAD when there is none.

    `folder` is where the project's worktrees are. The folder of the worktree is real and absolute.

    Raises:
        WorktreeFault: The name is no name, this is no repository, or git refuses.
    """
    name = name or f"{secrets.choice(_FIRST)}-{secrets.choice(_SECOND)}-{secrets.token_hex(2)}"
    if not _NAME.fullmatch(name) or name.endswith((".lock", ".")) or ".." in name:
        raise WorktreeFault(f"{name[:80]!r} is no name for a worktree: use letters, digits, - . _")
    path = await asyncio.to_thread(_real, folder / name)
    if await asyncio.to_thread(path.exists):
        return await _again(root, path)
    base = await _asked(root, "rev-parse", "--verify", "HEAD")
    branch = f"luxe/{name}"
    await asyncio.to_thread(path.parent.mkdir, mode=0o700, parents=True, exist_ok=True)
    known = await git(str(root), "rev-parse", "--verify", "-q", f"refs/heads/{branch}")
    words = [str(path), branch] if known.code == 0 else ["-b", branch, str(path), "HEAD"]
    await _added(root, *words)
    await _copy_listed(root, path)
    return Worktree(str(path), branch, base)


async def restored(root: Path, worktree: Worktree) -> None:
    """Make a worktree whose folder is gone again, from its branch.

    Raises:
        WorktreeFault: Git refuses.
    """
    # Git still knows the folder that is gone, and takes its place only when it is told to; a
    # branch that is checked out somewhere else stays there.
    listed = await _asked(root, "worktree", "list", "--porcelain")
    place = f"worktree {worktree.path}\n"
    ours = next((item for item in f"{listed}\n".split("\n\n") if item.startswith(place)), "")
    again = f"branch refs/heads/{worktree.branch}" in ours.splitlines()
    await _added(root, *(["-f"] if again else []), worktree.path, worktree.branch)


async def _again(root: Path, path: Path) -> Worktree:
    ours = await _asked(root, "rev-parse", "--path-format=absolute", "--git-common-dir")
    theirs = await _asked(path, "rev-parse", "--path-format=absolute", "--git-common-dir")
    top = await _asked(path, "rev-parse", "--show-toplevel")
    if ours != theirs or await asyncio.to_thread(_real, Path(top)) != path:
        raise WorktreeFault(f"{path} exists and is no worktree of this repository")
    branch = await _asked(path, "symbolic-ref", "--short", "HEAD")
    base = await git(str(path), "merge-base", "HEAD", await _asked(root, "rev-parse", "HEAD"))
    found = base.out.decode("utf-8", "replace").strip()
    return Worktree(str(path), branch, found or await _asked(path, "rev-parse", "HEAD"))


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))


async def _added(root: Path, *words: str) -> None:
    answer = await _run(root, "worktree", "add", "--quiet", *words, timeout=ADD_S)
    if answer.code != 0:
        raise WorktreeFault(f"git worktree add: {answer.error.strip() or 'it failed'}")


async def _asked(folder: Path, *words: str) -> str:
    answer = await _run(folder, *words)
    if answer.code != 0:
        raise WorktreeFault(f"git {words[0]} in {folder}: {answer.error.strip() or 'it failed'}")
    return answer.out.decode("utf-8", "surrogateescape").strip()


async def _run(folder: Path, *words: str, timeout: float = 30.0) -> GitAnswer:
    try:
        return await git(str(folder), *words, timeout=timeout)
    except GitTimeout as fault:
        raise WorktreeFault(str(fault)) from fault


async def _copy_listed(root: Path, path: Path) -> None:
    """Copy ignored files that the project names, such as local settings."""
    try:
        text = await asyncio.to_thread((root / COPY_LIST).read_text, "utf-8")
    except (OSError, UnicodeDecodeError):
        return
    patterns = [line.strip() for line in text.splitlines() if line.strip()[:1] not in ("", "#")]
    if not patterns:
        return
    listed = await _run(root, "ls-files", "-z", "--others", "--ignored", "--exclude-standard")
    names = [os.fsdecode(raw) for raw in listed.out.split(b"\0") if raw]
    wanted = [name for name in names if any(_fits(name, pattern) for pattern in patterns)]
    await asyncio.to_thread(_copy, root, path, wanted)


def _fits(name: str, pattern: str) -> bool:
    # Secrets are copied only when they are named in full.
    if name.rpartition("/")[2].startswith(".env"):
        return name == pattern
    return fnmatchcase(name, pattern)


def _copy(root: Path, path: Path, names: list[str]) -> None:
    left = COPIED_BYTES
    for name in names[:COPIED_FILES]:
        source, target = root / name, path / name
        if not source.is_file() or source.is_symlink() or target.exists():
            continue
        left -= source.stat().st_size
        if left < 0:
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source, target)
