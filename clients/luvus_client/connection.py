"""One connection of a blocking client: connect to a validated socket, write a frame, read lines.

Every wait has a deadline. Knows no method; closing is the caller's duty.
"""

from __future__ import annotations

import contextlib
import errno
import os
import select
import socket
import struct
import sys
from time import monotonic

from luvus_client.endpoint import Evidence, validate
from luvus_client.errors import AnswerTimeout, ConnectionLost, NotRunning, UnsafeEndpoint
from luvus_client.wire import LineBuffer

RECEIVE_BYTES = 1 << 16
RETRY_S = 0.01
"""Between two tries to connect to a server whose backlog is full."""


def open_socket(address: str, evidence: Evidence) -> socket.socket:
    """Make one attempt to connect without waiting; the socket returned does not block.

    Raises:
        BlockingIOError: The server's backlog is full; try again.
        NotRunning: Nothing accepts connections there.
        UnsafeEndpoint: Another user's program accepted.
    """
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        sock.setblocking(False)
        sock.connect(address)
        _check_peer(sock, address)
        # The path may have been replaced between the look and the connection.
        _check_same(address, evidence)
    except BlockingIOError:
        sock.close()
        raise
    except OSError as error:
        sock.close()
        if error.errno in (errno.ECONNREFUSED, errno.ENOENT):
            raise NotRunning(f"no server accepts connections at {address}") from error
        raise ConnectionLost(
            f"cannot connect to {address}: {error}", possibly_executed=False
        ) from error
    except BaseException:
        sock.close()
        raise
    return sock


def _check_same(address: str, evidence: Evidence) -> None:
    if validate(address) != evidence:
        raise BlockingIOError(errno.EAGAIN, "the socket was replaced just now")


def _check_peer(sock: socket.socket, address: str) -> None:
    peer = peer_of(sock)
    if peer is not None and peer[1] != os.geteuid():
        raise UnsafeEndpoint(f"the server at {address} runs as user {peer[1]}, not as you")


def peer_of(sock: socket.socket) -> tuple[int, int] | None:
    """Return the process and user id of the server, where the system tells them."""
    if sys.platform != "linux":
        return None
    pid, uid, _ = struct.unpack("3i", sock.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
    return pid, uid


class Connection:
    """A connection to a server; `evidence` identifies the server that was reached."""

    def __init__(self, address: str, timeout: float) -> None:
        self.evidence, self._socket = connect(address, timeout)
        self._lines = LineBuffer()
        self._written = False

    @property
    def server_pid(self) -> int | None:
        """The server's process, where the system tells it."""
        peer = peer_of(self._socket)
        return peer[0] if peer else None

    def send(self, frame: bytes, timeout: float) -> None:
        """Write a frame.

        A server that refuses early closes before it read everything; its answer is then still
        worth reading, so a broken pipe is not an error here.

        Raises:
            AnswerTimeout: The server does not read.
        """
        try:
            self._socket.settimeout(max(timeout, 0.001))
            self._socket.sendall(frame)
            self._written = True
        except TimeoutError as error:
            raise AnswerTimeout(
                f"the server took no request for {timeout:g} s", possibly_executed=False
            ) from error
        except OSError:
            self._written = False

    def read_line(self, timeout: float | None) -> bytes | None:
        """Return the next line without its line feed, or None at the end of the stream.

        Raises:
            AnswerTimeout: None came in time; None as time-out waits as long as it takes.
            ConnectionLost: The stream broke off.
            BadAnswer: The line is longer than a frame may be.
        """
        deadline = None if timeout is None else monotonic() + timeout
        while (line := self._lines.next_line()) is None:
            piece = self._receive(deadline, timeout)
            if not piece:
                if self._lines.partial:
                    raise self._lost("the server closed in the middle of a line")
                return None
            self._lines.feed(piece)
        return line

    def answer(self, timeout: float) -> bytes:
        """Return the one line that answers the request.

        Raises:
            ConnectionLost: There is none.
        """
        line = self.read_line(timeout)
        if line is None:
            raise self._lost("the server closed the connection without an answer")
        return line

    def _receive(self, deadline: float | None, timeout: float | None) -> bytes:
        left = None if deadline is None else max(deadline - monotonic(), 0.001)
        try:
            self._socket.settimeout(left)
            return self._socket.recv(RECEIVE_BYTES)
        except TimeoutError as error:
            raise AnswerTimeout(
                f"the server did not answer within {timeout:g} s", possibly_executed=self._written
            ) from error
        except OSError as error:
            raise self._lost(f"the connection broke: {error}") from error

    def _lost(self, message: str) -> ConnectionLost:
        return ConnectionLost(message, possibly_executed=self._written)

    def fileno(self) -> int:
        """Return the file descriptor, which stays owned by this connection."""
        return self._socket.fileno()

    def close(self) -> None:
        """Close, and wake a thread that is reading; closing twice is harmless."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()


def connect(address: str, timeout: float) -> tuple[Evidence, socket.socket]:
    """Connect to a validated address, waiting while the server's backlog is full.

    Raises:
        NotRunning: Nothing accepts connections there.
        UnsafeEndpoint: The address is not private.
        AnswerTimeout: The server accepts none in time.
    """
    deadline = monotonic() + timeout
    while True:
        evidence = validate(address)
        try:
            return evidence, open_socket(address, evidence)
        except BlockingIOError as error:
            # A full backlog is a busy server, not a missing one, and there is nothing to select on.
            if monotonic() >= deadline:
                raise AnswerTimeout(
                    f"the server at {address} accepts no connection", possibly_executed=False
                ) from error
            select.select([], [], [], RETRY_S)
