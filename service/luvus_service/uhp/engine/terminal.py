"""One live terminal: its program's output on a screen, its input queue, its revision.

Owns the descriptor's readers and writers, the emulator and their timers, and closes them. Knows
neither panes nor events; it calls back.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import Executor
from contextlib import suppress
from typing import Any, TypeVar

from luvus_service.rpc.errors import LimitExceeded
from luvus_service.uhp.domain.ports import (
    CaptureMode,
    Emulator,
    Fed,
    History,
    HostedTerminal,
    Modes,
)
from luvus_service.uhp.engine.counters import RenderCounters
from luvus_service.uhp.engine.errors import SendFailed
from luvus_service.uhp.engine.feeding import Feed, TerminalClosed, marked
from luvus_service.uhp.engine.input_queue import InputQueue
from luvus_service.uhp.engine.output import OutputPacer
from luvus_service.uhp.engine.pasting import pasted
from luvus_service.uhp.engine.screens import Dump, Screen, Viewer
from luvus_service.uhp.engine.signals import SignalPacer, Signals

WATCHERS = 64
"""Calls and streams that may follow the output of one terminal."""
QUIET_S = 1.0
"""Silence after which a terminal's history is saved and compacted."""
LAST_OUTPUT_S = 0.3
"""How long the last output of a program that has ended is waited for."""
CAPTURE_BYTES = 524_288
VIEWERS = 32
"""Streams that may show one terminal live."""

T = TypeVar("T")


class Terminal:
    """The server's side of one terminal."""

    def __init__(
        self,
        hosted: HostedTerminal,
        emulator: Emulator,
        *,
        executor: Executor,
        on_output: Callable[[Terminal], None],
        on_signals: Callable[[Terminal, Signals], None],
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
        self._loop = asyncio.get_running_loop()
        self.input = InputQueue(hosted.master_fd)
        self._pacer = OutputPacer(self._publish)
        self._signals = SignalPacer(lambda signals: on_signals(self, signals))
        self._signals.begin(emulator.title())
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
        self.input_at = float("-inf")
        """When somebody last sent input, on the loop's clock."""
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

    @property
    def idle(self) -> bool:
        """Whether the emulator is free right now."""
        return self._feed.idle and not self.closed

    @property
    def title(self) -> str | None:
        """What the program says that it is about, or None."""
        return self._signals.title

    @property
    def bytes_read(self) -> int:
        """How much output was read in this server's lifetime."""
        return self._feed.bytes_read

    async def exclusive(self, job: Callable[[], T]) -> T:
        """Run `job` on the loop while the emulator is free; nothing comes in between."""
        return await self._feed.exclusive(job)

    def glance(self, lines: int) -> tuple[str, str] | None:
        """Return title and last rows of the screen now, or None while the emulator is busy."""
        if self.closed or not self._feed.idle:
            return None
        captured = self.emulator.capture("visible", lines, ansi=False, max_bytes=CAPTURE_BYTES)
        return self.emulator.title() or "", captured.text

    def flush(self) -> None:
        """Publish now what has changed; only inside `exclusive`."""
        self._pacer.flush()

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

    async def depict(self, size: int, scrollback: int, take: Callable[[bytes], None]) -> None:
        """Call `take` with what rebuilds this terminal; both limits are in bytes.

        No output can fall between the two: what comes later reaches the viewers. Of a closed
        terminal nothing is taken.
        """

        def dump() -> None:
            if not self.closed:
                with marked(self.hosted.journal):
                    picture = self.emulator.dump(size, scrollback_bytes=scrollback)
                take(picture)

        await self._feed.exclusive(dump)

    @property
    def mark(self) -> tuple[int, int, int]:
        """A value that is another one after output and after a change of size."""
        return self._feed.emulated, self.hosted.cols, self.hosted.rows

    async def dump(self, max_bytes: int) -> Dump | None:
        """Return what rebuilds this terminal, made off the loop; None once it is closed."""

        def make() -> Dump:
            mark = self.mark
            cols, rows = self.emulator.size()
            with marked(self.hosted.journal):
                data = self.emulator.dump(max_bytes)
            return Dump(data, cols, rows, mark)

        with suppress(TerminalClosed):
            return await self._feed.aside(make)
        return None

    # -- writing ---------------------------------------------------------------------------------

    def write(self, data: bytes) -> None:
        """Queue bytes for the program as one action.

        Raises:
            SendFailed: They were not accepted.
        """
        if self.closed:
            raise SendFailed("the program of this pane has ended", dispatch="rejected")
        self.input_at = self._loop.time()
        self.input.put(data)
        self._pacer.prompt()

    def submit(self, text: str, pause_s: float) -> None:
        """Queue a paste and Enter as one action; only inside `exclusive`.

        Enter follows `pause_s` after the program has taken the paste in: several programs take an
        Enter that comes along with a paste for a line break in it.

        Raises:
            SendFailed: It was not accepted.
        """
        if self.closed:
            raise SendFailed("the program of this pane has ended", dispatch="rejected")
        bracketed = self.emulator.modes().bracketed_paste
        self.input_at = self._loop.time()
        self.input.put(pasted(text, bracketed=bracketed), then=b"\r", pause_s=pause_s)

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

    async def set_history_bytes(self, size: int) -> None:
        """Change the memory for the scrollback."""
        with suppress(TerminalClosed):
            await self._feed.exclusive(lambda: self.emulator.set_history_budget(size))

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
        self._signals.close()
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
        self._counters.causes_output += 1
        self._pacer.touched()
        if fed.bells or fed.notifications or fed.title is not None:
            self._signals.take(fed)
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
