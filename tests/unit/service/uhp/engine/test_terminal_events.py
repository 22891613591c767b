from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any

import pytest

from luvus_service.uhp.domain.layout import Leaf
from luvus_service.uhp.domain.ports import ExitStatus
from luvus_service.uhp.domain.structure import PaneRecord, Tab, Workspace
from luvus_service.uhp.domain.structure import Session as Structure
from luvus_service.uhp.engine.events import EventBus
from luvus_service.uhp.engine.notifications import Notifications
from luvus_service.uhp.engine.panes import Panes
from luvus_service.uhp.engine.signals import Signals
from luvus_service.uhp.engine.terminal_events import Places, TerminalEvents
from luvus_service.uhp.engine.workspaces import Workspaces
from tests.support.engine_world import EngineWorld
from tests.support.fake_terminals import TERMINAL_ID, running


class Story:
    """A session of one pane in the root folder, and the events since."""

    def __init__(self) -> None:
        self.world = EngineWorld()
        self.session = self.world.session
        self.workspaces = Workspaces(self.session)
        self.panes = Panes(self.session, self.workspaces)
        self.events: list[tuple[str, dict[str, Any]]] = []
        self._changed = asyncio.Event()
        self.session.events.listen(self._heard)

    async def open(self) -> str:
        """Open the root folder and return its terminal's id."""
        await self.workspaces.open("/", focus=True)
        return self.terminal_id(1)

    def terminal_id(self, pane: int) -> str:
        """Return the id of a pane's terminal."""
        return str(self.session.structure.panes[pane].terminal_id)

    def of_terminals(self) -> list[tuple[str, dict[str, Any]]]:
        """Return the events of terminals."""
        return [(n, d) for n, d in self.events if n.startswith("terminal.")]

    async def until(self, arrived: Callable[[str], bool]) -> None:
        """Return once there was an event whose name is right."""
        async with asyncio.timeout(5):
            while not any(arrived(name) for name, _ in self.events):
                self._changed.clear()
                await self._changed.wait()

    def told(
        self,
        terminal_id: str,
        pane: int,
        revision: int,
        place: tuple[int, int],
        detail: Mapping[str, Any],
    ) -> dict[str, Any]:
        """Return the data of an event of a terminal."""
        return {
            "server_generation": self.session.generation,
            "terminal_id": terminal_id,
            "pane_id": str(pane),
            "content_revision": revision,
            "workspace": place[0],
            "tab": place[1],
            "detail": detail,
        }

    def _heard(self, name: str, _sequence: int, data: Mapping[str, Any], _frame: bytes) -> None:
        self.events.append((name, dict(data)))
        self._changed.set()


@pytest.fixture
async def story() -> AsyncIterator[Story]:
    made = Story()
    yield made
    await made.session.tasks.drain()
    await made.world.close()


async def test_a_terminal_is_told_after_the_pane_that_shows_it(story: Story) -> None:
    terminal_id = await story.open()

    names = [name for name, _ in story.events]
    assert names.index("terminal.created") == names.index("pane.created") + 1
    assert story.of_terminals() == [("terminal.created", story.told(terminal_id, 1, 0, (1, 1), {}))]


async def test_output_is_told_with_the_revision_of_the_screen(story: Story) -> None:
    terminal_id = await story.open()
    story.events.clear()

    story.world.host.programs[terminal_id].sendall(b"hello")
    await story.until(lambda name: name == "terminal.output_ready")

    assert story.events == [("terminal.output_ready", story.told(terminal_id, 1, 1, (1, 1), {}))]


async def test_a_label_is_told_once_and_so_is_its_loss(story: Story) -> None:
    terminal_id = await story.open()
    story.events.clear()

    for label in ("build", "build", None, None):
        story.session.set_label(1, label)

    assert story.of_terminals() == [
        ("terminal.metadata_changed", story.told(terminal_id, 1, 0, (1, 1), {"label": label}))
        for label in ("build", None)
    ]


