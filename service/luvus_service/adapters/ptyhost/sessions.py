"""Ends everything that runs in a terminal, not only its first program.

A shell's jobs have process groups of their own; what binds them to the terminal is the session.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from luvus_service.adapters.procfs import all_stats, read_stat, start_marker
from luvus_service.adapters.ptyhost.reactor import Reactor

CHECK_S = 0.02
"""How often the processes that are to go are looked at."""
AFTER_KILL_S = 2.0
"""How long a killed process may need to disappear before nobody waits for it any more."""


class Leader(Protocol):
    """A first program of a terminal."""

    @property
    def pid(self) -> int:
        """Its number, and that of its session."""
        ...

    @property
    def alive(self) -> bool:
        """Whether it was not reaped yet."""
        ...


class Sessions:
    """The processes of every session at one instant."""

    def __init__(self) -> None:
        """Look at the process table once."""
        stats = all_stats()
        self._known = stats is not None
        self._members: dict[int, list[int]] = {}
        for stat in stats or ():
            if stat.state not in "ZX":
                self._members.setdefault(stat.session, []).append(stat.pid)

    def members(self, leader: Leader) -> list[int]:
        """Return the living processes of a session; where unknown, only the living leader."""
        if not self._known:
            return [leader.pid] if leader.alive else []
        members = self._members.get(leader.pid, [])
        if not leader.alive and leader.pid in members:
            # The number was given to somebody else, who has made a session of his own.
            return []
        return members

    def signal(self, leader: Leader, number: int) -> None:
        """Send a signal to every member; where unknown, to the leader's process group."""
        for pid in self.members(leader):
            # Since the scan the number may have gone to a process of another session.
            stat = read_stat(pid)
            if stat is None or stat.session == leader.pid:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, number)
        if not self._known and leader.alive:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(leader.pid, number)


@dataclass(slots=True)
class _Ending:
    leader: Leader
    grace_s: float
    deadline: float = 0.0
    stage: int = 0
    done: list[Callable[[], None]] = field(default_factory=list[Callable[[], None]])


class Endings:
    """The terminals that are being ended; one look at the process table serves them all."""

    def __init__(self, reactor: Reactor) -> None:
        """Begin with none."""
        self._reactor = reactor
        self._by_pid: dict[int, _Ending] = {}

    def begin(self, leader: Leader, grace_s: float, done: Callable[[], None]) -> None:
        """Hang up, kill what is left after the grace, and call back when nothing is left.

        A second call for the same leader can only shorten the grace.
        """
        ending = self._by_pid.get(leader.pid)
        if ending is None:
            ending = self._by_pid[leader.pid] = _Ending(leader, grace_s)
            if len(self._by_pid) == 1:
                self._reactor.later(0, self._sweep)
        elif ending.stage == 1:
            ending.deadline = min(ending.deadline, time.monotonic() + grace_s)
        ending.grace_s = min(ending.grace_s, grace_s)
        ending.done.append(done)

    def _sweep(self) -> None:
        sessions = Sessions()
        for ending in list(self._by_pid.values()):
            if self._advance(ending, sessions):
                del self._by_pid[ending.leader.pid]
                for done in ending.done:
                    done()
        if self._by_pid:
            self._reactor.later(CHECK_S, self._sweep)

    def _advance(self, ending: _Ending, sessions: Sessions) -> bool:
        """Take the next step when it is due; True when nothing is left or nothing helps."""
        now = time.monotonic()
        leader = ending.leader
        if not leader.alive and not sessions.members(leader):
            return True
        if ending.stage == 0:
            sessions.signal(leader, signal.SIGHUP)
            # A stopped process takes the hang-up only when it goes on.
            sessions.signal(leader, signal.SIGCONT)
            ending.stage, ending.deadline = 1, now + ending.grace_s
        elif now >= ending.deadline:
            if ending.stage == 2:
                return True
            sessions.signal(leader, signal.SIGKILL)
            ending.stage, ending.deadline = 2, now + AFTER_KILL_S
        elif ending.stage == 2:
            # Somebody may have forked between the look and the kill.
            sessions.signal(leader, signal.SIGKILL)
        return False


def is_same_process(pid: int, marker: str | None) -> bool:
    """Tell whether `pid` is still the process that had this marker (unknown counts as yes)."""
    now = start_marker(pid)
    return marker is None or now is None or now == marker
