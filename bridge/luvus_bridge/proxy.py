"""The stdio profile: one request from standard input to a session's socket, its answer back.

A byte pump between three descriptors. It looks for line ends and at nothing else, keeps at most
a fixed number of bytes for each direction, and stops reading one side while the other is full.
"""

from __future__ import annotations

import os
import select
import socket
import sys

REQUEST_BYTES = 1_048_576
"""What is read while looking for the end of the request; a longer one is the server's to refuse."""
PENDING_BYTES = 262_144
"""What is kept for a side that does not take it."""
PIECE_BYTES = 65_536
CONNECT_S = 5.0

_READABLE = select.POLLIN | select.POLLHUP | select.POLLERR
_LF = b"\n"

ANSWERED = 0
FAILED = 1


def run_proxy(address: str, stdin_fd: int, stdout_fd: int) -> int:
    """Forward one request to the Unix socket at `address` and print what comes back.

    Further lines of input are forwarded too, for streams. End of input is passed on, except
    after exactly one line: a single request that was piped in still gets its whole stream.
    Returns 0 when an answer came, otherwise 1 with the reason on standard error.
    """
    answered = False
    try:
        request, at_end = _read_request(stdin_fd)
        if not request:
            return _fail("there is no request on standard input")
        try:
            server = _connect(address)
        except (OSError, ValueError) as error:
            return _fail(f"no server answers at {address}: {error}")
        with server:
            pump = _Pump(server, stdin_fd, stdout_fd, request, at_end=at_end)
            try:
                pump.run()
            finally:
                answered = pump.answered
    except KeyboardInterrupt:
        return ANSWERED if answered else 130
    except OSError as error:
        return ANSWERED if answered else _fail(f"the connection failed: {error}")
    if not answered:
        return _fail("the server closed the connection without an answer")
    return ANSWERED


def _read_request(stdin_fd: int) -> tuple[bytearray, bool]:
    """Read up to the end of the first line, before connecting: the server waits 5 s for it."""
    request = bytearray()
    while len(request) < REQUEST_BYTES:
        piece = os.read(stdin_fd, PIECE_BYTES)
        if not piece:
            return request, True
        request += piece
        if _LF in piece:
            break
    return request, False


def _connect(address: str) -> socket.socket:
    server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        server.settimeout(CONNECT_S)
        server.connect(address)
        server.setblocking(False)
    except BaseException:
        server.close()
        raise
    return server


def _fail(reason: str) -> int:
    sys.stderr.write(f"luvus: {reason}\n")
    return FAILED


class _Pump:
    """Moves bytes until the server has closed and all it sent is printed."""

    def __init__(
        self,
        server: socket.socket,
        stdin_fd: int,
        stdout_fd: int,
        request: bytearray,
        *,
        at_end: bool,
    ) -> None:
        self.answered = False
        self._server = server
        self._stdin = stdin_fd
        self._stdout = stdout_fd
        self._to_server = request
        self._to_stdout = bytearray()
        self._lines = request.count(_LF)
        self._stdin_open = not at_end
        self._sending = True
        self._receiving = True
        self._printing = True

    def run(self) -> None:
        """Pump; return when there is nothing more to print or nobody to print it for."""
        while self._printing and (self._receiving or self._to_stdout):
            self._close_sending_side()
            for fd, events in self._poll():
                if fd == self._server.fileno():
                    self._serve_server(events)
                elif fd == self._stdout:
                    self._serve_stdout(events)
                if fd == self._stdin and events & _READABLE:
                    self._serve_stdin()

    def _poll(self) -> list[tuple[int, int]]:
        wanted: dict[int, int] = {}
        if self._receiving:
            wanted[self._server.fileno()] = (
                select.POLLIN if len(self._to_stdout) < PENDING_BYTES else 0
            ) | (select.POLLOUT if self._to_server and self._sending else 0)
        # Even with nothing to print a poll tells that the reader of a pipe has gone.
        wanted[self._stdout] = select.POLLOUT if self._to_stdout else 0
        if self._wants_input():
            wanted[self._stdin] = wanted.get(self._stdin, 0) | select.POLLIN
        poll = select.poll()
        for fd, events in wanted.items():
            poll.register(fd, events)
        return poll.poll()

    def _wants_input(self) -> bool:
        return self._stdin_open and self._sending and len(self._to_server) < PENDING_BYTES

    def _serve_server(self, events: int) -> None:
        if events & select.POLLOUT and self._to_server:
            try:
                del self._to_server[: self._server.send(self._to_server)]
            except BlockingIOError:
                return
            except BrokenPipeError:
                # The server has all that it wants; its answer may still be on the way.
                self._sending = False
        if events & _READABLE:
            try:
                piece = self._server.recv(PIECE_BYTES)
            except BlockingIOError:
                return
            except ConnectionResetError:
                piece = b""
            self.answered = self.answered or _LF in piece
            self._to_stdout += piece
            self._receiving = bool(piece)

    def _serve_stdout(self, events: int) -> None:
        if events & (select.POLLERR | select.POLLHUP | select.POLLNVAL):
            self._printing = False
            return
        if events & select.POLLOUT and self._to_stdout:
            # A pipe that polls as writable takes this much without blocking.
            piece = self._to_stdout[: select.PIPE_BUF]
            try:
                written = os.write(self._stdout, piece)
            except BrokenPipeError:
                self._printing = False
                return
            del self._to_stdout[:written]

    def _serve_stdin(self) -> None:
        piece = os.read(self._stdin, PIECE_BYTES)
        if piece:
            self._lines += piece.count(_LF)
            self._to_server += piece
        else:
            self._stdin_open = False

    def _close_sending_side(self) -> None:
        done = not self._stdin_open and not self._to_server and self._sending
        if done and self._lines != 1:
            self._sending = False
            try:
                self._server.shutdown(socket.SHUT_WR)
            except OSError:
                # The server closed first.
                return
