"""The host's table of terminals: starts their programs, reaps them, ends them, keeps their output.

While the server lives it alone reads the terminals; while it is away they are read here, so that
no program ever waits for a server.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass, field

from luvus_service.adapters.procfs import start_marker
from luvus_service.adapters.ptyhost.journal import (
    JOURNAL_CAPACITY,
    READ_REACH,
    TerminalJournal,
    create_journal_fd,
    feeding_mark,
)
from luvus_service.adapters.ptyhost.reactor import Reactor
from luvus_service.adapters.ptyhost.sessions import Endings, is_same_process
from luvus_service.adapters.ptyhost.spawn import REPORT_LIMIT, Launch, launch, read_report
from luvus_service.adapters.ptyhost.winsize import size_of
from luvus_service.adapters.ptyhost.wire import Message

TERMINALS_LIMIT = 1024
"""Terminals of one host."""
SPAWN_WAIT_S = 10.0
"""How long a program may need from fork to exec, say on a network file system that hangs."""
FORGET_GRACE_S = 2.0
"""What a program gets whose terminal is forgotten while it runs."""

Exit = tuple[int | None, str | None]


def exit_of(wait_status: int) -> Exit:
    """Return (code, signal name) of a wait status; one of them is None."""
    if os.WIFSIGNALED(wait_status):
        number = os.WTERMSIG(wait_status)
        try:
            return None, signal.Signals(number).name
        except ValueError:
            return None, f"SIG{number}"
    return os.WEXITSTATUS(wait_status), None


@dataclass(slots=True)
class Terminal:
    """One terminal; the descriptors are owned here."""

    id: str
    pid: int
    marker: str | None
    master_fd: int
    journal_fd: int
    pidfd: int | None = None
    """Only for programs that are not our children."""
    exit: Exit | None = None
    suspect: bool = False
    forgotten: bool = False
    journal: TerminalJournal | None = None
    """Mapped only while the host reads the terminal."""

    @property
    def alive(self) -> bool:
        """Whether the program's end was not seen yet."""
        return self.exit is None

    def describe(self) -> Message:
        """Return the terminal as the server is told."""
        cols, rows = size_of(self.master_fd)
        return {
            "id": self.id,
            "pid": self.pid,
            "marker": self.marker,
            "cols": cols,
            "rows": rows,
            "exit": self.exit,
            "suspect": self.suspect,
        }


@dataclass(slots=True)
class _Birth:
    """A program between fork and exec."""

    launch: Launch
    journal_fd: int
    request: Message
    answer: Callable[[Terminal | None, str], None]
    report: bytearray = field(default_factory=bytearray)


