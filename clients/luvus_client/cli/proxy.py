"""`luvus uhp proxy`: a session's socket as standard input and output.

The first line is answered here when it is a host method. Otherwise this is a byte pump that reads
no message: one request goes in, what the server sends comes out, and both ends of a stream keep
going until the server ends it. After the first line it holds at most one piece in each direction.
"""

from __future__ import annotations

import contextlib
import os
import select
import socket
import sys

from luvus_client.cli.context import Context
from luvus_client.cli.host import answer
from luvus_client.cli.usage import EXIT_FAILED, EXIT_OK, UsageError
from luvus_client.connection import connect
from luvus_client.patience import DEFAULT_TIMEOUT_S
from luvus_client.wire import FRAME_LIMIT

PIECE_BYTES = 1 << 16


def proxy(context: Context, words: list[str]) -> int:
    """Run `luvus uhp proxy`."""
    if words:
        raise UsageError("usage: luvus uhp proxy")
    source, sink = sys.stdin.fileno(), sys.stdout.fileno()
    first, ended = _first_line(source)
    line, line_feed, _ = first.partition(b"\n")
    answered = answer(line) if line_feed else None
    if answered is not None:
        _write_all(sink, answered)
        return EXIT_OK
    _, sock = connect(context.endpoint().address, DEFAULT_TIMEOUT_S)
    with sock:
        return pump(sock, source, sink, first, reading=not ended)


def _first_line(source: int) -> tuple[bytes, bool]:
    """Read until the first line is there, too long, or the input ends; say whether it ended."""
    held = bytearray()
    while b"\n" not in held and len(held) <= FRAME_LIMIT:
        piece = os.read(source, PIECE_BYTES)
        if not piece:
            return bytes(held), True
        held += piece
    return bytes(held), False


def pump(
    sock: socket.socket, source: int, sink: int, pending: bytes = b"", *, reading: bool = True
) -> int:
    """Carry bytes both ways until the server ends; return whether it answered as an exit code.

    `pending` is input that was read already. The end of the input is passed on as a half-close,
    after which answers still arrive.
    """
    sock.setblocking(False)
    writable, answered, open_ended = True, False, True
    while True:
        if not reading and not pending and open_ended:
            open_ended = False
            _half_close(sock)
        readers = [sock.fileno(), *([source] if reading and not pending else [])]
        writers = [sock.fileno()] if pending else []
        ready, ready_out, _ = select.select(readers, writers, [])
        if ready_out:
            pending, writable = _write(sock, pending, writable)
        if source in ready:
            pending = os.read(source, PIECE_BYTES)
            reading = bool(pending)
            if not writable:
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
