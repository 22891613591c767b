from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from luvus_service.adapters import git_status
from luvus_service.adapters.git_run import GitAnswer, git
from luvus_service.adapters.git_status import RepositoryReader
from luvus_service.luxe.domain.project_events import GitState

pytestmark = pytest.mark.needs("git")


def run(folder: Path, *words: str) -> None:
    subprocess.run(["git", "-C", str(folder), *words], check=True, capture_output=True)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    project = tmp_path / "project"
    project.mkdir()
    run(project, "init", "-q", "-b", "main")
    (project / "a").write_text("one\n")
    run(project, "add", ".")
    run(project, "commit", "-qm", "first")
    run(project, "remote", "add", "other", "https://example.org/x.git")
    run(project, "remote", "add", "origin", "git@github.com:me/it.git")
    run(project, "update-ref", "refs/remotes/origin/main", "HEAD")
    run(project, "update-ref", "refs/remotes/origin/next", "HEAD")
    run(project, "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main")
    return project


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The first words of the calls of git."""
    seen: list[str] = []

    async def counted(folder: str, *words: str, **more: Any) -> GitAnswer:
        seen.append(words[0])
        return await git(folder, *words, **more)

    monkeypatch.setattr(git_status, "git", counted)
    return seen


async def read(reader: RepositoryReader) -> GitState:
    state = await reader.read()
    assert state is not None
    return state


async def test_a_repository_that_stands_still_takes_one_call_and_a_changed_one_two(
    project: Path, asked: list[str]
) -> None:
    reader = RepositoryReader(str(project))
    first = await read(reader)
    began = len(asked)
    asked.clear()

    again = await read(reader)
    still = list(asked)
    (project / "new").write_text("x\n")
    untracked = await read(reader)
    (project / "a").write_text("two\n")
    changed = await read(reader)

    assert (began, still, asked) == (4, ["status"], ["status"] * 2 + ["status", "diff"])
    assert again == first
    assert (first.remote, first.repository, first.default_branch) == ("origin", "me/it", "main")
    assert [file.path for file in untracked.files] == ["new"]
    assert (changed.additions, changed.deletions) == (1, 1)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (
            ("remote", "set-url", "origin", "https://github.com/you/it"),
            ("origin", "you/it", "main"),
        ),
        (("remote", "set-head", "origin", "next"), ("origin", "me/it", "next")),
        (("remote", "set-head", "origin", "--delete"), ("origin", "me/it", None)),
        (("remote", "remove", "origin"), ("other", None, None)),
    ],
)
async def test_a_remote_that_changes_is_seen_at_the_next_look(
    project: Path, words: tuple[str, ...], told: tuple[str | None, ...]
) -> None:
    reader = RepositoryReader(str(project))
    await read(reader)

    run(project, *words)
    state = await read(reader)

    assert (state.remote, state.repository, state.default_branch) == told


def stashed(project: Path) -> None:
    for text in ("two\n", "three\n"):
        (project / "a").write_text(text)
        run(project, "stash")


def merging(project: Path) -> None:
    run(project, "checkout", "-qb", "side")
    (project / "a").write_text("side\n")
    run(project, "commit", "-qam", "side")
    run(project, "checkout", "-q", "main")
    (project / "a").write_text("main\n")
    run(project, "commit", "-qam", "main")
    subprocess.run(["git", "-C", str(project), "merge", "side"], capture_output=True, check=False)


def nothing(project: Path) -> None:
    pass


@pytest.mark.parametrize(
    ("happens", "told"),
    [(nothing, (0, None)), (stashed, (2, None)), (merging, (0, "merge"))],
)
async def test_stashes_and_a_broken_off_merge_are_told(
    project: Path, happens: Callable[[Path], None], told: tuple[int, str | None]
) -> None:
    reader = RepositoryReader(str(project))
    await read(reader)

    happens(project)
    state = await read(reader)

    assert (state.stashes, state.operation) == told


async def test_a_worktree_shares_remotes_and_has_its_own_state(project: Path) -> None:
    run(project, "worktree", "add", "-q", str(project.parent / "tree"))
    merging(project)

    state = await read(RepositoryReader(str(project.parent / "tree")))

    assert (state.branch, state.remote, state.operation) == ("tree", "origin", None)


async def test_a_folder_that_becomes_a_repository_and_is_one_again_is_read(tmp_path: Path) -> None:
    reader = RepositoryReader(str(tmp_path))

    outside = await reader.read()
    run(tmp_path, "init", "-q", "-b", "main")
    unborn = await read(reader)

    assert (outside, unborn.branch, unborn.unborn, unborn.files) == (None, "main", True, ())
