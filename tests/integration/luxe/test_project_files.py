from __future__ import annotations

import subprocess
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.luxe_client import LuxeClient, luxe
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
    ]
    by_name = {entry["name"]: entry for entry in listed["entries"]}
    assert by_name[".env"]["denied"] is True and "ignored" not in by_name["a.txt"]
    assert (by_name["out"]["kind"], by_name["out"]["outside"]) == ("symlink", True)
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


async def test_the_workspace_shows_branch_and_changes(client: LuxeClient) -> None:
    client.send("refresh_workspace")
    shown = await client.until("workspace_updated")

    assert (shown["git"]["branch"], shown["git"]["unborn"]) == ("main", False)
    changed = {file["path"]: file for file in shown["git"]["files"]}
    assert (changed["a.txt"]["worktree"], changed["a.txt"]["additions"]) == ("M", 2)
    assert changed["new.txt"]["worktree"] == "?"
    assert "run.log" not in changed