async def test_a_pane_that_moves_takes_its_terminal_along(story: Story) -> None:
    await story.open()
    await story.panes.split(1, "right", focus=True)
    story.events.clear()

    story.panes.move_to_new_tab(2)

    names = [name for name, _ in story.events]
    assert names.index("terminal.moved") == names.index("pane.moved") + 1
    assert story.of_terminals() == [
        ("terminal.moved", story.told(story.terminal_id(2), 2, 0, (1, 2), {}))
    ]


async def test_a_terminal_that_is_closed_is_told_where_it_was(story: Story) -> None:
    await story.open()
    await story.panes.split(1, "right", focus=True)
    terminal_id = story.terminal_id(2)
    story.panes.move_to_new_tab(2)
    story.events.clear()

    await story.panes.close(2)

    closed = story.told(terminal_id, 2, 0, (1, 2), {"reason": "closed"})
    assert story.of_terminals() == [("terminal.closed", closed)]


@pytest.mark.parametrize("status", [ExitStatus(3, None), ExitStatus(None, "SIGKILL")])
async def test_a_program_that_ends_by_itself_is_told_and_so_is_why_it_closed(
    story: Story, status: ExitStatus
) -> None:
    await story.open()
    await story.panes.split(1, "right", focus=True)
    terminal_id = story.terminal_id(2)
    await story.session.tasks.drain()
    story.events.clear()

    story.world.host.programs[terminal_id].sendall(b"bye")
    story.world.host.exit(terminal_id, status)
    await story.until(lambda name: name == "terminal.closed")

    detail = {"exit_code": status.code, "signal": status.signal}
    told = [(name, data) for name, data in story.of_terminals() if data["pane_id"] == "2"]
    assert told == [
        ("terminal.output_ready", story.told(terminal_id, 2, 1, (1, 1), {})),
        ("terminal.exited", story.told(terminal_id, 2, 1, (1, 1), detail)),
        (
            "terminal.closed",
            story.told(terminal_id, 2, 1, (1, 1), {"reason": "exited", **detail}),
        ),
    ]


def structure(*tabs: tuple[str, int], terminal_id: str | None = TERMINAL_ID) -> Structure:
    """Return a session of one workspace with a pane in each tab; the first has a terminal."""
    records = {pane: PaneRecord(pane) for _, pane in tabs}
    records[tabs[0][1]] = PaneRecord(tabs[0][1], terminal_id=terminal_id)
    made = tuple(Tab(tab_id, Leaf(pane), pane) for tab_id, pane in tabs)
    return Structure((Workspace("W", "w", "/", made, tabs[0][0]),), "W", records)


def test_a_pane_is_found_where_it_is_or_where_it_was_a_change_ago() -> None:
    places = Places()
    assert (places.pane_of(TERMINAL_ID), places.of(1)) == (None, (None, None))

    places.update(structure(("A", 1), ("B", 2)))
    assert (places.pane_of(TERMINAL_ID), places.of(1), places.of(2)) == (1, (1, 1), (1, 2))

    places.update(structure(("B", 2)))
    assert (places.pane_of(TERMINAL_ID), places.of(1), places.of(2)) == (2, (1, 1), (1, 1))

    places.update(structure(("B", 2), terminal_id=None))
    assert (places.pane_of(TERMINAL_ID), places.of(1)) == (None, (None, None))


async def test_a_terminal_that_no_pane_shows_any_more_is_not_told_about() -> None:
    bus = EventBus()
    told = TerminalEvents(bus, "g", Places(), Notifications(bus, lambda: 0.0))

    async with running() as program:
        told.output(program.terminal)
        told.signalled(program.terminal, Signals(1, (("", "x"),), 0, retitled=True))
        told.labelled(program.terminal, "x")
        told.exited(program.terminal, ExitStatus(0, None))

    assert bus.sequence == 0
