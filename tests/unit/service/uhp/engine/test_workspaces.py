from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from luvus_service.uhp.domain.ports import GitFacts
from luvus_service.uhp.engine.session import Session
from tests.support.fake_world import FakeGit, Stage, subfolders


class SlowGit(FakeGit):
    """Git that answers when it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = asyncio.Event()
        self.may_answer = asyncio.Event()

    async def facts(self, folder: str) -> GitFacts:
        self.asked.set()
        await self.may_answer.wait()
        return await super().facts(folder)


def groups(session: Session) -> list[str | None]:
    """Return each workspace's repository in the order of their positions."""
    return [session.groups.get(w.workspace_id) for w in session.structure.workspaces]


async def display(stage: Stage) -> list[str]:
    """Return the workspaces' places in the sidebar in the order of their positions."""
    rows: list[dict[str, Any]] = (await stage.call("workspace.list"))["workspaces"]
    return [row["display_position"] for row in rows]


async def test_an_opened_folder_joins_the_group_of_its_repository(tmp_path: Path) -> None:
    stage = Stage()
    first, other, linked = subfolders(tmp_path, 3)
    stage.git.known = {f: GitFacts(common_dir="/repo/.git") for f in (first, linked)}

    for folder in (first, other, linked):
        await stage.call("workspace.open", {"path": folder})
    await stage.session.tasks.drain()

    assert groups(stage.session) == ["/repo/.git", None, "/repo/.git"]
    assert await display(stage) == ["0", "2", "1"]
    await stage.close()


async def test_opening_does_not_wait_for_git(tmp_path: Path) -> None:
    stage = Stage()
    git = SlowGit()
    stage.session.world.git = git
    folder = subfolders(tmp_path, 1)[0]
    git.known = {folder: GitFacts(common_dir="/repo/.git")}

    await stage.call("workspace.open", {"path": folder})
    await git.asked.wait()

    assert groups(stage.session) == [None]
    git.may_answer.set()
    await stage.session.tasks.drain()
    assert groups(stage.session) == ["/repo/.git"]
    await stage.close()


async def test_a_closed_workspace_leaves_no_group_behind(tmp_path: Path) -> None:
    stage = Stage()
    git = SlowGit()
    stage.session.world.git = git
    known, late = subfolders(tmp_path, 2)
    git.known = {f: GitFacts(common_dir="/repo/.git") for f in (known, late)}
    git.may_answer.set()
    await stage.call("workspace.open", {"path": known})
    await stage.session.tasks.drain()
    git.may_answer.clear()
    await stage.call("workspace.open", {"path": late})

    await stage.call("workspace.close", {"workspace": 0})
    await stage.call("workspace.close", {"workspace": 0})
    git.may_answer.set()
    await stage.session.tasks.drain()

    assert stage.session.groups == {}
    await stage.close()


async def test_a_workspace_that_closes_while_git_is_asked_is_not_found(tmp_path: Path) -> None:
    stage = Stage()
    folders = subfolders(tmp_path, 2)
    for folder in folders:
        await stage.call("workspace.open", {"path": folder})
    await stage.session.tasks.drain()
    git = SlowGit()
    stage.session.world.git = git

    async with asyncio.TaskGroup() as group:
        asked = group.create_task(stage.refusal("workspace.get", {"workspace": 1}))
        await git.asked.wait()
        group.create_task(stage.call("workspace.close", {"workspace": 1}))
        git.may_answer.set()

    assert asked.result() == "not_found"
    await stage.close()


async def test_a_workspace_that_moves_while_git_is_asked_is_still_the_one_described(
    tmp_path: Path,
) -> None:
    stage = Stage()
    folders = subfolders(tmp_path, 2)
    for folder in folders:
        await stage.call("workspace.open", {"path": folder})
    await stage.session.tasks.drain()
    git = SlowGit()
    stage.session.world.git = git

    async with asyncio.TaskGroup() as group:
        asked = group.create_task(stage.call("workspace.get", {"workspace": 1}))
        await git.asked.wait()
        await stage.call("workspace.move", {"workspace": 1, "to": 0})
        git.may_answer.set()

    found = asked.result()
    assert (found["cwd"], found["workspace"]) == (folders[1], "0")
    await stage.close()


async def test_workspaces_that_are_found_again_join_their_groups(tmp_path: Path) -> None:
    stage = Stage()
    folder = subfolders(tmp_path, 1)[0]
    await stage.call("workspace.open", {"path": folder})
    await stage.session.tasks.drain()
    stage.git.known = {folder: GitFacts(common_dir="/repo/.git")}
    assert groups(stage.session) == [None]

    again = Stage()
    again.host.saved = stage.host.saved
    again.host.terminals = dict(stage.host.terminals)
    again.git.known = stage.git.known
    again.session.recover()
    await again.session.tasks.drain()

    assert groups(again.session) == ["/repo/.git"]
    again.host.terminals.clear()
    await again.close()
    await stage.close()
