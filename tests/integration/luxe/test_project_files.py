from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from luvus_service.adapters.project import LocalProject
from luvus_service.adapters.tools.paths import ProjectPaths
from luvus_service.luxe.domain.permissions import Rule
from luvus_service.luxe_wiring.world import denied
from tests.support.luxe_client import LuxeClient, luxe, world_of
from tests.support.scripted_provider import ScriptedProvider

pytestmark = pytest.mark.needs("git")


def git(folder: Path, *words: str) -> None:
    subprocess.run(["git", "-C", str(folder), *words], check=True, capture_output=True)


@pytest.fixture
async def client(tmp_path: Path) -> AsyncIterator[LuxeClient]:
    project = tmp_path / "project"
    project.mkdir()
    git(project, "init", "-q", "-b", "main")
    (project / "a.txt").write_text("one\ntwo\nthree\n")
    (project / ".gitignore").write_text("*.log\n")
    git(project, "add", ".")
    git(project, "commit", "-qm", "first")
    (project / "a.txt").write_text("one\n2\nthree")
    (project / "new.txt").write_text("fresh\n")
    (project / "run.log").write_text("noise\n")
    (project / ".env").write_text("KEY=1\n")
    (project / "sub").mkdir()
    (project / "picture.bin").write_bytes(b"\0\1\2")
    (project / "latin.txt").write_bytes(b"caf\xe9\n")
    (project / "out").symlink_to("/etc")
    os.mkfifo(project / "pipe")
    os.mkfifo(project / "pipe.pem")
    async with luxe(tmp_path, ScriptedProvider()) as opened:
        yield opened


async def ask(client: LuxeClient, kind: str, answer: str, **content: Any) -> Any:
    client.send(kind, {"request_id": "r1", **content})
    return await client.until(answer)


async def test_a_folder_is_listed_without_what_is_ignored(client: LuxeClient) -> None:
    listed = await ask(client, "list_directory", "directory_listed", path="")

    assert [entry["name"] for entry in listed["entries"]] == [
        "sub",
        ".env",
        ".gitignore",
        "a.txt",
        "latin.txt",
        "new.txt",
        "out",
        "picture.bin",
        "pipe",
        "pipe.pem",
    ]
    by_name = {entry["name"]: entry for entry in listed["entries"]}
    assert by_name[".env"]["denied"] is True and "ignored" not in by_name["a.txt"]
    assert (by_name["out"]["kind"], by_name["out"]["outside"]) == ("symlink", True)
    marks = {name: entry["git"] for name, entry in by_name.items() if "git" in entry}
    assert marks == {
        "a.txt": "modified",
        "new.txt": "untracked",
        ".env": "untracked",
        "latin.txt": "untracked",
        "out": "untracked",
        "picture.bin": "untracked",
    }
    everything = await ask(
        client, "list_directory", "directory_listed", path=".", include_ignored=True
    )
    marked = [entry["name"] for entry in everything["entries"] if entry.get("ignored")]
    assert marked == ["run.log"]


async def test_a_file_is_read_as_text_with_what_an_editor_needs(client: LuxeClient) -> None:
    read = await ask(client, "read_project_file", "project_file_read", path="a.txt")

    assert (read["text"], read["lines"], read["eol"], read["final_newline"]) == (
        "one\n2\nthree",
        3,
        "lf",
        False,
    )


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("../secret", "outside_project"),
        ("/etc/hosts", "outside_project"),
        ("out/hosts", "outside_project"),
        (".git/config", "denied"),
        (".env", "denied"),
        ("none.txt", "not_found"),
        ("sub", "is_a_directory"),
        ("picture.bin", "binary"),
        ("latin.txt", "not_utf8"),
        ("pipe", "unreadable"),
        ("a.txt/b", "unreadable"),
        ("a\0b", "outside_project"),
        ("x" * 4_000, "unreadable"),
    ],
)
async def test_what_cannot_be_read_says_why(client: LuxeClient, path: str, code: str) -> None:
    failed = await ask(client, "read_project_file", "project_file_read_failed", path=path)

    assert (failed["request_id"], failed["path"], failed["code"]) == ("r1", path, code)


async def test_a_change_is_shown_line_by_line(client: LuxeClient) -> None:
    loaded = await ask(client, "load_file_diff", "file_diff_loaded", path="a.txt")

    shown = [(line["t"], line["text"]) for line in loaded["file"]["hunks"][0]["lines"]]
    assert shown == [(" ", "one"), ("-", "two"), ("-", "three"), ("+", "2"), ("+", "three")]
    assert (loaded["base"], loaded["file"]["change"]) == ("HEAD", "modified")
    assert loaded["file"]["hunks"][0]["lines"][-1]["eof"] is True
    fresh = await ask(client, "load_file_diff", "file_diff_loaded", path="new.txt")
    assert (fresh["base"], fresh["file"]["change"], fresh["file"]["additions"]) == (
        "empty",
        "added",
        1,
    )
    same = await ask(client, "load_file_diff", "file_diff_failed", path=".gitignore")
    assert same["code"] == "no_change"


