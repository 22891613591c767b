"""`luvus uhp proxy`: a session's socket as standard input and output.

A byte pump that reads no message: one request goes in, what the server sends comes out, and both
ends of a stream keep going until the server ends it. It holds at most one piece in each direction.
"""

from __future__ import annotations

import contextlib
import os
import select
import socket
import sys

from luvus_client.cli.context import Context
from luvus_client.cli.usage import EXIT_FAILED, EXIT_OK, UsageError
from luvus_client.connection import connect
from luvus_client.patience import DEFAULT_TIMEOUT_S

PIECE_BYTES = 1 << 16


def proxy(context: Context, words: list[str]) -> int:
    """Run `luvus uhp proxy`."""
    if words:
        raise UsageError("usage: luvus uhp proxy")
    _, sock = connect(context.endpoint().address, DEFAULT_TIMEOUT_S)
    with sock:
        return pump(sock, sys.stdin.fileno(), sys.stdout.fileno())


def pump(sock: socket.socket, source: int, sink: int) -> int:
    """Carry bytes both ways until the server ends; return whether it answered as an exit code.

    The end of the input is passed on as a half-close, after which answers still arrive.
    """
    sock.setblocking(False)
    pending = b""
    reading, writable, answered = True, True, False
    while True:
        readers = [sock.fileno(), *([source] if reading and not pending else [])]
        writers = [sock.fileno()] if pending else []
        ready, ready_out, _ = select.select(readers, writers, [])
        if ready_out:
            pending, writable = _write(sock, pending, writable)
        if source in ready:
            pending = os.read(source, PIECE_BYTES)
            if not pending:
                reading = False
                _half_close(sock)
            elif not writable:
                pending = b""
        if sock.fileno() in ready:
            piece = _receive(sock)
            if not piece:
                return EXIT_OK if answered else EXIT_FAILED
            answered = True
            _write_all(sink, piece)


def _write(sock: socket.socket, pending: bytes, writable: bool) -> tuple[bytes, bool]:
    try:
        return pending[sock.send(pending) :], writable
    except (BlockingIOError, InterruptedError):
        return pending, writable
    except OSError:
        # The server stopped reading, often because it has answered; its answer is still to come.
        return b"", False


def _receive(sock: socket.socket) -> bytes:
    try:
        return sock.recv(PIECE_BYTES)
    except OSError:
        return b""


def _half_close(sock: socket.socket) -> None:
    with contextlib.suppress(OSError):
        sock.shutdown(socket.SHUT_WR)


def _write_all(sink: int, piece: bytes) -> None:
    view = memoryview(piece)
    while view:
        view = view[os.write(sink, view) :]
