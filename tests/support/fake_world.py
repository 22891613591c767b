"""The outside world of a session as fakes that start no program: for tests of whole sessions.

Descriptors are real (pipes), because the event loop watches them; everything else is memory.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from luvus_service.rpc.dispatch import Dispatcher
from luvus_service.rpc.errors import NoSession, RpcError
from luvus_service.rpc.tokens import Tokens
from luvus_service.uhp.catalogue import WITHOUT_WORKSPACE, bind
from luvus_service.uhp.domain.ports import (
    Buffer,
    Captured,
    CaptureMode,
    Cursor,
    EmulatorFactory,
    ExitStatus,
    Fed,
    GitFacts,
    History,
    HostedTerminal,
    Modes,
    ProcessFacts,
    RootProcess,
    SpawnSpec,
)
from luvus_service.uhp.engine.agents.agents import Agents, AgentWorld
from luvus_service.uhp.engine.config import ConfigKeeper
from luvus_service.uhp.engine.launching import Launcher
from luvus_service.uhp.engine.recording import Recordings
from luvus_service.uhp.engine.session import Session
from luvus_service.uhp.engine.world import World
from tests.support.memory_store import MemoryConfig, MemoryFiles

HOME = "/"


class FakeJournal:
    """A journal that keeps nothing."""

    capacity = 1024
    start = 0
    head = 0

    def read_from(self, fd: int, limit: int) -> memoryview | None:
        """Read and forget."""
        try:
            return memoryview(os.read(fd, limit))
        except BlockingIOError:
            return None

    def replay(self) -> tuple[bytes, bytes]:
        """Return nothing."""
        return b"", b""

    def checkpoint(self, dump: bytes, position: int) -> bool:
        """Accept and forget."""
        return True

    def mark_feeding(self, feeding: bool) -> None:
        """Do nothing."""


class FakeEmulator:
    """A screen that stays empty."""

    name = "fake"

    def __init__(self, cols: int, rows: int, budget: int) -> None:
        self._size = cols, rows
        self._budget = budget

    def feed(self, data: Buffer) -> Fed:
        return Fed()

    def resize(self, cols: int, rows: int) -> None:
        self._size = cols, rows

    def size(self) -> tuple[int, int]:
        return self._size

    def capture(self, mode: CaptureMode, lines: int, *, ansi: bool, max_bytes: int) -> Captured:
        return Captured("", truncated=False)

    def cursor(self) -> Cursor:
        return Cursor(0, 0, visible=True)

    def modes(self) -> Modes:
        return Modes()

    def title(self) -> str | None:
        return None

    def cwd(self) -> str | None:
        return None

    def history(self) -> History:
        return History(rows=0, budget_bytes=self._budget, used_bytes=0)

    def set_history_budget(self, budget_bytes: int) -> None:
        self._budget = budget_bytes

    def dump(self, max_bytes: int, *, scrollback_bytes: int | None = None) -> bytes:
        return b""

    def compact(self) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Do nothing."""


class FakeHost:
    """A pty host whose programs say nothing and never end by themselves."""

    def __init__(self) -> None:
        self.terminals: dict[str, HostedTerminal] = {}
        self.saved = b""
        self._other_ends: dict[str, int] = {}
        self._pid = 1000

    async def spawn(self, spec: SpawnSpec) -> HostedTerminal:
        ours, theirs = os.pipe()
        os.set_blocking(ours, False)
        self._pid += 1
        root = RootProcess(self._pid, "marker")
        made = HostedTerminal(spec.terminal_id, root, ours, FakeJournal(), spec.cols, spec.rows)
        self.terminals[spec.terminal_id] = made
        self._other_ends[spec.terminal_id] = theirs
        return made

    def recovered(self) -> tuple[HostedTerminal, ...]:
        return tuple(self.terminals.values())

    def state(self) -> bytes:
        return self.saved

    def save_state(self, state: bytes) -> None:
        self.saved = state

    def say(self, terminal_id: str, data: bytes) -> None:
        """Let a program write."""
        os.write(self._other_ends[terminal_id], data)

    async def end(self, terminal_id: str, grace_s: float) -> ExitStatus:
        return ExitStatus(0, None)

    def forget(self, terminal_id: str) -> None:
        made = self.terminals.pop(terminal_id, None)
        if made is not None:
            os.close(made.master_fd)
            os.close(self._other_ends.pop(terminal_id))

    def on_exit(self, callback: Callable[[str, ExitStatus], None]) -> None:
        """Do nothing: no program ends by itself."""


