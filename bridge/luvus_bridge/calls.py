"""Runs the ASGI app by hand for one request: one answer, or a stream when the app says so.

Knows the app and a `Peer`; knows no socket and no method. What the app raises passes through.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Protocol, cast

from luvus_bridge.asgi import IS_A_STREAM, App, Message, call_scope, stream_scope
from luvus_bridge.envelope import NO_ID, Request
from luvus_bridge.limits import Limits
from luvus_bridge.ndjson import FrameTooLarge, one_line
from luvus_bridge.replies import acknowledge, error_line, internal_line, wrap

IGNORES_INPUT = (b"x-luvus-input", b"ignored")
"""The header by which an app says of a stream that it reads nothing of its client."""
NORMAL_CLOSE = 1000
LINE_TOO_LARGE = 1009
SERVER_STOPS = 1012


class ClientGone(OSError):
    """Nobody reads what the app sends any more."""


def is_client_gone(error: BaseException) -> bool:
    """Say whether an error, or every error of a group, only means that the client left."""
    if isinstance(error, BaseExceptionGroup):
        group = cast("BaseExceptionGroup[BaseException]", error)
        return all(is_client_gone(each) for each in group.exceptions)
    return isinstance(error, ClientGone)


class Peer(Protocol):
    """What a call needs of the connection it answers."""

    async def gone(self) -> None:
        """Return when the client has left for good; a closed sending side is not that."""
        ...

    def begin_stream(self) -> None:
        """Keep what the client sends from now on for `next_line`."""
        ...

    async def next_line(self) -> bytes | None:
        """Return the client's next line, None when there will be no more.

        Raises:
            FrameTooLarge: The line is over the cap.
        """
        ...

    def skip_line(self) -> None:
        """Drop the line that was over the cap, and go on behind it."""
        ...

    @property
    def stopping(self) -> bool:
        """Whether the server, not the client, is why there are no more lines."""
        ...

    async def write_line(self, line: bytes, *, first: bool) -> None:
        """Write one line and return when the kernel has it.

        Raises:
            ClientGone: The client left, or did not read in time.
        """
        ...


async def answer(app: App, request: Request, peer: Peer, limits: Limits) -> bytes:
    """Run the app for one request.

    Returns the answer, or nothing when a stream has written its lines itself.
    """
    exchange = _Exchange(request, peer, limits.frame_bytes)
    await app(call_scope(request), exchange.receive, exchange.send)
    if exchange.status == IS_A_STREAM:
        stream = _Stream(request, peer, limits.frame_bytes)
        await app(stream_scope(request), stream.receive, stream.send)
        return stream.refusal()
    return exchange.line()


class _Exchange:
    """One HTTP call; its body is kept, up to the frame cap, until the app has returned."""

    __slots__ = (
        "_body",
        "_complete",
        "_limit",
        "_peer",
        "_read",
        "_request",
        "_size",
        "status",
    )

    def __init__(self, request: Request, peer: Peer, limit: int) -> None:
        self._request = request
        self._peer = peer
        self._limit = limit
        self._read = False
        self._body: list[bytes] = []
        self._size = 0
        self._complete = False
        self.status = 0

    async def receive(self) -> Message:
        if not self._read:
            self._read = True
            return {"type": "http.request", "body": self._request.params, "more_body": False}
        if not self._complete:
            await self._peer.gone()
        return {"type": "http.disconnect"}

    async def send(self, message: Message) -> None:
        kind = message["type"]
        if kind == "http.response.start":
            self.status = message["status"]
        elif kind == "http.response.body":
            piece = message.get("body", b"")
            self._size += len(piece)
            if self._size <= self._limit:
                self._body.append(piece)
            else:
                self._body.clear()
            self._complete = not message.get("more_body", False)

    def line(self) -> bytes:
        if self._size > self._limit:
            return error_line(
                self._request.id,
                "internal",
                f"the answer is larger than the limit of {self._limit} bytes; ask for less",
            )
        body = self._body[0] if len(self._body) == 1 else b"".join(self._body)
        key = "result" if self.status == 200 else "error"
        return wrap(self._request.id, key, body, limit=self._limit)


class _Stream:
    """One WebSocket over a connection of lines."""

    __slots__ = (
        "_acknowledged",
        "_closed",
        "_deaf",
        "_denial",
        "_limit",
        "_peer",
        "_request",
        "_step",
    )

    def __init__(self, request: Request, peer: Peer, limit: int) -> None:
        self._request = request
        self._peer = peer
        self._limit = limit
        self._step = 0
        self._acknowledged = False
        self._closed = False
        self._deaf = False
        self._denial: list[bytes] = []

    async def receive(self) -> Message:
        self._step += 1
        if self._step == 1:
            return {"type": "websocket.connect"}
        if self._step == 2:
            return {"type": "websocket.receive", "text": self._request.params.decode()}
        if self._closed:
            return {"type": "websocket.disconnect", "code": NORMAL_CLOSE, "reason": ""}
        return await self._next()

    async def _next(self) -> Message:
        try:
            line = await self._peer.next_line()
        except FrameTooLarge:
            if self._deaf:
                self._peer.skip_line()
                return {"type": "websocket.receive", "bytes": b""}
            said = f"a line may have at most {self._limit} bytes with its line end"
            await self._say("frame_too_large", said)
            return self._disconnect(LINE_TOO_LARGE)
        if line is None:
            return self._disconnect(SERVER_STOPS if self._peer.stopping else NORMAL_CLOSE)
        try:
            return {"type": "websocket.receive", "text": line.decode()}
        except UnicodeDecodeError:
            # No text for a stream that takes some; nothing to one that only sends.
            return {"type": "websocket.receive", "bytes": line}

    def _disconnect(self, code: int) -> Message:
        self._closed = True
        return {"type": "websocket.disconnect", "code": code, "reason": ""}

    async def _say(self, code: str, message: str) -> None:
        """Tell a client why its stream ends, in a line that answers no action of its own."""
        if self._acknowledged:
            with suppress(ClientGone):
                await self._peer.write_line(error_line(NO_ID, code, message), first=False)

    async def send(self, message: Message) -> None:
        kind = message["type"]
        if kind == "websocket.accept":
            self._deaf = IGNORES_INPUT in message.get("headers", ())
            self._peer.begin_stream()
        elif kind == "websocket.send":
            await self._write(message)
        elif kind == "websocket.close":
            self._closed = True
            if not self._acknowledged and not self._denial:
                reason = message.get("reason") or "the stream was refused"
                self._denial.append(error_line(self._request.id, "forbidden", reason))
        elif kind == "websocket.http.response.body":
            body = message.get("body", b"")
            if sum(map(len, self._denial)) + len(body) <= self._limit:
                self._denial.append(body)

    async def _write(self, message: Message) -> None:
        text = message.get("text")
        body: bytes = message["bytes"] if text is None else text.encode()
        if not self._acknowledged:
            self._acknowledged = True
            line = acknowledge(self._request.id, body, limit=self._limit)
            await self._peer.write_line(line, first=True)
            return
        line = one_line(body) + b"\n"
        if len(line) > self._limit:
            raise ValueError(f"a stream line of {len(line)} bytes is over the cap")
        await self._peer.write_line(line, first=False)

    def refusal(self) -> bytes:
        """Return the answer of a stream that ended without an acknowledgement, else nothing."""
        if self._acknowledged:
            return b""
        if not self._denial:
            return internal_line(self._request.id)
        if self._denial[0][-1:] == b"\n":
            return self._denial[0]
        return wrap(self._request.id, "error", b"".join(self._denial), limit=self._limit)
