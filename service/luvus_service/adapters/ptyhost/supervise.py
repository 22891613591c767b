"""Starts the server as the host's child and decides what its end means.

Knows the server only as a program that says `ready` and `bye` and ends with a code or a signal.
"""

from __future__ import annotations

import os
import signal
import socket
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from luvus_service.adapters.ptyhost.logfile import open_log

RESTART_CODE = 75
"""The server's exit code for: start me again and keep the panes."""
BACKOFF_FIRST_S = 0.1
BACKOFF_LAST_S = 10.0
STEADY_S = 30.0
"""A server that lived this long has earned the shortest back-off again."""
HOPELESS_STARTS = 3
"""Deaths by signal before the first `ready` ever, after which a session without panes gives up."""
FAULT_SIGNALS = frozenset({"SIGSEGV", "SIGBUS", "SIGILL", "SIGFPE", "SIGABRT"})
"""Ends that come from native code, which the terminal being fed may have provoked."""

Verdict: TypeAlias = Literal["stop", "again", "later", "fail"]


@dataclass(frozen=True, slots=True)
class ServerEnd:
    """How a server ended and what was known of it."""

    code: int | None
    signal: str | None
    was_ready: bool
    ever_ready: bool
    starts: int
    """Starts of this session's server so far."""
    keeps_terminals: bool
    stopping: bool
    restart_asked: bool


def judge(end: ServerEnd) -> Verdict:
    """Decide what follows a server's end."""
    if end.stopping:
        return "stop"
    if end.code == RESTART_CODE or (end.code == 0 and end.restart_asked):
        return "again" if end.was_ready else "later"
    if end.code == 0:
        return "stop"
    if end.code is not None and not end.was_ready:
        return "fail"
    hopeless = not end.ever_ready and not end.keeps_terminals and end.starts >= HOPELESS_STARTS
    return "fail" if hopeless else "later"


class Backoff:
    """The pauses between starts: doubled each time, short again after a steady life."""

    def __init__(self) -> None:
        """Begin with the shortest pause."""
        self._next = BACKOFF_FIRST_S

    def pause(self, lived_s: float) -> float:
        """Return the pause before the next start."""
        if lived_s >= STEADY_S:
            self._next = BACKOFF_FIRST_S
        pause = self._next
        self._next = min(self._next * 2, BACKOFF_LAST_S)
        return pause


@dataclass(slots=True)
class ServerProcess:
    """A running server."""

    pid: int
    started: float
    ready: bool = False
    bye: int | None = None


def start_server(
    command: tuple[str, ...],
    *,
    log_path: str,
    lock_fd: int,
    environment: Callable[[int, int], Mapping[str, str]],
) -> tuple[ServerProcess, socket.socket]:
    """Start the server with one end of a new connection and the lock; return the other end.

    Raises:
        OSError: The program cannot be run.
    """
    ours, theirs = socket.socketpair()
    log = open_log(log_path)
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_DUP2, log, 1),
        (os.POSIX_SPAWN_DUP2, log, 2),
    ]
    env = dict(environment(theirs.fileno(), lock_fd))
    defaults = signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}
    try:
        for fd in (theirs.fileno(), lock_fd):
            os.set_inheritable(fd, True)
        pid = os.posix_spawn(
            command[0],
            list(command),
            env,
            file_actions=actions,
            setsigdef=defaults,
            setsigmask=(),
        )
    except OSError:
        ours.close()
        raise
    finally:
        os.set_inheritable(lock_fd, False)
        theirs.close()
        os.close(log)
    return ServerProcess(pid, time.monotonic()), ours
