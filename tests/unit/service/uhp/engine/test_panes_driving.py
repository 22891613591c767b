from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from luvus_service.rpc.errors import InvalidRequest, NoSession, RpcError
from luvus_service.uhp.engine.errors import NotFound, SendFailed, SpawnFailed
from luvus_service.uhp.engine.panes import Panes, history_of
from luvus_service.uhp.engine.tabs import Tabs
from luvus_service.uhp.engine.workspaces import Workspaces
from tests.support.engine_world import EngineWorld


class Place:
    """A session in the root folder, with what can be done to its panes."""

    def __init__(self) -> None:
        self.world = EngineWorld()
        self.session = self.world.session
        self.workspaces = Workspaces(self.session)
        self.panes = Panes(self.session, self.workspaces)
        self.tabs = Tabs(self.session, self.workspaces)

    def layout(self) -> list[list[int]]:
        """Return the panes of each tab."""
        return [list(t.panes) for w in self.session.structure.workspaces for t in w.tabs]

    def typed(self, pane: int) -> bytes:
        """Return what a pane's program was sent."""
        terminal_id = self.session.structure.panes[pane].terminal_id
        return self.world.host.programs[str(terminal_id)].recv(4096)

    async def prints(self, pane: int, data: bytes) -> None:
        """Let a pane's program print, and return once it is on the screen."""
        _, terminal = self.session.terminal_of(pane)
        published = asyncio.Event()
        stop = terminal.watch(published.set)
        self.world.host.programs[terminal.id].sendall(data)
        await asyncio.wait_for(published.wait(), 5)
        stop()


@pytest.fixture
async def place() -> AsyncIterator[Place]:
    made = Place()
    yield made
    await made.session.tasks.drain()
    await made.world.close()


@pytest.fixture
async def opened(place: Place) -> Place:
    await place.workspaces.open("/", focus=True)
    return place


async def test_a_pane_is_split_with_and_without_the_focus(opened: Place) -> None:
    first = await opened.panes.split(1, "right", focus=False)
    assert (first.pane, opened.session.structure.focused) == (2, 1)

    second = await opened.panes.split(None, "down", focus=True)
    assert (second.pane, opened.session.structure.focused) == (3, 3)
    assert opened.layout() == [[1, 3, 2]]


async def test_a_split_of_an_empty_server_opens_the_home_folder(place: Place) -> None:
    outcome = await place.panes.split(None, "right", focus=False)

    assert (outcome.pane, place.layout()) == (1, [[1]])


async def test_a_split_of_a_pane_that_is_not_there_starts_nothing(opened: Place) -> None:
    with pytest.raises(NotFound):
        await opened.panes.split(9, "right", focus=True)

    assert len(opened.world.host.specs) == 1


async def test_a_split_whose_shell_cannot_be_started_changes_nothing(opened: Place) -> None:
    opened.world.host.refuse = lambda _spec: True
    before = opened.session.structure.workspaces

    with pytest.raises(SpawnFailed):
        await opened.panes.split(1, "right", focus=True)

    assert opened.session.structure.workspaces == before
    assert list(opened.session.structure.panes) == [1]


async def test_a_pane_moves_to_another_tab_and_to_one_of_its_own(opened: Place) -> None:
    await opened.panes.split(1, "right", focus=True)
    await opened.tabs.new()
    assert opened.layout() == [[1, 2], [3]]

    opened.panes.move_to_tab(2, 2, None)
    assert opened.layout() == [[1], [3, 2]]
    opened.panes.move_to_new_tab(2)
    assert opened.layout() == [[1], [3], [2]]
    tab_id = opened.session.structure.workspaces[0].tabs[0].tab_id
    opened.panes.move_to_tab(2, None, tab_id)
    assert opened.layout() == [[1, 2], [3]]

    assert opened.panes.place(2)[1].tab_index == 0
    assert len(opened.world.host.specs) == 3


@pytest.mark.parametrize(
    ("pane", "tab", "tab_id"),
    [(9, 1, None), (1, 9, None), (1, None, None), (1, 1, None), (1, None, "tab_none")],
)
async def test_a_move_that_cannot_be_changes_nothing(
    opened: Place, pane: int, tab: int | None, tab_id: str | None
) -> None:
    before = opened.session.structure

    with pytest.raises(RpcError) as refused:
        opened.panes.move_to_tab(pane, tab, tab_id)

    assert isinstance(refused.value, NotFound | InvalidRequest)
    assert opened.session.structure == before


async def test_closing_the_last_pane_opens_the_home_folder(opened: Place) -> None:
    await opened.panes.split(1, "right", focus=True)

    await opened.panes.close(1)
    assert opened.layout() == [[2]]
    await opened.panes.close(None)

    assert opened.layout() == [[3]]


async def test_the_newest_lines_are_read(opened: Place) -> None:
    await opened.prints(1, b"one\r\ntwo\r\nthree")

    assert (await opened.panes.read(None, 2)).rstrip() == "two\nthree"


async def test_a_command_is_typed_with_enter_and_text_as_it_is(opened: Place) -> None:
    opened.panes.run(1, "ls -l")
    assert opened.typed(1) == b"ls -l\r"

    await opened.panes.send(1, "ä\x03", paste=False)
    assert opened.typed(1) == "ä\x03".encode()


async def test_text_is_pasted_as_the_program_asked_for_it(opened: Place) -> None:
    await opened.panes.send(1, "a\nb", paste=True)
    assert b"\x1b[200~" not in opened.typed(1)

    await opened.prints(1, b"\x1b[?2004h.")
    await opened.panes.send(1, "a b", paste=True)
    assert opened.typed(1) == b"\x1b[200~a b\x1b[201~"


async def test_a_program_that_has_ended_is_sent_nothing(opened: Place) -> None:
    await opened.panes.split(1, "right", focus=True)
    _, terminal = opened.session.terminal_of(2)
    await terminal.close()

    with pytest.raises(SendFailed):
        opened.panes.run(2, "ls")
    with pytest.raises(SendFailed):
        await opened.panes.send(2, "x", paste=False)
    with pytest.raises(NotFound, match="pane 2 was closed meanwhile"):
        await opened.panes.send(2, "x", paste=True)
    with pytest.raises(NotFound, match="pane 2 was closed meanwhile"):
        await opened.panes.read(2, 10)
    assert await history_of(terminal) is None


async def test_the_history_of_a_live_terminal_is_told(opened: Place) -> None:
    _, terminal = opened.session.terminal_of(1)

    found = await history_of(terminal)

    assert found is not None
    assert found.budget_bytes == opened.session.history_bytes


async def test_nothing_can_be_done_to_the_panes_of_an_empty_server(place: Place) -> None:
    with pytest.raises((NoSession, NotFound)):
        place.panes.run(None, "ls")
    with pytest.raises((NoSession, NotFound)):
        await place.panes.close(1)
