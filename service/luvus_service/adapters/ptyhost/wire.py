"""Frames between the host, the server and those who watch: JSON with descriptors beside it.

A frame is a 4-byte big-endian length, that many bytes of JSON, and the descriptors that its
`fds` number announces. Never blocks; knows no message by name.
"""

from __future__ import annotations

import array
import contextlib
import json
import os
import socket
import struct
import sys
from collections import deque
from collections.abc import Sequence
from typing import Any, TypeAlias, cast

FRAME_LIMIT = 1 << 20
"""Bytes of JSON in one frame."""
FDS_LIMIT = 4
"""Descriptors beside one frame."""
OUTBOX_LIMIT = 4 << 20
"""Bytes queued for a peer that does not read; more closes the connection."""

_LENGTH = struct.Struct(">I")
_PIECE = 64 << 10
_WAITING_FDS_LIMIT = 64

Message: TypeAlias = dict[str, Any]


class WireClosed(Exception):
    """The peer is gone, or sent what no peer of ours sends."""


class FrameTooLarge(Exception):
    """A frame to be sent is larger than the limit."""

    def __init__(self, size: int) -> None:
        """Keep the size for the sentence shown."""
        super().__init__(f"A message of {size} bytes is over the limit of {FRAME_LIMIT} bytes.")
        self.size = size


def encode(message: Message, fds: int = 0) -> bytes:
    """Return one frame; text that came from bytes (surrogates) survives.

    Raises:
        FrameTooLarge: The JSON is over the limit.
    """
    body = json.dumps({**message, "fds": fds} if fds else message, separators=(",", ":")).encode()
    if len(body) > FRAME_LIMIT:
        raise FrameTooLarge(len(body))
    return _LENGTH.pack(len(body)) + body


class FrameReader:
    """Puts pieces of a stream and the descriptors that came along together to messages.

    Owns the descriptors until a message takes them.
    """

    def __init__(self) -> None:
        """Begin at the start of a frame."""
        self._buffer = bytearray()
        self._fds: deque[int] = deque()

    def feed(self, piece: bytes, fds: Sequence[int] = ()) -> list[tuple[Message, list[int]]]:
        """Take what arrived and return the messages that it completes, oldest first.

        Raises:
            WireClosed: This is not our protocol; every descriptor not yet handed out is closed.
        """
        self._buffer += piece
        self._fds.extend(fds)
        messages: list[tuple[Message, list[int]]] = []
        try:
            while (message := self._next()) is not None:
                messages.append(message)
            if len(self._fds) > _WAITING_FDS_LIMIT:
                raise WireClosed("more descriptors arrived than were announced")
        except WireClosed:
            for _, taken in messages:
                self._fds.extend(taken)
            self.close()
            raise
        return messages

    def close(self) -> None:
        """Close the descriptors that no message took."""
        while self._fds:
            os.close(self._fds.popleft())

    def _next(self) -> tuple[Message, list[int]] | None:
        if len(self._buffer) < _LENGTH.size:
            return None
        (length,) = _LENGTH.unpack_from(self._buffer)
        if length > FRAME_LIMIT:
            raise WireClosed(f"a frame announces {length} bytes, the limit is {FRAME_LIMIT}")
        end = _LENGTH.size + length
        if len(self._buffer) < end:
            return None
        body = bytes(self._buffer[_LENGTH.size : end])
        del self._buffer[:end]
        try:
            message: object = json.loads(body)
        except ValueError as fault:
            raise WireClosed("a frame holds no JSON") from fault
        if not isinstance(message, dict):
            raise WireClosed("a frame holds no object")
        return self._with_fds(cast("Message", message))

    def _with_fds(self, message: Message) -> tuple[Message, list[int]]:
        count = message.pop("fds", 0)
        # The kernel delivers descriptors with the first byte of what they were sent with.
        if not isinstance(count, int) or not 0 <= count <= min(FDS_LIMIT, len(self._fds)):
            raise WireClosed("a frame announces descriptors that did not come")
        return message, [self._fds.popleft() for _ in range(count)]


