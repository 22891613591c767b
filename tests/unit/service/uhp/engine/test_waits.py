from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from luvus_service.uhp.engine.errors import CursorAhead, ResyncRequired
from luvus_service.uhp.engine.events import WAITERS, EventBus
from luvus_service.uhp.engine.waits import SEARCHED_LINES, wait_for_event, wait_for_text
from tests.support.fake_terminals import Program, running

LONG_S = 10.0


class Waiting:
    """A bus, and calls that wait for its events."""

    def __init__(self) -> None:
        self.bus = EventBus()
        self.gone = asyncio.Event()

    async def wait(
        self,
        name: str = "a",
        where: dict[str, Any] | None = None,
        *,
        timeout_s: float = LONG_S,
        after: int | None = None,
    ) -> tuple[int, Any]:
        """Return the fence and the event."""
        fence, frame = await wait_for_event(
            self.bus, name, where or {}, timeout_s, after, self.gone
        )
        return fence, None if frame is None else json.loads(frame)

    def free_places(self) -> int:
        """Return how many more may listen."""
        stops: list[Callable[[], None]] = []
        try:
            while len(stops) < WAITERS:
                stops.append(self.bus.listen(lambda *_: None))
        finally:
            for stop in stops:
                stop()
        return len(stops)


@pytest.fixture
async def waiting() -> AsyncIterator[Waiting]:
    made = Waiting()
    yield made
    assert made.free_places() == WAITERS


@pytest.fixture
async def program() -> AsyncIterator[Program]:
    async with running() as found:
        yield found


async def test_a_wait_ends_with_the_first_event_that_fits(waiting: Waiting) -> None:
    waiting.bus.publish("a", {"pane": "1"})

    async with asyncio.TaskGroup() as group:
        found = group.create_task(waiting.wait("a", {"pane": "2", "on": True}))
        await asyncio.sleep(0)
        for name, data in (
            ("b", {"pane": "2", "on": True}),
            ("a", {"pane": "2"}),
            ("a", {"pane": "2", "on": 1}),
            ("a", {"pane": 2, "on": True}),
            ("a", {"pane": "2", "on": True, "more": None}),
            ("a", {"pane": "2", "on": True}),
        ):
            waiting.bus.publish(name, data)

    expected = {"event": "a", "sequence": 6, "data": {"pane": "2", "on": True, "more": None}}
    assert found.result() == (1, expected)


@pytest.mark.parametrize(
    ("value", "wanted", "fits"),
    [
        (1, 1, True),
        (1, 1.0, True),
        (1, True, False),
        (True, 1, False),
        (0, False, False),
        (False, False, True),
        ("1", 1, False),
        (None, None, True),
        (None, False, False),
        ("a", "a", True),
        ("a", "A", False),
    ],
)
async def test_values_are_compared_as_json_compares_them(
    waiting: Waiting, value: Any, wanted: Any, fits: bool
) -> None:
    waiting.bus.publish("a", {"x": value})

    _, found = await waiting.wait("a", {"x": wanted}, after=0, timeout_s=0)

    assert (found is not None) is fits


async def test_a_field_that_is_absent_is_not_null(waiting: Waiting) -> None:
    waiting.bus.publish("a", {})

    assert await waiting.wait("a", {"x": None}, after=0, timeout_s=0) == (1, None)


async def test_retained_events_count_first_when_a_cursor_is_given(waiting: Waiting) -> None:
    for data in ({"x": 1}, {"x": 2}, {"x": 2, "y": 1}):
        waiting.bus.publish("a", data)
    waiting.bus.publish("b", {"x": 2})

    fence, found = await waiting.wait("a", {"x": 2}, after=1)

    assert (fence, found) == (4, {"event": "a", "sequence": 2, "data": {"x": 2}})


async def test_without_a_cursor_only_what_comes_counts(waiting: Waiting) -> None:
    waiting.bus.publish("a", {})

    assert await waiting.wait("a", timeout_s=0.001) == (1, None)


@pytest.mark.parametrize(("after", "error"), [(2, CursorAhead), (-1, ResyncRequired)])
async def test_a_cursor_that_cannot_be_served_is_refused(
    waiting: Waiting, after: int, error: type[Exception]
) -> None:
    waiting.bus.publish("a", {})

    with pytest.raises(error):
        await waiting.wait("a", after=after)


async def test_a_caller_that_leaves_ends_its_wait(waiting: Waiting) -> None:
    async with asyncio.TaskGroup() as group:
        found = group.create_task(waiting.wait())
        await asyncio.sleep(0)
        waiting.gone.set()

    assert found.result() == (0, None)


async def test_a_wait_that_is_cancelled_gives_its_place_back(waiting: Waiting) -> None:
    async with asyncio.TaskGroup() as group:
        found = group.create_task(waiting.wait())
        await asyncio.sleep(0)
        found.cancel()

    assert found.cancelled()


async def test_a_text_that_is_there_is_found_at_once(program: Program) -> None:
    await program.prints("one two\n")

    assert await wait_for_text(program.terminal, "two", 0, asyncio.Event())


async def test_a_text_that_comes_ends_the_wait(program: Program) -> None:
    async with asyncio.TaskGroup() as group:
        found = group.create_task(
            wait_for_text(program.terminal, "two three", LONG_S, asyncio.Event())
        )
        for text in ("one two", "\n", "two", " three"):
            await program.prints(text)

    assert found.result()


async def test_a_text_that_does_not_come_is_not_found(program: Program) -> None:
    assert not await wait_for_text(program.terminal, "two", 0.001, asyncio.Event())


async def test_only_the_newest_lines_are_searched(program: Program) -> None:
    await program.prints("two\n" + "one\n" * SEARCHED_LINES)

    assert not await wait_for_text(program.terminal, "two", 0.001, asyncio.Event())


async def test_a_caller_that_leaves_ends_its_wait_for_text(program: Program) -> None:
    gone = asyncio.Event()

    async with asyncio.TaskGroup() as group:
        found = group.create_task(wait_for_text(program.terminal, "two", LONG_S, gone))
        await asyncio.sleep(0)
        gone.set()

    assert not found.result()


async def test_a_terminal_that_closes_ends_the_wait_for_text(program: Program) -> None:
    async with asyncio.TaskGroup() as group:
        found = group.create_task(wait_for_text(program.terminal, "two", LONG_S, asyncio.Event()))
        await asyncio.sleep(0)
        await program.terminal.close()

    assert not found.result()
    assert not await wait_for_text(program.terminal, "two", LONG_S, asyncio.Event())
