from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from luvus_service.rpc.errors import InvalidRequest, NoSession
from luvus_service.uhp.engine.errors import NotFound, SpawnFailed
from luvus_service.uhp.engine.tabs import Tabs
from luvus_service.uhp.engine.workspaces import Workspaces
from tests.support.engine_world import EngineWorld
from tests.support.fake_world import subfolders


class Place:
    """A session at home in a folder, with what can be done to its tabs."""

    def __init__(self, home: Path) -> None:
        self.home = str(home)
        self.world = EngineWorld(self.home)
        self.session = self.world.session
        self.workspaces = Workspaces(self.session)
        self.tabs = Tabs(self.session, self.workspaces)

    def panes(self) -> list[list[list[int]]]:
        """Return the panes of each tab of each workspace."""
        return [[list(t.panes) for t in w.tabs] for w in self.session.structure.workspaces]


@pytest.fixture
async def place(tmp_path: Path) -> AsyncIterator[Place]:
    made = Place(tmp_path)
    yield made
    await made.session.tasks.drain()
    await made.world.close()


async def test_a_new_tab_is_at_the_end_and_begins_where_the_focused_program_is(
    place: Place, tmp_path: Path
) -> None:
    a, b = subfolders(tmp_path, 2)
    await place.workspaces.open(a, focus=True)
    place.world.processes.folders[1] = b

    assert await place.tabs.new() == 2

    assert place.panes() == [[[1], [2]]]
    assert place.session.structure.workspaces[0].active_index == 1
    assert [spec.cwd for spec in place.world.host.specs] == [a, b]


async def test_a_new_tab_of_an_empty_server_opens_the_home_folder(place: Place) -> None:
    assert await place.tabs.new() == 1

    assert [w.cwd for w in place.session.structure.workspaces] == [place.home]


async def test_a_tab_whose_shell_cannot_be_started_is_not_opened(place: Place) -> None:
    await place.tabs.new()
    place.world.host.refuse = lambda _spec: True

    with pytest.raises(SpawnFailed):
        await place.tabs.new()

    assert place.panes() == [[[1]]]


async def test_tabs_are_meant_by_position_by_id_or_by_being_active(place: Place) -> None:
    await place.tabs.new()
    await place.tabs.new()
    ids = [tab.tab_id for tab in place.session.structure.workspaces[0].tabs]

    found = [place.tabs.select(*s).tab_index for s in ((None, None), (1, None), (None, ids[0]))]
    assert found == [1, 0, 0]
    for selector in ((3, None), (None, "tab_none")):
        with pytest.raises((NotFound, InvalidRequest)):
            place.tabs.select(*selector)
    with pytest.raises(InvalidRequest, match="other_id"):
        place.tabs.select(None, None, required=True, fields=("other", "other_id"))


async def test_a_tab_is_found_in_any_workspace(place: Place, tmp_path: Path) -> None:
    await place.tabs.new()
    await place.workspaces.open(subfolders(tmp_path, 1)[0], focus=True)
    await place.tabs.new()

    other = place.session.structure.workspaces[1]
    found = place.tabs.find((None, other.workspace_id), (2, None))
    assert (found.workspace_index, found.tab_index) == (1, 1)
    assert place.tabs.find((0, None), (None, None)).workspace_index == 0
    assert place.tabs.rearrangeable((0, None), (1, None), "arranged").tab_index == 0
    with pytest.raises(NotFound):
        place.tabs.find((2, None), (None, None))


async def test_a_tab_of_an_empty_server_cannot_be_meant(place: Place) -> None:
    with pytest.raises((NoSession, NotFound)):
        place.tabs.select(None, None)


async def test_closing_a_tab_ends_its_panes_and_the_last_one_takes_the_workspace_along(
    place: Place, tmp_path: Path
) -> None:
    await place.workspaces.open(subfolders(tmp_path, 1)[0], focus=True)
    await place.tabs.new()

    await place.tabs.close(place.tabs.select(1, None))
    assert place.panes() == [[[2]]]
    await place.tabs.close(place.tabs.select(None, None))
    await place.session.tasks.drain()

    assert [w.cwd for w in place.session.structure.workspaces] == [place.home]
    assert place.panes() == [[[3]]]
    assert len(place.session.terminals) == 1
