from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from luvus_service.adapters import project_changes
from luvus_service.adapters.git_run import GitAnswer, GitTimeout, git
from luvus_service.adapters.project import LocalProject
from luvus_service.adapters.project_changes import changes_from_head, new_files
from luvus_service.adapters.tools.paths import ProjectPaths
from luvus_service.luxe.domain.project_events import FileChange

pytestmark = pytest.mark.needs("git")

ODD = ["a b.txt", 'quo"te.txt', "new\nline.txt", "tab\t.txt", "ümlaut.txt", "b/a", "x b/x b", "-x"]


def run(folder: Path, *words: str) -> None:
    subprocess.run(["git", "-C", str(folder), *words], check=True, capture_output=True)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    run(tmp_path, "init", "-q", "-b", "main")
    for name in ODD:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("old\n")
    run(tmp_path, "add", ".")
    run(tmp_path, "commit", "-qm", "first")
    return tmp_path


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    """The words of every call of git."""
    seen: list[tuple[str, ...]] = []

    async def counted(folder: str, *words: str, **more: Any) -> GitAnswer:
        seen.append(words)
        return await git(folder, *words, **more)

    monkeypatch.setattr(project_changes, "git", counted)
    return seen


def lines_of(change: FileChange) -> list[str]:
    return [line.t + line.text for hunk in change.hunks for line in hunk.lines]


async def test_changes_of_files_with_any_name_are_told_apart_in_one_call(
    project: Path, asked: list[tuple[str, ...]]
) -> None:
    for name in ODD:
        (project / name).write_text(f"{name!r}\n--- a/other\ndiff --git a/x b/x\n")

    found = await changes_from_head(str(project), ODD)

    assert sorted(found) == sorted(ODD)
    for name in ODD:
        shown = ["-old", f"+{name!r}", "+--- a/other", "+diff --git a/x b/x"]
        assert (found[name].path, lines_of(found[name])) == (name, shown)
    assert len(asked) == 1


async def test_a_new_file_is_shown_as_git_shows_it(tmp_path: Path) -> None:
    run(tmp_path, "init", "-q")
    contents = {
        "lines": b"one\ntwo\n",
        "cut": b"one\ntwo",
        "empty": b"",
        "blank": b"\n",
        "binary": b"\0\1",
        "latin": b"caf\xe9\n",
        "carriage": b"a\r\nb\r\n",
    }
    for name, raw in contents.items():
        (tmp_path / name).write_bytes(raw)
    (tmp_path / "lines").chmod(0o755)
    (tmp_path / "link").symlink_to("gone")
    names = [*contents, "link"]

    found = new_files(str(tmp_path), names)

    for name in names:
        words = (*project_changes.DIFF, "--no-index", "--", "/dev/null", name)
        text = (await git(str(tmp_path), *words)).out.decode("utf-8", "replace")
        theirs, ours = project_changes.change_of(text, name), found[name]
        assert (ours.change, ours.new_mode, ours.binary, ours.additions, ours.hunks) == (
            theirs.change,
            theirs.new_mode,
            theirs.binary,
            theirs.additions,
            theirs.hunks,
        )


def test_what_is_no_file_or_too_large_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "large").write_bytes(b"x" * 11)
    (tmp_path / "fits").write_bytes(b"x" * 10)
    (tmp_path / "late").write_bytes(b"x" * 10)
    monkeypatch.setattr(project_changes, "FILE_BYTES", 10)
    monkeypatch.setattr(project_changes, "NEW_BYTES", 15)

    found = new_files(str(tmp_path), ["pipe", "gone", "large", "fits", "late"])

    assert {name: len(lines_of(change)) for name, change in found.items()} == {
        "large": 0,
        "fits": 1,
        "late": 0,
    }


@pytest.mark.parametrize("unborn", [True, False])
async def test_a_review_of_two_thousand_files_takes_few_calls_of_git(
    project: Path, asked: list[tuple[str, ...]], unborn: bool
) -> None:
    names = [f"folder-of-some-length/file-{number:04}.txt" for number in range(2000)]
    (project / "folder-of-some-length").mkdir()
    for name in names:
        (project / name).write_text("old\n")
    if unborn:
        run(project, "update-ref", "-d", "HEAD")
    else:
        run(project, "add", ".")
        run(project, "commit", "-qm", "second")
        for name in names[:1500]:
            (project / name).write_text("new\n")
        for name in names[1500:]:
            (project / name).unlink()

    change = await LocalProject(ProjectPaths(str(project), str(project), home="/")).uncommitted(
        1_000_000
    )

    assert change is not None
    figures = (change.files, change.additions, change.deletions)
    assert figures == ((2000, 2000, 0) if unborn else (2000, 1500, 2000))
    assert len(asked) <= 3


async def test_one_file_that_git_cannot_show_in_time_leaves_the_others(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"f{number}" for number in range(8)]
    for name in names:
        (project / name).write_text("old\n")
    run(project, "add", ".")
    run(project, "commit", "-qm", "second")
    for name in names:
        (project / name).write_text("new\n")

    async def slow(folder: str, *words: str, **more: Any) -> GitAnswer:
        if "f5" in words:
            raise GitTimeout("git diff took longer than 10 s")
        return await git(folder, *words, **more)

    monkeypatch.setattr(project_changes, "git", slow)

    found = await changes_from_head(str(project), names)

    assert sorted(found) == [name for name in names if name != "f5"]
