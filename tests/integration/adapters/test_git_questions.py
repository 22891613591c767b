"""Questions to a git program that does not answer."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from luvus_service.adapters.git import GitProgram
from luvus_service.uhp.domain.ports import GitFacts


async def test_a_question_that_is_cancelled_leaves_no_git_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = tmp_path / "told"
    os.mkfifo(told)
    program = tmp_path / "git"
    program.write_text(f"#!/bin/sh\necho $$ > {told}\nexec sleep 60\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    asking = asyncio.get_running_loop().create_task(GitProgram().facts("/"))
    pid = int(await asyncio.to_thread(told.read_text))

    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking

    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


async def test_a_folder_outside_of_a_repository_has_no_facts(tmp_path: Path) -> None:
    assert await GitProgram().facts(str(tmp_path)) == GitFacts()
