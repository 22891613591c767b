"""Recordings of panes: what a program puts out, written to a file that players understand.

A pane is never slowed down: what the disk does not take in time is kept up to a limit, and beyond
it the recording ends and says so.
"""

from __future__ import annotations

import asyncio
import os
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, TypeAlias

from luvus_service.rpc.errors import InvalidRequest, Kind, LimitExceeded, RpcError
from luvus_service.uhp.domain.asciicast import Cast
from luvus_service.uhp.domain.storage import FileRefused, OutputFile, OutputFiles
from luvus_service.uhp.engine.errors import NotFound, SendFailed
from luvus_service.uhp.engine.feeding import TerminalClosed
from luvus_service.uhp.engine.session import Session
from luvus_service.uhp.engine.tasks import Tasks
from luvus_service.uhp.engine.terminal import Terminal

RECORDINGS = 16
"""Recordings at one time."""
QUEUED_BYTES = 4 << 20
"""Of a recording that the disk has not taken yet."""
FILE_BYTES = 1 << 30
"""Of a recording; then it ends."""
STOP_WAIT_S = 5.0
"""How long the call that ends a recording waits for the disk."""
LAST_WRITE_S = 1.0
"""How long the end of the server waits for the disk."""
RECORDED_BYTES = 65_536
"""Of the screen and what is above it, with which a recording begins."""
PATH_BYTES = 4096

EndReason: TypeAlias = Literal[
    "stopped", "pane_closed", "slow_disk", "write_failed", "size_limit", "server_stopped"
]


class FileNotWritable(RpcError):
    """The file exists already, or cannot be made or written; the message says why."""

    code = "file_not_writable"
    kind = Kind.FAILED


@dataclass(frozen=True, slots=True)
class Request:
    """What is to be recorded, and how."""

    path: str
    force: bool = False
    idle_limit: float | None = None
    title: str | None = None


class Recording:
    """One recording: takes output on the loop, writes it in a thread, in order."""

    def __init__(
        self,
        terminal: Terminal,
        file: OutputFile,
        request: Request,
        *,
        now: Callable[[], float],
        executor: ThreadPoolExecutor,
    ) -> None:
        self.terminal = terminal
        self.path = request.path
        self.bytes_written = 0
        self.reason: EndReason | None = None
        """Why it has ended, or None while it goes on."""
        self.finished = asyncio.Event()
        """Set once the file is complete."""
        self._file = file
        self._now = now
        self._began = now()
        self._executor = executor
        self._cast = Cast(self._began)
        self._queue: deque[bytes] = deque()
        self._queued = 0
        self._wake = asyncio.Event()
        self._size = (0, 0)
        self._unfollow: Callable[[], None] = lambda: None

    def begin(self, picture: bytes, request: Request, *, timestamp: int, shell: str) -> None:
        """Take the header and the screen that is there, then follow the terminal.

        Raises:
            LimitExceeded: Too many follow it already.
        """
        self._unfollow = self.terminal.view(self)
        self._size = self.terminal.emulator.size()
        self._put(
            self._cast.header(
                *self._size,
                timestamp=timestamp,
                idle_limit=request.idle_limit,
                title=request.title,
                env={"SHELL": shell, "TERM": "xterm-256color"},
            )
        )
        self.output(picture)

    @property
    def is_over(self) -> bool:
        """Whether it takes nothing more."""
        return self.reason is not None

    @property
    def seconds(self) -> float:
        """How long it has been going on."""
        return self._now() - self._began

    def output(self, data: bytes) -> None:
        """Take output."""
        if self.reason is None:
            self._put(self._cast.output(self._now(), data))

    def changed(self) -> None:
        """Take note of another size, or that nothing more will come."""
        if self.terminal.closed:
            self.end("pane_closed")
            return
        size = self.terminal.emulator.size()
        if size != self._size and self.reason is None:
            self._size = size
            self._put(self._cast.resize(self._now(), *size))

    def end(self, reason: EndReason) -> None:
        """Take nothing more; what was taken is still written."""
        if self.reason is not None:
            return
        self._put(self._cast.finish(self._now()))
        # The last line may itself have been too much.
        if not self.is_over:
            self.reason = reason
        self._unfollow()
        self._wake.set()

    async def write(self) -> None:
        """Write until the end, then close the file."""
        loop = asyncio.get_running_loop()
        try:
            while self._queue or not self.is_over:
                await self._wake.wait()
                self._wake.clear()
                await self._write_batch(loop)
        except FileRefused:
            self.end("write_failed")
        await loop.run_in_executor(self._executor, self._file.close)
        self.finished.set()

    async def _write_batch(self, loop: asyncio.AbstractEventLoop) -> None:
        batch = b"".join(self._queue)
        self._queue.clear()
        if not batch:
            return
        await loop.run_in_executor(self._executor, self._file.write, batch)
        self._queued -= len(batch)
        self.bytes_written += len(batch)
        if self.bytes_written >= FILE_BYTES:
            self.end("size_limit")

    def _put(self, line: bytes) -> None:
        if not line:
            return
        if self._queued + len(line) > QUEUED_BYTES:
            self.reason = "slow_disk"
            self._unfollow()
        else:
            self._queue.append(line)
            self._queued += len(line)
        self._wake.set()


