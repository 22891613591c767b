"""Input waiting for a program to read it: bounded, in order, never waited for.

An action is accepted whole or refused whole. What was accepted is written as the program reads;
a program that never reads costs a bounded amount of memory and nothing else.
"""

from __future__ import annotations

import asyncio
import os
from collections import deque
from dataclasses import dataclass

from luvus_service.uhp.engine.errors import SendFailed

QUEUED_BYTES = 8_388_608
QUEUED_ACTIONS = 4096
_WRITE = 65_536
"""Bytes offered to the kernel at a time."""


@dataclass(frozen=True, slots=True)
class _Pause:
    seconds: float


class InputQueue:
    """The writing side of one terminal."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._loop = asyncio.get_running_loop()
        self._actions: deque[memoryview | _Pause] = deque()
        self._pause: asyncio.TimerHandle | None = None
        self._bytes = 0
        self._watching = False
        self._closed = False

    def put(self, data: bytes, *, then: bytes = b"", pause_s: float = 0.0) -> None:
        """Accept one action.

        `then` follows in the same action, `pause_s` after the program has taken the rest in.

        Raises:
            SendFailed: The queue is full or the terminal is closed; nothing was accepted.
        """
        if self._closed:
            raise SendFailed("the program of this pane has ended", dispatch="rejected")
        size = len(data) + len(then)
        if self._bytes + size > QUEUED_BYTES or len(self._actions) >= QUEUED_ACTIONS:
            raise SendFailed(
                f"the input queue is full: {self._bytes} bytes in {len(self._actions)} actions "
                "wait for a program that does not read",
                dispatch="rejected",
            )
        if data:
            self._actions.append(memoryview(data))
        if then and data and pause_s > 0:
            self._actions.append(_Pause(pause_s))
        if then:
            self._actions.append(memoryview(then))
        self._bytes += size
        if not self._watching and self._pause is None and self._actions:
            self._write()

    @property
    def waiting_bytes(self) -> int:
        """How much is accepted and not yet written."""
        return self._bytes

    def close(self) -> None:
        """Drop what waits and stop watching the descriptor; the owner closes it."""
        self._closed = True
        self._actions.clear()
        self._bytes = 0
        if self._pause is not None:
            self._pause.cancel()
            self._pause = None
        self._unwatch()

    def _write(self) -> None:
        self._pause = None
        try:
            while self._actions:
                first = self._actions[0]
                if isinstance(first, _Pause):
                    self._actions.popleft()
                    self._pause = self._loop.call_later(first.seconds, self._write)
                    break
                written = os.write(self._fd, first[:_WRITE])
                self._bytes -= written
                if written == len(first):
                    self._actions.popleft()
                else:
                    self._actions[0] = first[written:]
        except BlockingIOError:
            self._watch()
            return
        except OSError:
            # The program hung up; its exit is reported by the pty host.
            self.close()
            return
        self._unwatch()

    def _watch(self) -> None:
        if not self._watching:
            self._watching = True
            self._loop.add_writer(self._fd, self._write)

    def _unwatch(self) -> None:
        if self._watching:
            self._watching = False
            self._loop.remove_writer(self._fd)
