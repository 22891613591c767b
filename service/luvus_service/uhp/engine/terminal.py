"""One live terminal: its program's output on a screen, its input queue, its revision.

Owns the descriptor's readers and writers, the emulator and their timers, and closes them. Knows
neither panes nor events; it calls back.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import Executor
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Protocol

from luvus_service.rpc.errors import LimitExceeded
from luvus_service.uhp.domain.ports import (
    Captured,
    CaptureMode,
    Emulator,
    EmulatorFactory,
    Fed,
    History,
    HostedTerminal,
    Modes,
)
from luvus_service.uhp.engine.counters import RenderCounters
from luvus_service.uhp.engine.errors import SendFailed
from luvus_service.uhp.engine.feeding import Feed, TerminalClosed
from luvus_service.uhp.engine.input_queue import InputQueue
from luvus_service.uhp.engine.output import OutputPacer

WATCHERS = 64
"""Calls and streams that may follow the output of one terminal."""
QUIET_S = 1.0
"""Silence after which a terminal's history is saved and compacted."""
LAST_OUTPUT_S = 0.3
"""How long the last output of a program that has ended is waited for."""
CAPTURE_BYTES = 524_288
VIEWERS = 32
"""Streams that may show one terminal live."""
PASTE_START = b"\x1b[200~"
PASTE_END = b"\x1b[201~"


@dataclass(frozen=True, slots=True)
class Screen:
    """A captured text and the revision it belongs to."""

    captured: Captured
    revision: int


class Viewer(Protocol):
    """Shows a terminal live; called on the loop, never waits."""

    def output(self, data: bytes) -> None:
        """Take output that is on the screen now."""
        ...

    def changed(self) -> None:
        """Notice that the terminal has another size, or is closed."""
        ...


