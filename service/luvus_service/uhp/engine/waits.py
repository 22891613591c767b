"""Waits that are woken by what they wait for: an event, or a text on a screen. Nothing polls."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, TypeVar

import orjson

from luvus_service.uhp.engine.events import EventBus
from luvus_service.uhp.engine.feeding import TerminalClosed
from luvus_service.uhp.engine.terminal import Terminal

T = TypeVar("T")

SEARCHED_LINES = 200
"""Newest lines, soft wraps joined, in which a wait for output looks."""


async def wait_for_event(
    bus: EventBus,
    name: str,
    where: Mapping[str, Any],
    timeout_s: float,
    after: int | None,
    gone: asyncio.Event,
) -> tuple[int, bytes | None]:
    """Return the sequence at registration, and the matching frame or None when time was over.

    Retained events after `after` count first, when it is given.
    """
    found: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()

    def look(event: str, _sequence: int, data: Mapping[str, Any], frame: bytes) -> None:
        if event == name and not found.done() and _fits(data, where):
            found.set_result(frame)

    # The listener is there before the retained events are looked at, and nothing is awaited in
    # between: an event can fall into neither.
    stop = bus.listen(look)
    try:
        fence = bus.sequence
        if after is not None:
            for event, sequence, frame in bus.retained(after):
                if event == name:
                    look(event, sequence, orjson.loads(frame)["data"], frame)
        return fence, await first(found, timeout_s, gone)
    finally:
        stop()


async def wait_for_text(
    terminal: Terminal, text: str, timeout_s: float, gone: asyncio.Event
) -> bool:
    """Return whether the text was or came among the newest lines before time was over.

    False also when the terminal closed or the caller left.
    """
    changed = asyncio.Event()
    stop = terminal.watch(changed.set)
    leaving = asyncio.get_running_loop().create_task(gone.wait())
    leaving.add_done_callback(lambda _: changed.set())
    try:
        async with asyncio.timeout(timeout_s):
            while not terminal.closed and not gone.is_set():
                changed.clear()
                screen = await terminal.screen("recent_unwrapped", SEARCHED_LINES, ansi=False)
                if text in screen.captured.text:
                    return True
                await changed.wait()
    except (TimeoutError, TerminalClosed):
        return False
    finally:
        leaving.cancel()
        stop()
    return False


async def first(found: asyncio.Future[T], timeout_s: float, gone: asyncio.Event) -> T | None:
    """Return what a future brings, or None when time is over or the caller has left."""
    if found.done():
        return found.result()
    leaving = asyncio.get_running_loop().create_task(gone.wait())
    leaving.add_done_callback(lambda _: found.cancel())
    try:
        async with asyncio.timeout(timeout_s):
            return await found
    except TimeoutError:
        return None
    except asyncio.CancelledError:
        if not gone.is_set():
            raise
        return None
    finally:
        leaving.cancel()


def _fits(data: Mapping[str, Any], where: Mapping[str, Any]) -> bool:
    return all(key in data and _same(data[key], wanted) for key, wanted in where.items())


def _same(value: Any, wanted: Any) -> bool:
    # To JSON true is not 1, though Python finds them equal.
    return bool(value == wanted) and isinstance(value, bool) == isinstance(wanted, bool)
