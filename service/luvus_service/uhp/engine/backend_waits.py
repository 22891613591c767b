"""Waits on one terminal's output, and captures that say when the terminal has gone.

A wait is answered with the revision of the publication that satisfied it, not with a later one.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass

from luvus_service.rpc.errors import LimitExceeded
from luvus_service.uhp.domain.ports import CaptureMode, Modes
from luvus_service.uhp.engine.errors import TerminalGone, Timeout
from luvus_service.uhp.engine.feeding import TerminalClosed
from luvus_service.uhp.engine.screens import Screen
from luvus_service.uhp.engine.terminal import CAPTURE_BYTES, Terminal

SEARCHED_LINES = 200
"""Newest lines, soft wraps joined, in which a text is looked for."""
ECHO_S = 5.0
"""How long the first screen after an input is remembered."""


@dataclass(slots=True)
class _Echo:
    stop: Callable[[], None]
    timer: asyncio.TimerHandle
    screen: Screen | None = None


class Echoes:
    """The first screen that each terminal published after its latest input.

    Echo and answer of a program can be published one after the other before a client that has
    sent the input comes back to wait; its wait must still be answered by the first of them.
    """

    def __init__(self) -> None:
        self._kept: dict[str, _Echo] = {}

    def expect(self, terminal: Terminal) -> None:
        """Remember what this terminal publishes next; call it right after an input."""
        self._forget(terminal.id)

        def look() -> None:
            echo.stop()
            echo.screen = terminal.published("recent_unwrapped", SEARCHED_LINES)

        try:
            stop = terminal.watch(look)
        except LimitExceeded:
            return
        loop = asyncio.get_running_loop()
        echo = _Echo(stop, loop.call_later(ECHO_S, self._forget, terminal.id))
        self._kept[terminal.id] = echo

    def find(self, terminal: Terminal, text: str, after: int) -> int | None:
        """Return the remembered revision if it is newer and its screen has the text."""
        echo = self._kept.get(terminal.id)
        if echo is None or echo.screen is None or not _fits(echo.screen, text, after):
            return None
        return echo.screen.revision

    def _forget(self, terminal_id: str) -> None:
        echo = self._kept.pop(terminal_id, None)
        if echo is not None:
            echo.stop()
            echo.timer.cancel()


async def screen_of(
    terminal: Terminal,
    mode: CaptureMode,
    lines: int,
    *,
    ansi: bool = False,
    max_bytes: int = CAPTURE_BYTES,
) -> Screen:
    """Return a terminal's text and its revision.

    Raises:
        TerminalGone: It was closed meanwhile.
    """
    with _noticing_the_end(terminal):
        return await terminal.screen(mode, lines, ansi=ansi, max_bytes=max_bytes)


async def modes_of(terminal: Terminal) -> Modes:
    """Return the modes in force in a terminal.

    Raises:
        TerminalGone: It was closed meanwhile.
    """
    with _noticing_the_end(terminal):
        return await terminal.modes()


@contextmanager
def _noticing_the_end(terminal: Terminal) -> Generator[None]:
    if terminal.closed:
        raise _gone(terminal)
    try:
        yield
    except TerminalClosed:
        raise _gone(terminal) from None


async def wait_change(terminal: Terminal, after: int, timeout_s: float, gone: asyncio.Event) -> int:
    """Return the first revision after the given one.

    Raises:
        TerminalGone: The terminal was closed first.
        Timeout: Time was over first.
    """
    changed = asyncio.Event()
    async with _watching(terminal, changed.set, timeout_s, gone, changed):
        while terminal.revision <= after:
            _go_on(terminal, gone)
            changed.clear()
            await changed.wait()
        return terminal.revision


async def wait_output(
    terminal: Terminal,
    text: str,
    after: int,
    timeout_s: float,
    gone: asyncio.Event,
    echoes: Echoes,
) -> int:
    """Return a revision after the given one whose newest lines have the text.

    Raises:
        TerminalGone: The terminal was closed first.
        Timeout: Time was over first.
    """
    remembered = echoes.find(terminal, text, after)
    if remembered is not None:
        return remembered
    changed = asyncio.Event()
    hits: list[int] = []
    unseen = True

    def look() -> None:
        nonlocal unseen
        screen = terminal.published("recent_unwrapped", SEARCHED_LINES)
        unseen = unseen or screen is None
        if screen is not None and _fits(screen, text, after):
            hits.append(screen.revision)
        changed.set()

    async with _watching(terminal, look, timeout_s, gone, changed):
        while not hits:
            _go_on(terminal, gone)
            changed.clear()
            if unseen:
                unseen = False
                screen = await screen_of(terminal, "recent_unwrapped", SEARCHED_LINES)
                if not hits and _fits(screen, text, after):
                    hits.append(screen.revision)
                continue
            await changed.wait()
    return hits[0]


@asynccontextmanager
async def _watching(
    terminal: Terminal,
    look: Callable[[], None],
    timeout_s: float,
    gone: asyncio.Event,
    changed: asyncio.Event,
) -> AsyncGenerator[None]:
    stop = terminal.watch(look)
    leaving = asyncio.get_running_loop().create_task(gone.wait())
    leaving.add_done_callback(lambda _: changed.set())
    try:
        async with asyncio.timeout(timeout_s):
            yield
    except TimeoutError as error:
        raise Timeout(f"nothing of the kind came within {timeout_s:g} s; wait again") from error
    finally:
        leaving.cancel()
        stop()


def _go_on(terminal: Terminal, gone: asyncio.Event) -> None:
    if terminal.closed:
        raise _gone(terminal)
    if gone.is_set():
        raise Timeout("the caller has gone")


def _gone(terminal: Terminal) -> TerminalGone:
    return TerminalGone(f"terminal {terminal.id} was closed; read the inventory")


def _fits(screen: Screen, text: str, after: int) -> bool:
    return screen.revision > after and text in screen.captured.text