@pytest.mark.parametrize(
    ("path", "code"),
    [
        (".", "is_a_directory"),
        ("", "is_a_directory"),
        ("deep", "is_a_directory"),
        ("gone", "is_a_directory"),
        ("*", "not_found"),
        ("deep/.e?v", "not_found"),
        (":(top)deep", "not_found"),
        ("deep/.env", "denied"),
        ("none", "not_found"),
        ("../x", "outside_project"),
        (".git/config", "denied"),
    ],
)
async def test_a_diff_is_of_one_named_file_and_never_of_a_secret(
    client: LuxeClient, tmp_path: Path, path: str, code: str
) -> None:
    project = tmp_path / "project"
    for folder in ("deep", "gone"):
        (project / folder).mkdir()
        (project / folder / ".env").write_text("KEY=old\n")
    git(project, "add", "-Af", "deep", "gone")
    git(project, "commit", "-qm", "second")
    (project / "deep/.env").write_text("KEY=new\n")
    shutil.rmtree(project / "gone")

    failed = await ask(client, "load_file_diff", "file_diff_failed", path=path)

    assert (failed["request_id"], failed["path"], failed["code"]) == ("r1", path, code)


async def test_a_file_taken_out_of_the_index_is_shown_as_deleted(
    client: LuxeClient, tmp_path: Path
) -> None:
    git(tmp_path / "project", "rm", "-qf", "a.txt")

    loaded = await ask(client, "load_file_diff", "file_diff_loaded", path="a.txt")

    assert (loaded["base"], loaded["file"]["change"]) == ("HEAD", "deleted")


async def test_before_the_first_commit_a_file_is_compared_with_nothing(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    git(project, "init", "-q")
    (project / "a.txt").write_text("a\n")
    git(project, "add", ".")

    async with luxe(tmp_path, ScriptedProvider()) as client:
        loaded = await ask(client, "load_file_diff", "file_diff_loaded", path="a.txt")

    assert (loaded["base"], loaded["file"]["change"]) == ("empty", "added")


async def test_submodules_have_a_kind_of_their_own(tmp_path: Path, client: LuxeClient) -> None:
    project = tmp_path / "project"
    part = tmp_path / "part"
    part.mkdir()
    git(part, "init", "-q")
    git(part, "commit", "-qm", "first", "--allow-empty")
    git(project, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(part), "part")
    git(project, "commit", "-qm", "second")

    listed = await ask(client, "list_directory", "directory_listed", path=".")

    kinds = {entry["name"]: entry["kind"] for entry in listed["entries"]}
    assert (kinds["part"], kinds["sub"]) == ("submodule", "directory")


async def test_outside_git_the_ignore_files_are_obeyed(tmp_path: Path) -> None:
    project = tmp_path / "project"
    (project / "build").mkdir(parents=True)
    (project / "sub").mkdir()
    (project / ".gitignore").write_text("build/\n*.log\n")
    (project / "sub/.gitignore").write_text("!keep.log\n")
    for name in ("a.py", "x.log", "sub/keep.log", "sub/y.log", "build/out.o"):
        (project / name).write_text("")

    async with luxe(tmp_path, ScriptedProvider()) as client:
        shown = [
            [entry["name"] for entry in (await listing(client, path))["entries"]]
            for path in ("", "sub", "build")
        ]
        everything = await listing(client, "build", include_ignored=True)
        refused = await ask(client, "load_file_diff", "file_diff_failed", path="a.py")

    assert shown == [["sub", ".gitignore", "a.py"], [".gitignore", "keep.log"], []]
    assert [(e["name"], e["ignored"]) for e in everything["entries"]] == [("out.o", True)]
    assert refused["code"] == "not_git"


async def listing(client: LuxeClient, path: str, **more: Any) -> Any:
    return await ask(client, "list_directory", "directory_listed", path=path, **more)


async def test_what_a_rule_denies_no_client_reads(tmp_path: Path) -> None:
    project = tmp_path / "project"
    (project / "private").mkdir(parents=True)
    git(project, "init", "-q")
    git(project, "commit", "-qm", "first", "--allow-empty")
    (project / "private/a.txt").write_text("a\n")
    paths = ProjectPaths(str(project), str(project), home=str(tmp_path))
    rules = (Rule("deny", "read", "private/**"),)
    world = replace(
        world_of(tmp_path, ScriptedProvider()),
        project=LocalProject(paths, lambda unit: denied(unit, rules)),
    )

    async with luxe(tmp_path, ScriptedProvider(), world=world) as client:
        answers = [
            await ask(
                client, "read_project_file", "project_file_read_failed", path="private/a.txt"
            ),
            await ask(client, "load_file_diff", "file_diff_failed", path="private/a.txt"),
        ]
        client.send("request_review")
        rejected = await client.until("action_rejected")

    assert [answer["code"] for answer in answers] == ["denied", "denied"]
    assert rejected["code"] == "not_found"


async def test_the_workspace_shows_branch_and_changes(client: LuxeClient) -> None:
    client.send("refresh_workspace")
    shown = await client.until("workspace_updated")

    assert (shown["git"]["branch"], shown["git"]["unborn"]) == ("main", False)
    changed = {file["path"]: file for file in shown["git"]["files"]}
    assert (changed["a.txt"]["worktree"], changed["a.txt"]["additions"]) == ("M", 2)
    assert changed["new.txt"]["worktree"] == "?"
    assert "run.log" not in changed
