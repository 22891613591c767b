"""A session's engine without processes: terminals are sockets, the other end is the test's.

The emulator and the journal are the real ones; only the pty host and the clock are stand-ins.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor

from luvus_service.adapters.emulator.avt_terminal import AvtEmulator
from luvus_service.adapters.ptyhost.journal import TerminalJournal, create_journal_fd
from luvus_service.uhp.domain.ports import (
    Emulator,
    ExitStatus,
    GitFacts,
    HostedTerminal,
    ProcessFacts,
    RootProcess,
    SpawnFailed,
    SpawnSpec,
)
from luvus_service.uhp.engine.launching import Launcher
from luvus_service.uhp.engine.session import Session
from luvus_service.uhp.engine.world import World

PAGES = 16 * 4096


class FakeHost:
    """Starts nothing: a terminal's program is the socket in `programs`."""

    def __init__(self, state: bytes = b"") -> None:
        self.saved = state
        self.programs: dict[str, socket.socket] = {}
        self.specs: list[SpawnSpec] = []
        self.refuse: Callable[[SpawnSpec], bool] = lambda _spec: False
        self._terminals: dict[str, HostedTerminal] = {}
        self._journal_fds: dict[str, int] = {}
        self._on_exit: list[Callable[[str, ExitStatus], None]] = []

    async def spawn(self, spec: SpawnSpec) -> HostedTerminal:
        """Make a pair of sockets."""
        if self.refuse(spec):
            raise SpawnFailed("refused by the test")
        self.specs.append(spec)
        ours, theirs = socket.socketpair()
        ours.setblocking(False)
        journal = create_journal_fd("test", capacity=PAGES, room=PAGES)
        self._journal_fds[spec.terminal_id] = journal
        self.programs[spec.terminal_id] = theirs
        self._terminals[spec.terminal_id] = terminal = HostedTerminal(
            spec.terminal_id,
            RootProcess(len(self.specs), None),
            ours.detach(),
            TerminalJournal(journal),
            spec.cols,
            spec.rows,
        )
        return terminal

    def exit(self, terminal_id: str, status: ExitStatus | None = None) -> None:
        """Let a program end."""
        self.programs[terminal_id].close()
        status = status or ExitStatus(None, "SIGHUP")
        self._terminals[terminal_id].exit = status
        for told in self._on_exit:
            told(terminal_id, status)

    def recovered(self) -> tuple[HostedTerminal, ...]:
        """Return nothing: this host is new."""
        return ()

    def state(self) -> bytes:
        """Return what was saved."""
        return self.saved

    def save_state(self, state: bytes) -> None:
        """Keep the state."""
        self.saved = state

    async def end(self, terminal_id: str, grace_s: float) -> ExitStatus:
        """End a program."""
        self.programs[terminal_id].close()
        return ExitStatus(None, "SIGHUP")

    def forget(self, terminal_id: str) -> None:
        """Release a terminal."""
        terminal = self._terminals.pop(terminal_id, None)
        if terminal is not None:
            self.programs.pop(terminal_id).close()
            assert isinstance(terminal.journal, TerminalJournal)
            terminal.journal.close()
            os.close(self._journal_fds.pop(terminal_id))
            os.close(terminal.master_fd)

    def on_exit(self, callback: Callable[[str, ExitStatus], None]) -> None:
        """Call back when a program ends."""
        self._on_exit.append(callback)

    def close(self) -> None:
        """Release everything."""
        for terminal_id in tuple(self._terminals):
            self.forget(terminal_id)


class FakeProcesses:
    """Knows the folder of each program by its number."""

    def __init__(self) -> None:
        self.folders: dict[int, str] = {}

    def scan(self, roots: Mapping[str, RootProcess]) -> dict[str, ProcessFacts]:
        """See nothing."""
        return {}

    def cwd(self, pid: int) -> str | None:
        """Return the folder that the test has set."""
        return self.folders.get(pid)

    def start_marker(self, pid: int) -> str | None:
        """Know nothing."""
        return None


class FakeGit:
    """Sees no repository."""

    async def facts(self, folder: str) -> GitFacts:
        """Return no facts."""
        return GitFacts()


class FakeClock:
    """A clock that the test moves."""

    def __init__(self) -> None:
        self.now = 1000.0

    def monotonic(self) -> float:
        """Return the time set."""
        return self.now

    def time(self) -> float:
        """Return the time set, as Unix seconds."""
        return 1_700_000_000.0 + self.now


class EngineWorld:
    """A session on fakes; close it in the end."""

    def __init__(self, home: str = "/", *, state: bytes = b"") -> None:
        self.host = FakeHost(state)
        self.processes = FakeProcesses()
        self.clock = FakeClock()
        self.executor = ThreadPoolExecutor(2)
        self.sizes: list[tuple[int, int, int]] = []
        self.session = Session("test", self._world(home))

    async def close(self) -> None:
        """End everything."""
        await self.session.close()
        self.host.close()
        self.executor.shutdown()

    def _world(self, home: str) -> World:
        return World(
            host=self.host,
            make_emulator=_emulator,
            processes=self.processes,
            git=FakeGit(),
            clock=self.clock,
            launcher=Launcher(("/bin/sh",), home, lambda _pane: {}),
            executor=self.executor,
            set_size=lambda fd, cols, rows: self.sizes.append((fd, cols, rows)),
        )


def _emulator(cols: int, rows: int, *, history_bytes: int, fallback: bool = False) -> Emulator:
    return AvtEmulator(cols, rows, history_bytes=history_bytes)
