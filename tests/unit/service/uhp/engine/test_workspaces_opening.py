from __future__ import annotations

import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from luvus_service.rpc.errors import InvalidRequest, LimitExceeded
from luvus_service.uhp.domain import workspaces as rules
from luvus_service.uhp.engine.errors import NotFound, SpawnFailed
from luvus_service.uhp.engine.workspaces import (
    EARLY_EXITS,
    EARLY_S,
    PATH_BYTES,
    Workspaces,
    canonical_folder,
)
from tests.support.engine_world import EngineWorld
from tests.support.fake_world import subfolders


class Place:
    """An empty session at home in a folder."""

    def __init__(self, home: Path) -> None:
        self.home = str(home)
        self.world = EngineWorld(self.home)
        self.session = self.world.session
        self.workspaces = Workspaces(self.session)

    def folders(self) -> list[str]:
        """Return the folders of the open workspaces."""
        return [w.cwd for w in self.session.structure.workspaces]

    def ids(self) -> list[str]:
        """Return the ids of the open workspaces."""
        return [w.workspace_id for w in self.session.structure.workspaces]


@pytest.fixture
async def place(tmp_path: Path) -> AsyncIterator[Place]:
    made = Place(tmp_path)
    yield made
    await made.session.tasks.drain()
    await made.world.close()


async def test_a_folder_is_opened_once_and_then_focused(place: Place, tmp_path: Path) -> None:
    a, b = subfolders(tmp_path, 2)

    assert await place.workspaces.open(a, focus=True) == 0
    assert await place.workspaces.open(b, focus=True) == 1
    assert await place.workspaces.open(a, focus=False) == 1
    assert await place.workspaces.open(a + "/../f0/", focus=True) == 0

    assert place.folders() == [a, b]
    assert [spec.cwd for spec in place.world.host.specs] == [a, b]


async def test_a_folder_that_is_opened_in_the_background_leaves_the_view_alone(
    place: Place, tmp_path: Path
) -> None:
    a, b = subfolders(tmp_path, 2)
    await place.workspaces.open(a, focus=True)

    assert await place.workspaces.open(b, focus=False) == 0
    assert place.folders() == [a, b]


async def test_another_workspace_is_opened_where_the_focused_program_is(
    place: Place, tmp_path: Path
) -> None:
    a, b = subfolders(tmp_path, 2)
    await place.workspaces.open(a, focus=True)
    place.world.processes.folders[1] = b

    assert await place.workspaces.new() == 1
    assert place.folders() == [a, b]


async def test_another_workspace_of_an_empty_session_is_at_home(place: Place) -> None:
    assert await place.workspaces.new() == 0
    assert place.folders() == [place.home]


async def test_a_shell_that_cannot_be_started_leaves_nothing_open(place: Place) -> None:
    place.world.host.refuse = lambda _spec: True

    with pytest.raises(SpawnFailed, match="could not be started: refused by the test"):
        await place.workspaces.open(place.home, focus=True)

    assert (place.folders(), place.session.events.sequence) == ([], 0)


async def test_workspaces_are_meant_by_position_by_id_or_by_being_active(
    place: Place, tmp_path: Path
) -> None:
    for folder in subfolders(tmp_path, 2):
        await place.workspaces.open(folder, focus=True)
    first, second = place.ids()

    found = [
        place.workspaces.select(*selector)[0] for selector in ((None, None), (0, None), (1, None))
    ]
    assert found == [1, 0, 1]
    assert place.workspaces.select(None, first)[1].workspace_id == first
    with pytest.raises(NotFound):
        place.workspaces.select(2, None)
    with pytest.raises(NotFound):
        place.workspaces.select(None, "workspace_none")
    assert place.workspaces.block([1, 0], None) == (1, 0)
    assert place.workspaces.block(None, [second, first]) == (1, 0)
    with pytest.raises(NotFound):
        place.workspaces.block(None, [first, "workspace_none"])


@pytest.mark.parametrize("count", [0, rules.MAX_BLOCK + 1])
async def test_a_block_has_some_workspaces_and_not_too_many(place: Place, count: int) -> None:
    for named in (([0] * count, None), (None, ["x"] * count)):
        with pytest.raises(LimitExceeded, match=f"1 to {rules.MAX_BLOCK} workspaces, not {count}"):
            place.workspaces.block(*named)


async def test_after_the_last_workspace_the_home_folder_is_open(
    place: Place, tmp_path: Path
) -> None:
    await place.workspaces.open(subfolders(tmp_path, 1)[0], focus=True)

    await place.workspaces.close(0)

    assert place.folders() == [place.home]
    await place.workspaces.open_home()
    assert place.folders() == [place.home]


async def test_a_home_whose_shell_always_ends_at_once_is_given_up_for_a_while(
    place: Place,
) -> None:
    for _ in range(EARLY_EXITS):
        await place.workspaces.open_home()
        place.session.commit(rules.close_workspace, 0)
    await place.workspaces.open_home()
    assert place.folders() == []

    place.world.clock.now += EARLY_S * EARLY_EXITS
    await place.workspaces.open_home()
    assert place.folders() == [place.home]


async def test_a_home_that_cannot_be_opened_leaves_the_server_empty(place: Place) -> None:
    place.world.host.refuse = lambda _spec: True

    await place.workspaces.open_home()

    assert place.folders() == []


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("", f"`path` must be 1 to {PATH_BYTES} bytes without NUL"),
        ("/a\0b", f"`path` must be 1 to {PATH_BYTES} bytes without NUL"),
        ("/" + "ä" * (PATH_BYTES // 2), f"`path` must be 1 to {PATH_BYTES} bytes without NUL"),
        ("relative", "`path` must be absolute, not 'relative'"),
        ("~other", "`path` must be absolute, not '~other'"),
        ("/nowhere/at/all", "'/nowhere/at/all' is no folder; create it first"),
        ("/etc/hostname", "'/etc/hostname' is no folder; create it first"),
    ],
)
def test_a_path_that_is_no_folder_is_refused(path: str, reason: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        canonical_folder(path, "/")

    assert refused.value.message == reason


def test_a_folder_that_cannot_be_entered_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Tests may run as root, whom no mode keeps out.
    monkeypatch.setattr(os, "access", lambda _path, mode: mode != os.X_OK)

    with pytest.raises(InvalidRequest, match="cannot be entered; check its permissions"):
        canonical_folder(str(tmp_path), "/")


@pytest.mark.parametrize("path", ["~", "~/", "~/f0/..", "{home}/f0/../"])
def test_a_folder_may_be_named_from_home_and_in_roundabout_ways(path: str, tmp_path: Path) -> None:
    subfolders(tmp_path, 1)

    assert canonical_folder(path.format(home=tmp_path), str(tmp_path)) == str(tmp_path)


def test_a_link_is_followed_to_the_folder_itself(tmp_path: Path) -> None:
    folder = subfolders(tmp_path, 1)[0]
    (tmp_path / "link").symlink_to(folder)

    assert canonical_folder(str(tmp_path / "link"), "/") == folder