class Channel:
    """One end of a connection, for any event loop that can watch a descriptor.

    Owns the socket. Descriptors to be sent are duplicated at once, so the caller may close its own.
    """

    def __init__(self, sock: socket.socket) -> None:
        """Take the socket over and make it non-blocking."""
        sock.setblocking(False)
        self._socket = sock
        self._reader = FrameReader()
        self._outbox: deque[tuple[memoryview, list[int]]] = deque()
        self._queued = 0
        self.closed = False

    def fileno(self) -> int:
        """Return the socket's descriptor."""
        return self._socket.fileno()

    @property
    def wants_write(self) -> bool:
        """Whether something waits until the peer reads."""
        return bool(self._outbox)

    def receive(self) -> list[tuple[Message, list[int]]]:
        """Return the messages that one read completes; their descriptors are the caller's.

        Raises:
            WireClosed: The peer closed, or broke the protocol.
        """
        room = socket.CMSG_SPACE(FDS_LIMIT * 4)
        try:
            piece, ancillary, flags, _ = self._socket.recvmsg(
                _PIECE, room, getattr(socket, "MSG_CMSG_CLOEXEC", 0)
            )
        except BlockingIOError:
            return []
        except OSError as fault:
            raise WireClosed(str(fault)) from fault
        fds = _descriptors(ancillary)
        if not piece or flags & socket.MSG_CTRUNC:
            for fd in fds:
                os.close(fd)
            raise WireClosed("the peer closed the connection")
        return self._reader.feed(piece, fds)

    def send(self, message: Message, fds: Sequence[int] = ()) -> None:
        """Queue a message and send what goes at once; `flush` sends the rest.

        Raises:
            FrameTooLarge: The message is over the limit; nothing was queued.
            WireClosed: The peer is gone, or has not read for too long.
        """
        frame = encode(message, len(fds))
        if self.closed or self._queued + len(frame) > OUTBOX_LIMIT:
            raise WireClosed("the peer is gone" if self.closed else "the peer does not read")
        self._outbox.append((memoryview(frame), [os.dup(fd) for fd in fds]))
        self._queued += len(frame)
        self.flush()

    def flush(self) -> None:
        """Send what the peer takes now.

        Raises:
            WireClosed: The peer is gone.
        """
        while self._outbox:
            frame, fds = self._outbox[0]
            ancillary = (
                [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", fds))] if fds else []
            )
            try:
                sent = self._socket.sendmsg([frame], ancillary)
            except BlockingIOError:
                return
            except OSError as fault:
                raise WireClosed(str(fault)) from fault
            for fd in fds:
                os.close(fd)
            self._queued -= sent
            if sent == len(frame):
                self._outbox.popleft()
            else:
                self._outbox[0] = (frame[sent:], [])

    def close(self) -> None:
        """Close the socket and every descriptor still on its way; harmless the second time."""
        self.closed = True
        self._reader.close()
        while self._outbox:
            for fd in self._outbox.popleft()[1]:
                with contextlib.suppress(OSError):
                    os.close(fd)
        self._socket.close()


def _descriptors(ancillary: Sequence[tuple[int, int, bytes]]) -> list[int]:
    fds = array.array("i")
    for level, kind, payload in ancillary:
        if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
            fds.frombytes(payload[: len(payload) - len(payload) % fds.itemsize])
    for fd in fds:
        os.set_inheritable(fd, False)
    return list(fds)


def peer_uid(sock: socket.socket) -> int | None:
    """Return the user who connected, or None where the system does not tell."""
    if hasattr(socket, "SO_PEERCRED"):
        raw = sock.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        return int(struct.unpack("3i", raw)[1])
    if sys.platform == "darwin":
        # LOCAL_PEERCRED fills a struct xucred: version, uid, number of groups, groups.
        raw = sock.getsockopt(0, 0x001, 76)
        return int(struct.unpack_from("I", raw, 4)[0])
    return None
