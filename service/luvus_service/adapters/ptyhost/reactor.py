"""The host's event loop: descriptors, timers and signals, one thread, standard library only.

asyncio would do, at three times the memory of the process that must never grow or fail.
"""

from __future__ import annotations

import contextlib
import heapq
import itertools
import os
import selectors
import signal
import time
import traceback
from collections.abc import Callable, Sequence
from typing import TypeAlias

Action: TypeAlias = Callable[[], None]

_LONGEST_WAIT_S = 3600.0


class Timer:
    """A call that will be made once, unless it is cancelled."""

    def __init__(self, action: Action) -> None:
        """Keep the call."""
        self.action: Action | None = action

    def cancel(self) -> None:
        """Make sure the call is not made."""
        self.action = None


class Reactor:
    """Waits for descriptors, timers and signals and calls back."""

    def __init__(self) -> None:
        """Take over the process's wake-up descriptor for signals."""
        self._selector = selectors.DefaultSelector()
        self._actions: dict[int, tuple[Action | None, Action | None]] = {}
        self._timers: list[tuple[float, int, Timer]] = []
        self._order = itertools.count()
        self._on_signal: dict[int, Action] = {}
        self._stopped = False
        self._wake_read, self._wake_write = os.pipe()
        os.set_blocking(self._wake_read, False)
        os.set_blocking(self._wake_write, False)
        signal.set_wakeup_fd(self._wake_write, warn_on_full_buffer=False)
        self.watch(self._wake_read, self._wake)

    def watch(self, fd: int, readable: Action | None, writable: Action | None = None) -> None:
        """Call back while `fd` is readable or writable; replaces what was asked before."""
        events = (selectors.EVENT_READ if readable else 0) | (
            selectors.EVENT_WRITE if writable else 0
        )
        if not events:
            self.ignore(fd)
            return
        if fd in self._actions:
            self._selector.modify(fd, events)
        else:
            self._selector.register(fd, events)
        self._actions[fd] = (readable, writable)

    def ignore(self, fd: int) -> None:
        """Forget a descriptor; must be called before it is closed."""
        if self._actions.pop(fd, None) is not None:
            with contextlib.suppress(KeyError, OSError):
                self._selector.unregister(fd)

    def later(self, delay_s: float, action: Action) -> Timer:
        """Call once after a delay."""
        timer = Timer(action)
        heapq.heappush(self._timers, (time.monotonic() + delay_s, next(self._order), timer))
        return timer

    def on_signals(self, numbers: Sequence[int], action: Action) -> None:
        """Call back on the loop after one of these signals."""
        for number in numbers:
            self._on_signal[number] = action
            signal.signal(number, _note)

    def run(self) -> None:
        """Serve until `stop`."""
        while not self._stopped:
            for key, events in self._selector.select(self._patience()):
                readable, writable = self._actions.get(key.fd, (None, None))
                if events & selectors.EVENT_READ and readable:
                    self._guarded(readable, key.fd)
                if events & selectors.EVENT_WRITE and writable and key.fd in self._actions:
                    self._guarded(writable, key.fd)
            self._run_timers()
        self._stopped = False

    def stop(self) -> None:
        """Leave `run` after the current round, or at once when it begins."""
        self._stopped = True

    def close(self) -> None:
        """Give the signals' descriptor and the selector back."""
        signal.set_wakeup_fd(-1)
        self._selector.close()
        os.close(self._wake_read)
        os.close(self._wake_write)

    def _patience(self) -> float:
        while self._timers and self._timers[0][2].action is None:
            heapq.heappop(self._timers)
        if not self._timers:
            return _LONGEST_WAIT_S
        return min(max(self._timers[0][0] - time.monotonic(), 0.0), _LONGEST_WAIT_S)

    def _run_timers(self) -> None:
        now = time.monotonic()
        while self._timers and self._timers[0][0] <= now:
            action = heapq.heappop(self._timers)[2].action
            if action is not None:
                self._guarded(action, None)

    def _wake(self) -> None:
        try:
            numbers = set(os.read(self._wake_read, 4096))
        except BlockingIOError:
            return
        for number in numbers:
            action = self._on_signal.get(number)
            if action is not None:
                self._guarded(action, None)

    def _guarded(self, action: Action, fd: int | None) -> None:
        try:
            action()
        except Exception:  # noqa: BLE001 - one terminal's fault must not end all the others
            traceback.print_exc()
            if fd is not None and fd != self._wake_read:
                self.ignore(fd)


def _note(_number: int, _frame: object) -> None:
    """Let the wake-up descriptor do the work."""
