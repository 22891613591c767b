"""What removing a linked worktree would lose; whatever git cannot tell makes it not removable."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from luvus_service.adapters.git_run import GitTimeout, git
from luvus_service.luxe.domain.handshake import Worktree
from luvus_service.luxe.domain.project_events import (
    RemovalTotals,
    TrackedChange,
    Unpushed,
    WorktreeRemovalChecked,
    WorktreeShown,
)

SHOWN: Final = 200
COMMITS: Final = 50
TIMEOUT_S: Final = 30.0
_OPERATIONS: Final = {
    "rebase-merge": "rebase",
    "rebase-apply": "rebase",
    "MERGE_HEAD": "merge",
    "CHERRY_PICK_HEAD": "cherry_pick",
    "REVERT_HEAD": "revert",
    "BISECT_LOG": "bisect",
}


class _Fault(Exception):
    """Git could not tell."""


@dataclass(slots=True)
class _Changes:
    tracked: list[TrackedChange]
    untracked: list[str]
    ignored: int


async def removal_of(worktree: Worktree) -> WorktreeRemovalChecked:
    """Return what removing a worktree would lose."""
    try:
        return await _checked(worktree)
    except (_Fault, GitTimeout) as fault:
        return WorktreeRemovalChecked(refusal=str(fault))


async def _checked(worktree: Worktree) -> WorktreeRemovalChecked:
    path = worktree.path
    head = await _asked(path, "rev-parse", "--verify", "HEAD")
    branch = await git(path, "symbolic-ref", "--short", "-q", "HEAD", timeout=TIMEOUT_S)
    name = branch.out.decode("utf-8", "replace").strip() if branch.code == 0 else None
    changes = await _changes(path)
    alone, total = await _alone(path, name)
    git_folder = Path(await _asked(path, "rev-parse", "--path-format=absolute", "--git-dir"))
    operation = next((n for f, n in _OPERATIONS.items() if (git_folder / f).exists()), None)
    locked = (git_folder / "locked").exists()
    stashes = len((await _asked(path, "stash", "list", "--format=%gd")).splitlines())
    lost = bool(changes.tracked or changes.untracked or total or operation or locked)
    return WorktreeRemovalChecked(
        worktree=WorktreeShown(path, name, worktree.base, head),
        removable=not lost,
        tracked=tuple(changes.tracked[:SHOWN]),
        untracked=tuple(changes.untracked[:SHOWN]),
        ignored=changes.ignored,
        totals=RemovalTotals(len(changes.tracked), len(changes.untracked)),
        unpushed=alone,
        unpushed_total=total,
        not_on_any_branch=name is None and total > 0,
        stashes=stashes,
        operation=operation,
        locked=locked,
    )


async def _changes(path: str) -> _Changes:
    raw = await _bytes(
        path, "status", "--porcelain=v1", "-z", "--untracked-files=all", "--ignored=matching"
    )
    found = _Changes([], [], 0)
    items = iter(raw.split(b"\0"))
    for item in items:
        if not item:
            continue
        sign, name = item[:2].decode("ascii", "replace"), os.fsdecode(item[3:])
        if sign == "!!":
            found.ignored += 1
        elif sign == "??":
            found.untracked.append(name)
        else:
            if sign[0] in "RC":
                next(items, None)
            found.tracked.append(TrackedChange(name, sign.strip()))
    return found


async def _alone(path: str, branch: str | None) -> tuple[tuple[Unpushed, ...], int]:
    """Return commits that are on no remote branch and on no other local one."""
    # An --exclude counts for the --branches that follows it.
    others = ["--not", "--remotes"]
    others += [f"--exclude={branch}", "--branches"] if branch is not None else ["--branches"]
    total = int(await _asked(path, "rev-list", "--count", "HEAD", *others))
    if not total:
        return (), 0
    shown = await _asked(path, "log", f"-{COMMITS}", "--format=%H %s", "HEAD", *others)
    commits = (line.partition(" ") for line in shown.splitlines())
    return tuple(Unpushed(sha, subject) for sha, _, subject in commits), total


async def _asked(path: str, *words: str) -> str:
    return (await _bytes(path, *words)).decode("utf-8", "replace").strip()


async def _bytes(path: str, *words: str) -> bytes:
    answer = await git(path, *words, timeout=TIMEOUT_S)
    if answer.code != 0:
        raise _Fault(f"git {words[0]}: {answer.error.strip() or 'it failed'}")
    return answer.out