class FakeProcesses:
    """A process table of which nothing is known."""

    def scan(self, roots: Mapping[str, RootProcess]) -> dict[str, ProcessFacts]:
        return {}

    def cwd(self, pid: int) -> str | None:
        return None

    def start_marker(self, pid: int) -> str | None:
        return "marker"


class FakeGit:
    """Git that knows what a test tells it."""

    def __init__(self) -> None:
        self.known: dict[str, GitFacts] = {}

    async def facts(self, folder: str) -> GitFacts:
        return self.known.get(folder, GitFacts())


class FakeClock:
    """Time that stands still until it is moved."""

    def __init__(self) -> None:
        self.now = 1000.0

    def monotonic(self) -> float:
        return self.now

    def time(self) -> float:
        return self.now


class Stage:
    """A whole session with its dispatcher in a fake world; create it inside a running loop."""

    def __init__(self, make_emulator: EmulatorFactory | None = None) -> None:
        self.host = FakeHost()
        self.git = FakeGit()
        self.clock = FakeClock()
        self._executor = ThreadPoolExecutor(1)
        launcher = Launcher(("sh",), HOME, lambda _pane: {})
        self.session = Session(
            "default",
            World(
                host=self.host,
                make_emulator=make_emulator or fake_emulator,
                processes=FakeProcesses(),
                git=self.git,
                clock=self.clock,
                launcher=launcher,
                executor=self._executor,
                set_size=lambda _fd, _cols, _rows: None,
            ),
        )
        tokens = Tokens(self.clock.time)
        self.config = ConfigKeeper(self.session, MemoryConfig())
        self.recordings = Recordings(self.session, MemoryFiles())
        self.agents = Agents(self.session, AgentWorld())
        registry, self.workspaces = bind(
            self.session, tokens, self.config, self.recordings, self.agents
        )
        self.dispatcher = Dispatcher(
            registry,
            tokens,
            revision=lambda: self.session.events.sequence,
            admit=self._admit,
            strict_errors=True,
        )

    async def call(self, method: str, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Call a method and return its result.

        Raises:
            RpcError: It was refused.
        """
        answer = await self.dispatcher.call(method, json.dumps(params or {}).encode())
        return dict(json.loads(answer))

    async def refusal(self, method: str, params: Mapping[str, Any] | None = None) -> str:
        """Call a method that must be refused and return the code."""
        try:
            found = await self.call(method, params)
        except RpcError as error:
            return error.code
        raise AssertionError(f"{method} was not refused: {found}")

    async def close(self) -> None:
        """End the session and give every descriptor back."""
        await self.session.tasks.drain()
        await self.recordings.close()
        await self.config.close()
        await self.session.close()
        for terminal_id in tuple(self.host.terminals):
            self.host.forget(terminal_id)
        self._executor.shutdown()

    def _admit(self, name: str) -> None:
        if not self.session.structure.workspaces and name not in WITHOUT_WORKSPACE:
            raise NoSession("no workspace is open")


def fake_emulator(
    cols: int, rows: int, *, history_bytes: int, fallback: bool = False
) -> FakeEmulator:
    """Make a screen that stays empty."""
    return FakeEmulator(cols, rows, history_bytes)


def subfolders(folder: Path, count: int) -> list[str]:
    """Make some folders and return their paths."""
    made = [folder / f"f{number}" for number in range(count)]
    for path in made:
        path.mkdir()
    return [str(path) for path in made]
