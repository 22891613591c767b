"""Git run for bytes, on either event loop."""

from __future__ import annotations

import asyncio
import os
import subprocess
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, TypeAlias

import pytest
import uvloop

from luvus_service.adapters.git_run import GitAnswer, git

Run: TypeAlias = Callable[[Coroutine[Any, Any, GitAnswer]], GitAnswer]
either_loop = pytest.mark.parametrize("run", [asyncio.run, uvloop.run], ids=["asyncio", "uvloop"])
MUCH = b"\0".join(b"a/rather/long/path/number/%d" % number for number in range(100_000))


@either_loop
def test_git_that_ends_before_it_has_read_everything_is_an_answer(tmp_path: Path, run: Run) -> None:
    answer = run(git(str(tmp_path), "check-ignore", "-z", "--stdin", feed=MUCH))

    assert answer.code == 128
    assert "not a git repository" in answer.error


@either_loop
def test_git_reads_all_that_it_is_fed(tmp_path: Path, run: Run) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    (tmp_path / ".gitignore").write_text("99999\n")

    answer = run(git(str(tmp_path), "check-ignore", "-z", "--stdin", "--no-index", feed=MUCH))

    assert (answer.code, answer.out) == (0, b"a/rather/long/path/number/99999\0")


@either_loop
def test_git_that_is_fed_nothing_finds_nothing_to_read(tmp_path: Path, run: Run) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)

    answer = run(git(str(tmp_path), "check-ignore", "-z", "--stdin"))

    assert (answer.code, answer.out) == (1, b"")


async def test_git_is_given_no_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "git"
    program.write_text("#!/bin/sh\nenv\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    for name in ("ANTHROPIC_API_KEY", "MY_OWN_API_KEY", "GITHUB_TOKEN"):
        monkeypatch.setenv(name, "a-secret")

    told = (await git(str(tmp_path), "status")).out.decode().splitlines()

    assert [line for line in told if "a-secret" in line] == ["GITHUB_TOKEN=a-secret"]
