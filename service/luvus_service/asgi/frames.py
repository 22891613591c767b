"""A WebSocket whose messages are the frames of one session, both ways."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from luvus_service.asgi.types import App, Receive, Scope, Send

_log = logging.getLogger(__name__)

PATH = "/rpc"
LINE_BYTES = 32 * 1024 * 1024
TOO_LONG = "luvus.line_too_long"
"""Set in a message's `extensions` by a bridge that left out a line over the limit."""
DONE = 1000
_TAKEN = 4409


class Frames(Protocol):
    """A session as a stream of frames each way."""

    def deliver(self, line: bytes) -> None:
        """Take one inbound line; never blocks."""
        ...

    def deliver_too_long(self, limit: int) -> None:
        """Answer a line that was left out."""
        ...

    def lines(self) -> AsyncIterator[bytes]:
        """Yield the outbound lines until the session has closed."""
        ...

    def shut(self) -> None:
        """Begin to close the session."""
        ...


def frames_app(frames: Frames) -> App:
    """Return the app of one session with one client."""
    taken = False

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        nonlocal taken
        if scope["type"] != "websocket" or scope["path"] != PATH:
            raise ValueError(f"only a WebSocket on {PATH} is served here")
        if (await receive())["type"] != "websocket.connect":
            return
        await send({"type": "websocket.accept"})
        if taken:
            await send({"type": "websocket.close", "code": _TAKEN})
            return
        taken = True
        await answer_frames(frames, receive, send)

    return app


def _done() -> int:
    return DONE


async def answer_frames(
    frames: Frames, receive: Receive, send: Send, end_code: Callable[[], int] = _done
) -> None:
    """Carry frames until the session has closed; a client that leaves closes it.

    `end_code` returns what the socket is closed with then.
    """

    async def read() -> None:
        while True:
            message = await receive()
            if message["type"] != "websocket.receive":
                frames.shut()
                return
            if TOO_LONG in message.get("extensions", ()):
                frames.deliver_too_long(LINE_BYTES)
                continue
            text = message.get("text")
            frames.deliver(text.encode() if text is not None else message.get("bytes") or b"")

    reader = asyncio.get_running_loop().create_task(read(), name="frames in")
    gone = ended = False
    try:
        async for line in frames.lines():
            if gone:
                continue
            try:
                await send({"type": "websocket.send", "bytes": line})
            except OSError:
                # Whoever read this has gone; the session still closes in order.
                gone = True
                frames.shut()
        ended = True
        if not gone:
            with suppress(OSError):
                await send({"type": "websocket.close", "code": end_code()})
    finally:
        if not ended:
            # The login or the server of this client ended: it must not keep its place.
            frames.shut()
        reader.cancel()
        await asyncio.gather(reader, return_exceptions=True)