class Recordings:
    """All recordings of a session."""

    def __init__(self, session: Session, files: OutputFiles) -> None:
        self._session = session
        self._files = files
        self._tasks = Tasks()
        self._executor = ThreadPoolExecutor(4, thread_name_prefix="record")
        self._active: dict[str, Recording] = {}
        self._claimed: set[str] = set()

    async def start(self, pane: int | None, request: Request) -> tuple[int, Recording]:
        """Begin to record a pane to a new file; return the pane and the recording.

        A path that is not absolute is taken from the folder of the pane's program.

        Raises:
            RpcError: There is no such pane, it is recorded already, or the file is refused.
        """
        number, terminal = self._session.terminal_of(pane)
        request = self._settled(number, request)
        if terminal.id in self._active or terminal.id in self._claimed:
            raise InvalidRequest(f"pane {number} is being recorded already; stop that first")
        if len(self._active) + len(self._claimed) >= RECORDINGS:
            raise LimitExceeded(f"{RECORDINGS} panes are being recorded; stop one first")
        self._claimed.add(terminal.id)
        try:
            recording = await self._begin(terminal, request)
            self._active[terminal.id] = recording
        finally:
            self._claimed.discard(terminal.id)
        self._tasks.start(self._run(number, recording), f"recording of pane {number}")
        data = {"pane": str(number), "path": recording.path}
        self._session.events.publish("record.started", data)
        return number, recording

    async def stop(self, pane: int | None) -> tuple[int, Recording]:
        """End the recording of a pane and return it once the file is complete.

        Raises:
            NotFound: The pane is not being recorded, or there is none such.
        """
        number, terminal = self._session.terminal_of(pane)
        recording = self._active.get(terminal.id)
        if recording is None:
            raise NotFound(f"pane {number} is not being recorded")
        recording.end("stopped")
        with suppress(TimeoutError):
            await asyncio.wait_for(recording.finished.wait(), STOP_WAIT_S)
        return number, recording

    def active(self) -> list[tuple[int, Recording]]:
        """Return the recordings that go on, by pane."""
        panes = self._session.structure.panes.values()
        of_terminal = {record.terminal_id: record.pane for record in panes}
        found = [(of_terminal.get(key, 0), r) for key, r in self._active.items()]
        return sorted(found, key=lambda pair: pair[0])

    async def close(self) -> None:
        """End all recordings; what they took is written if the disk takes it in time."""
        for recording in self._active.values():
            recording.end("server_stopped")
        with suppress(TimeoutError):
            await asyncio.wait_for(self._tasks.drain(), LAST_WRITE_S)
        await self._tasks.close()
        self._executor.shutdown(wait=False)

    def _settled(self, pane: int, request: Request) -> Request:
        path, world = request.path, self._session.world
        if not path or "\0" in path or len(os.fsencode(path)) > PATH_BYTES:
            raise InvalidRequest(f"`path` must be 1 to {PATH_BYTES} bytes without NUL")
        if path == "~" or path.startswith("~/"):
            path = world.launcher.home + path[1:]
        folder = self._session.cwd_of(self._session.structure.panes[pane])
        # Absolute by the caller's own folder, which on the command line inside a pane is this one.
        return replace(request, path=os.path.normpath(Path(folder) / path))

    async def _begin(self, terminal: Terminal, request: Request) -> Recording:
        world, loop = self._session.world, asyncio.get_running_loop()
        try:
            file = await loop.run_in_executor(
                self._executor, lambda: self._files.create(request.path, replace=request.force)
            )
        except FileRefused as fault:
            raise FileNotWritable(str(fault)) from fault
        now = world.clock.monotonic
        recording = Recording(terminal, file, request, now=now, executor=self._executor)

        begun: list[bytes] = []

        def begin(picture: bytes) -> None:
            shell = world.launcher.shell[0]
            timestamp = int(world.clock.time())
            recording.begin(picture, request, timestamp=timestamp, shell=shell)
            begun.append(picture)

        try:
            with suppress(TerminalClosed):
                await terminal.depict(RECORDED_BYTES, RECORDED_BYTES, begin)
            if not begun:
                raise SendFailed("the program of this pane has ended")
        except BaseException:
            self._executor.submit(file.close)
            raise
        return recording

    async def _run(self, pane: int, recording: Recording) -> None:
        try:
            await recording.write()
        finally:
            recording.end("server_stopped")
            self._active.pop(recording.terminal.id, None)
        data = {"pane": str(pane), "path": recording.path, "reason": recording.reason}
        self._session.events.publish("record.ended", data)