class Terminals:
    """Every terminal of the session, in the order they were started."""

    def __init__(
        self,
        reactor: Reactor,
        *,
        open_files: tuple[int, int],
        on_exit: Callable[[Terminal], None],
        capacity: int = JOURNAL_CAPACITY,
    ) -> None:
        """Begin with none; `open_files` is the limit that programs are started with."""
        self._reactor = reactor
        self._open_files = open_files
        self._on_exit = on_exit
        self._capacity = capacity
        self._by_id: dict[str, Terminal] = {}
        self._births: dict[int, _Birth] = {}
        self._endings = Endings(reactor)
        self._reading = False

    def __len__(self) -> int:
        """Return how many there are, those that are being started too."""
        return len(self._by_id) + len(self._births)

    def all(self) -> list[Terminal]:
        """Return the terminals in the order they were started."""
        return [terminal for terminal in self._by_id.values() if not terminal.forgotten]

    def get(self, terminal_id: str) -> Terminal | None:
        """Return a terminal that was not forgotten."""
        terminal = self._by_id.get(terminal_id)
        return None if terminal is None or terminal.forgotten else terminal

    def spawn(self, request: Message, answer: Callable[[Terminal | None, str], None]) -> None:
        """Start a program; `answer` gets the terminal and its actual folder, or a reason."""
        if len(self) >= TERMINALS_LIMIT:
            answer(None, f"The session has {TERMINALS_LIMIT} terminals, which is the limit.")
            return
        if not request["argv"] or request["id"] in self._by_id:
            answer(None, "A terminal needs a program and an id that no other terminal has.")
            return
        journal_fd = -1
        try:
            journal_fd = create_journal_fd(f"luvus-{request['id'][:8]}", capacity=self._capacity)
            started = launch(
                request["argv"],
                request["cwd"],
                request["env"],
                cols=request["cols"],
                rows=request["rows"],
                open_files=self._open_files,
            )
        except OSError as fault:
            if journal_fd >= 0:
                os.close(journal_fd)
            answer(None, f"The system gives no new terminal: {fault.strerror}.")
            return
        birth = _Birth(started, journal_fd, request, answer)
        self._births[started.pid] = birth
        self._reactor.watch(started.report_fd, lambda: self._read_report(birth))
        self._reactor.later(SPAWN_WAIT_S, lambda: self._give_up(birth))

    def adopt(self, terminal: Terminal) -> None:
        """Take over a terminal whose program another host started."""
        self._by_id[terminal.id] = terminal
        if terminal.exit is not None:
            return
        if not is_same_process(terminal.pid, terminal.marker):
            self._ended_unseen(terminal)
            return
        try:
            terminal.pidfd = os.pidfd_open(terminal.pid)
        except ProcessLookupError:
            self._ended_unseen(terminal)
            return
        except (AttributeError, OSError):
            self._reactor.later(1.0, lambda: self._look_after(terminal))
            return
        self._reactor.watch(terminal.pidfd, lambda: self._ended_unseen(terminal))

    def reaped(self, pid: int, wait_status: int) -> None:
        """Note the end of a child."""
        # What a child reported before its end is in the pipe already, end of file included.
        while (birth := self._births.get(pid)) is not None:
            self._read_report(birth)
        for terminal in self._by_id.values():
            if terminal.pid == pid and terminal.exit is None and terminal.pidfd is None:
                terminal.exit = exit_of(wait_status)
                self._on_exit(terminal)
                return

    def end(self, terminal: Terminal, grace_s: float, done: Callable[[], None]) -> None:
        """Hang up everything in a terminal, kill what is left after the grace, then call back."""
        self._endings.begin(terminal, grace_s, done)

    def forget(self, terminal: Terminal) -> None:
        """Release a terminal; a program that still runs is ended first."""
        terminal.forgotten = True
        if terminal.exit is None:
            self.end(terminal, FORGET_GRACE_S, lambda: self._drop(terminal))
        else:
            self._drop(terminal)

    def take_over(self, *, fault: bool) -> None:
        """Read every terminal from now on; `fault` tells that native code ended the server."""
        self._reading = True
        for terminal in self._by_id.values():
            terminal.suspect = terminal.suspect or (fault and feeding_mark(terminal.journal_fd))
            self._begin_reading(terminal)
            if terminal.journal is not None:
                terminal.journal.mark_feeding(False)

    def hand_over(self) -> None:
        """Stop reading; from the next instant on the server does."""
        self._reading = False
        for terminal in self._by_id.values():
            self._stop_reading(terminal)

    def _begin_reading(self, terminal: Terminal) -> None:
        if terminal.journal is None and not terminal.forgotten:
            terminal.journal = TerminalJournal(terminal.journal_fd)
            self._reactor.watch(terminal.master_fd, lambda: self._read(terminal))

    def _stop_reading(self, terminal: Terminal) -> None:
        self._reactor.ignore(terminal.master_fd)
        if terminal.journal is not None:
            terminal.journal.close()
            terminal.journal = None

    def _read(self, terminal: Terminal) -> None:
        if terminal.journal is None:
            return
        piece = terminal.journal.read_or_drop(terminal.master_fd, READ_REACH)
        if piece is not None and not len(piece):
            self._reactor.ignore(terminal.master_fd)

    def _read_report(self, birth: _Birth) -> None:
        try:
            piece = os.read(birth.launch.report_fd, REPORT_LIMIT)
        except BlockingIOError:
            return
        birth.report += piece
        if not piece or len(birth.report) >= REPORT_LIMIT:
            report = read_report(bytes(birth.report), birth.request["argv"], birth.request["cwd"])
            self._finish_birth(birth, report.failure, report.cwd)

    def _give_up(self, birth: _Birth) -> None:
        if birth.launch.pid in self._births:
            with contextlib.suppress(ProcessLookupError):
                os.kill(birth.launch.pid, signal.SIGKILL)
            text = f"The program did not start within {SPAWN_WAIT_S:.0f} s."
            self._finish_birth(birth, text, "")

    def _finish_birth(self, birth: _Birth, failure: str | None, cwd: str) -> None:
        started = birth.launch
        del self._births[started.pid]
        self._reactor.ignore(started.report_fd)
        os.close(started.report_fd)
        if failure is not None:
            os.close(started.master_fd)
            os.close(birth.journal_fd)
            birth.answer(None, failure)
            return
        marker = start_marker(started.pid)
        terminal = Terminal(
            birth.request["id"], started.pid, marker, started.master_fd, birth.journal_fd
        )
        self._by_id[terminal.id] = terminal
        birth.answer(terminal, cwd)
        if self._reading:
            self._begin_reading(terminal)

    def _ended_unseen(self, terminal: Terminal) -> None:
        if terminal.pidfd is not None:
            self._reactor.ignore(terminal.pidfd)
            os.close(terminal.pidfd)
            terminal.pidfd = None
        if terminal.exit is None:
            terminal.exit = (None, None)
            self._on_exit(terminal)

    def _look_after(self, terminal: Terminal) -> None:
        try:
            os.kill(terminal.pid, 0)
        except ProcessLookupError:
            self._ended_unseen(terminal)
        else:
            if terminal.exit is None:
                self._reactor.later(1.0, lambda: self._look_after(terminal))

    def _drop(self, terminal: Terminal) -> None:
        self._stop_reading(terminal)
        for fd in (terminal.master_fd, terminal.journal_fd, terminal.pidfd):
            if fd is not None:
                os.close(fd)
        del self._by_id[terminal.id]


def note(text: str) -> None:
    """Write a line to the session's log, which is this process's standard error."""
    sys.stderr.write(f"pty host: {text}\n")
    sys.stderr.flush()
