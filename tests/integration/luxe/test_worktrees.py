"""Linked worktrees with a real git."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from luvus_service.adapters.worktree_removal import removal_of
from luvus_service.adapters.worktrees import WorktreeFault, entered, restored
from luvus_service.luxe.domain.handshake import Worktree

IDENTITY = ("-c", "user.name=t", "-c", "user.email=t@t")


def git(folder: Path | str, *words: str) -> str:
    done = subprocess.run(
        ["git", *IDENTITY, *words], cwd=folder, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    (root / "a.txt").write_text("a\n")
    (root / ".gitignore").write_text("*.local\n.env\n")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "Begin")
    return root


async def test_a_worktree_is_made_once_and_entered_again(tmp_path: Path, root: Path) -> None:
    first = await entered(root, tmp_path / "trees", "side")
    again = await entered(root, tmp_path / "trees", "side")
    named = await entered(root, tmp_path / "trees", None)

    head = git(root, "rev-parse", "HEAD")
    assert first == Worktree(str((tmp_path / "trees/side").resolve()), "luxe/side", head)
    assert again == first
    assert named.branch.startswith("luxe/") and named.path != first.path


@pytest.mark.parametrize("name", ["../up", "a/b", "-x", "a..b", "x.lock", "a b", "n" * 65])
async def test_a_name_that_git_or_the_folder_could_not_bear_is_refused(
    tmp_path: Path, root: Path, name: str
) -> None:
    with pytest.raises(WorktreeFault, match="is no name"):
        await entered(root, tmp_path / "trees", name)


async def test_a_folder_of_somebody_else_is_not_entered(tmp_path: Path, root: Path) -> None:
    (tmp_path / "trees/side").mkdir(parents=True)

    with pytest.raises(WorktreeFault):
        await entered(root, tmp_path / "trees", "side")


async def test_ignored_files_that_the_project_lists_are_copied_and_secrets_only_by_name(
    tmp_path: Path, root: Path
) -> None:
    (root / ".luxe").mkdir()
    (root / ".luxe/worktree-copy").write_text("# settings\n*.local\n.env*\n")
    (root / "x.local").write_text("x")
    (root / ".env").write_text("SECRET=1")

    path = Path((await entered(root, tmp_path / "trees", "side")).path)

    assert (path / "x.local").read_text() == "x"
    assert not (path / ".env").exists()


async def test_one_whose_folder_is_gone_is_made_again_from_its_branch(
    tmp_path: Path, root: Path
) -> None:
    made = await entered(root, tmp_path / "trees", "side")
    Path(made.path, "b.txt").write_text("b\n")
    git(made.path, "add", "-A")
    git(made.path, "commit", "-qm", "Work")
    shutil.rmtree(made.path)

    await restored(root, made)

    assert Path(made.path, "b.txt").read_text() == "b\n"


async def test_a_branch_that_moved_elsewhere_is_left_there(tmp_path: Path, root: Path) -> None:
    made = await entered(root, tmp_path / "trees", "side")
    shutil.rmtree(made.path)
    git(root, "worktree", "prune")
    git(root, "checkout", "-q", "luxe/side")

    with pytest.raises(WorktreeFault):
        await restored(root, made)


async def test_a_fresh_worktree_can_be_removed(tmp_path: Path, root: Path) -> None:
    made = await entered(root, tmp_path / "trees", "side")

    checked = await removal_of(made)

    assert checked.removable is True
    assert checked.worktree is not None and checked.worktree.branch == "luxe/side"
    assert (checked.refusal, checked.unpushed_total, checked.totals.tracked) == (None, 0, 0)


def commit(path: Path) -> None:
    (path / "b.txt").write_text("b\n")
    git(path, "add", "-A")
    git(path, "commit", "-qm", "Work")


@pytest.mark.parametrize(
    ("change", "field", "value"),
    [
        (lambda path: (path / "a.txt").write_text("changed"), "totals.tracked", 1),
        (lambda path: (path / "new.txt").write_text("new"), "untracked", ("new.txt",)),
        (commit, "unpushed_total", 1),
        (lambda path: git(path, "worktree", "lock", str(path)), "locked", True),
    ],
)
async def test_whatever_would_be_lost_keeps_it(
    tmp_path: Path, root: Path, change: Callable[[Path], object], field: str, value: object
) -> None:
    made = await entered(root, tmp_path / "trees", "side")

    change(Path(made.path))
    checked = await removal_of(made)

    found: object = checked
    for name in field.split("."):
        found = getattr(found, name)
    assert (checked.removable, found) == (False, value)


async def test_a_failing_git_means_not_removable(tmp_path: Path, root: Path) -> None:
    made = await entered(root, tmp_path / "trees", "side")
    shutil.rmtree(made.path)

    checked = await removal_of(replace(made))

    assert checked.removable is False
    assert checked.refusal is not None
