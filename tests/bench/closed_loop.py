"""Clients that ask again as soon as they are answered, and the times that this took.

One client blocks in plain calls; many share one thread and an epoll, so that the clients cost
less than what they measure.
"""

from __future__ import annotations

import selectors
import socket
from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter_ns
from typing import Protocol

ANSWER_LIMIT_S = 20.0
"""An answer that takes longer ends the measurement."""


class Dialogue(Protocol):
    """How one client asks: over a descriptor that may be a new one each time."""

    def ask(self) -> int:
        """Send the question and return the descriptor on which the answer comes."""
        ...

    def answered(self) -> bool:
        """Take what is readable; true when the answer is complete."""
        ...

    def close(self) -> None:
        """End it."""
        ...


@dataclass(frozen=True, slots=True)
class NewLine:
    """One new connection a request, newline JSON."""

    address: str
    request: bytes

    def dialogue(self) -> Dialogue:
        return _OneShot(self.address, self.request)


@dataclass(frozen=True, slots=True)
class KeptHttp:
    """One connection for all requests, HTTP/1.1."""

    address: str
    method: str
    params: bytes = b"{}"

    def dialogue(self) -> Dialogue:
        head = (
            f"POST /uhp/v1/{self.method} HTTP/1.1\r\nhost: luvus\r\n"
            f"content-type: application/json\r\ncontent-length: {len(self.params)}\r\n\r\n"
        )
        return _Kept(self.address, head.encode() + self.params)


class _OneShot:
    def __init__(self, address: str, request: bytes) -> None:
        self._address = address
        self._request = request
        self._socket: socket.socket | None = None
        self._tail = b""

    def ask(self) -> int:
        self._tail = b""
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.connect(self._address)
        self._socket.sendall(self._request)
        return self._socket.fileno()

    def answered(self) -> bool:
        assert self._socket is not None
        piece = self._socket.recv(262_144)
        if not piece.endswith(b"\n"):
            assert piece, self._tail
            self._tail = piece
            return False
        assert b'"error"' not in (self._tail + piece)[:80], piece
        self.close()
        return True

    def close(self) -> None:
        if self._socket is not None:
            self._socket.close()
            self._socket = None


class _Kept:
    def __init__(self, address: str, request: bytes) -> None:
        self._request = request
        self._received = b""
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.connect(address)

    def ask(self) -> int:
        self._received = b""
        self._socket.sendall(self._request)
        return self._socket.fileno()

    def answered(self) -> bool:
        piece = self._socket.recv(262_144)
        assert piece, self._received
        self._received += piece
        head, found, body = self._received.partition(b"\r\n\r\n")
        if not found:
            return False
        assert head.startswith(b"HTTP/1.1 200"), self._received
        length = head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0]
        return len(body) >= int(length)

    def close(self) -> None:
        self._socket.close()


def alone(dialogue: Dialogue, count: int) -> list[float]:
    """Ask `count` times with one client; return each answer's milliseconds."""
    times = []
    for _ in range(count):
        began = perf_counter_ns()
        dialogue.ask()
        while not dialogue.answered():
            pass
        times.append((perf_counter_ns() - began) / 1e6)
    dialogue.close()
    return times


def together(make: Callable[[], Dialogue], clients: int, count: int) -> list[float]:
    """Let many clients ask at once, `count` times together; return each answer's milliseconds."""
    times: list[float] = []
    began: dict[int, int] = {}
    asked = 0
    with selectors.EpollSelector() as selector:

        def ask(dialogue: Dialogue) -> None:
            nonlocal asked
            asked += 1
            now = perf_counter_ns()
            descriptor = dialogue.ask()
            began[descriptor] = now
            selector.register(descriptor, selectors.EVENT_READ, dialogue)

        for _ in range(clients):
            ask(make())
        while len(times) < asked:
            ready = selector.select(ANSWER_LIMIT_S)
            assert ready, "no answer came"
            for key, _ in ready:
                # A closed descriptor must leave the selector before its number is used again.
                selector.unregister(key.fd)
                if not key.data.answered():
                    selector.register(key.fd, selectors.EVENT_READ, key.data)
                    continue
                times.append((perf_counter_ns() - began.pop(key.fd)) / 1e6)
                if asked < count:
                    ask(key.data)
                else:
                    key.data.close()
    return times