class Terminal:
    """The server's side of one terminal."""

    def __init__(
        self,
        hosted: HostedTerminal,
        emulator: Emulator,
        *,
        executor: Executor,
        on_output: Callable[[Terminal], None],
        on_fed: Callable[[Terminal, Fed], None],
        counters: RenderCounters | None = None,
    ) -> None:
        self._counters = counters or RenderCounters()
        self.id = hosted.terminal_id
        self.root = hosted.root
        self.hosted = hosted
        self.emulator = emulator
        self.wanted = hosted.cols, hosted.rows
        """The size it has or is about to get."""
        self.revision = 0
        self._read_at = -1
        """The revision of the screen that was read last."""
        self._on_output = on_output
        self._on_fed = on_fed
        self._loop = asyncio.get_running_loop()
        self.input = InputQueue(hosted.master_fd)
        self._pacer = OutputPacer(self._publish)
        self._feed = Feed(
            hosted.master_fd,
            hosted.journal,
            emulator,
            executor=executor,
            on_fed=self._fed,
            on_end=self._ended,
            counters=self._counters,
        )
        self._watchers: list[Callable[[], None]] = []
        self._viewers: list[Viewer] = []
        self._quiet: asyncio.TimerHandle | None = None
        self._last_output = 0.0
        self._end = asyncio.Event()
        self.closed = False

    def start(self) -> None:
        """Begin to follow the program."""
        self._feed.start()

    # -- reading ---------------------------------------------------------------------------------

    async def screen(
        self,
        mode: CaptureMode,
        lines: int,
        *,
        ansi: bool,
        max_bytes: int = CAPTURE_BYTES,
    ) -> Screen:
        """Return the text and the revision that it belongs to."""

        def capture() -> Screen:
            self._pacer.flush()
            self._count_projection()
            captured = self.emulator.capture(mode, lines, ansi=ansi, max_bytes=max_bytes)
            return Screen(captured, self.revision)

        return await self._feed.exclusive(capture)

    def published(self, mode: CaptureMode, lines: int) -> Screen | None:
        """Return the text as of the last publication, or None when newer output is in work."""
        if self.closed or self._pacer.dirty or not self._feed.idle:
            return None
        captured = self.emulator.capture(mode, lines, ansi=False, max_bytes=CAPTURE_BYTES)
        return Screen(captured, self.revision)

    async def modes(self) -> Modes:
        """Return the modes in force."""
        return await self._feed.exclusive(self.emulator.modes)

    async def history(self) -> History:
        """Return the figures of the scrollback."""
        return await self._feed.exclusive(self.emulator.history)

    def watch(self, watcher: Callable[[], None]) -> Callable[[], None]:
        """Call `watcher` after each publication and at the end; returns what stops it.

        Raises:
            LimitExceeded: `WATCHERS` follow this terminal already.
        """
        if len(self._watchers) >= WATCHERS:
            raise LimitExceeded(f"{WATCHERS} calls follow this pane's output already")
        self._watchers.append(watcher)

        def stop() -> None:
            if watcher in self._watchers:
                self._watchers.remove(watcher)

        return stop

    def view(self, viewer: Viewer) -> Callable[[], None]:
        """Hand all further output to `viewer`; returns what stops it.

        Raises:
            LimitExceeded: `VIEWERS` show this terminal already.
        """
        if len(self._viewers) >= VIEWERS:
            raise LimitExceeded(f"{VIEWERS} viewers show this pane already; close one of them")
        self._viewers.append(viewer)
        self._feed.tap = self._show

        def stop() -> None:
            if viewer in self._viewers:
                self._viewers.remove(viewer)
            if not self._viewers:
                self._feed.tap = None

        return stop

    async def depict(self, max_bytes: int, take: Callable[[bytes], None]) -> None:
        """Call `take` with what rebuilds this terminal, scrollback cut to `max_bytes`.

        No output can fall between the two: what comes later reaches the viewers. Of a closed
        terminal nothing is taken.
        """

        def dump() -> None:
            if not self.closed:
                self.hosted.journal.mark_feeding(True)
                picture = self.emulator.dump(max_bytes)
                self.hosted.journal.mark_feeding(False)
                take(picture)

        await self._feed.exclusive(dump)

    # -- writing ---------------------------------------------------------------------------------

    def write(self, data: bytes) -> None:
        """Queue bytes for the program as one action.

        Raises:
            SendFailed: They were not accepted.
        """
        if self.closed:
            raise SendFailed("the program of this pane has ended", dispatch="rejected")
        self.input.put(data)
        self._pacer.prompt()

    async def paste(self, text: str, *, enter: bool = False) -> None:
        """Queue a paste as the program asked to get one, with Enter in the same action if wanted.

        Raises:
            SendFailed: It was not accepted.
        """
        bracketed = (await self.modes()).bracketed_paste
        self.write(pasted(text, bracketed=bracketed) + (b"\r" if enter else b""))

    def resize(
        self, cols: int, rows: int, set_size: Callable[[int, int, int], None]
    ) -> Coroutine[Any, Any, None]:
        """Return the work that changes the size of screen and program together.

        Of several changes that wait for the emulator the one asked for last is made.
        """
        self.wanted = cols, rows
        return self._resize(set_size)

    async def _resize(self, set_size: Callable[[int, int, int], None]) -> None:
        def change() -> None:
            cols, rows = self.wanted
            if (self.hosted.cols, self.hosted.rows) == (cols, rows) or self.closed:
                return
            self.hosted.cols, self.hosted.rows = cols, rows
            self.emulator.resize(cols, rows)
            set_size(self.hosted.master_fd, cols, rows)
            self._counters.causes_resize += 1
            self._pacer.touched()
            self._changed()

        with suppress(TerminalClosed):
            await self._feed.exclusive(change)

    # -- ending ----------------------------------------------------------------------------------

    async def last_output(self) -> None:
        """Return when the program's last output is on the screen, or after `LAST_OUTPUT_S`."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._end.wait(), LAST_OUTPUT_S)
        with suppress(TerminalClosed):
            await self._feed.settle()
        self._pacer.flush()

    async def close(self) -> None:
        """Let go of the program's descriptor and free the screen; closing twice is harmless."""
        if self.closed:
            return
        self.closed = True
        self._feed.close()
        self.input.close()
        self._pacer.close()
        if self._quiet is not None:
            self._quiet.cancel()
        for watcher in tuple(self._watchers):
            watcher()
        self._watchers.clear()
        self._changed()
        await self._feed.released()
        self.emulator.close()

    # -- following -------------------------------------------------------------------------------

    def _fed(self, fed: Fed) -> None:
        if self.closed:
            return
        if fed.replies:
            # A program that asks and never reads loses the answer, as on a real terminal.
            with suppress(SendFailed):
                self.input.put(fed.replies)
        self._on_fed(self, fed)
        self._counters.causes_output += 1
        self._pacer.touched()
        self._last_output = self._loop.time()
        if self._quiet is None:
            self._quiet = self._loop.call_later(QUIET_S, self._maybe_quiet)

    def _show(self, data: bytes) -> None:
        for viewer in tuple(self._viewers):
            viewer.output(data)

    def _changed(self) -> None:
        for viewer in tuple(self._viewers):
            viewer.changed()

    def _publish(self) -> None:
        self.revision += 1
        self._counters.screens_published += 1
        self._on_output(self)
        for watcher in tuple(self._watchers):
            watcher()

    def _count_projection(self) -> None:
        if self._read_at == self.revision:
            self._counters.projections_unchanged += 1
        else:
            self._counters.projections_changed += 1
        self._read_at = self.revision

    def _maybe_quiet(self) -> None:
        self._quiet = None
        silent = self._loop.time() - self._last_output
        if silent < QUIET_S:
            self._quiet = self._loop.call_later(QUIET_S - silent, self._maybe_quiet)
        else:
            self._feed.checkpoint_quietly()

    def _ended(self) -> None:
        self._end.set()


def pasted(text: str, *, bracketed: bool) -> bytes:
    """Return a paste as the program gets it: whole between brackets, or with line ends as Enter.

    The closing bracket is removed from the text itself, also where removing it makes another, so
    that a paste cannot end early and have its rest taken for typing.
    """
    if not bracketed:
        return text.replace("\r\n", "\r").replace("\n", "\r").encode()
    data = text.encode()
    while PASTE_END in data:
        data = data.replace(PASTE_END, b"")
    return PASTE_START + data + PASTE_END


def revive(hosted: HostedTerminal, make: EmulatorFactory, *, history_bytes: int) -> Emulator:
    """Return an emulator that shows what this terminal showed, from checkpoint and journal.

    Replies to replayed queries are thrown away: they were given when the output was new.
    """
    checkpoint, rest = hosted.journal.replay()
    fallback = hosted.suspect
    emulator = make(hosted.cols, hosted.rows, history_bytes=history_bytes, fallback=fallback)
    hosted.journal.mark_feeding(True)
    emulator.feed(checkpoint)
    emulator.feed(rest)
    hosted.journal.mark_feeding(False)
    return emulator
