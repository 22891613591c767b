"""The names of the ASGI interface, and the few answers that need no framework."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, TypeAlias

import orjson

Scope: TypeAlias = MutableMapping[str, Any]
Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
App: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]
Header: TypeAlias = tuple[bytes, bytes]


class TooLarge(Exception):
    """A body is larger than its limit."""


class Gone(Exception):
    """The client left before its request was complete."""


def header(scope: Scope, name: bytes) -> str | None:
    """Return a request header; None when it is missing or given more than once."""
    found = [value for key, value in scope["headers"] if key == name]
    return found[0].decode("latin-1") if len(found) == 1 else None


def has_header(scope: Scope, name: bytes) -> bool:
    """Say whether a request has this header at all."""
    return any(key == name for key, _ in scope["headers"])


async def body_of(receive: Receive, limit: int) -> bytes:
    """Return the whole body.

    Raises:
        TooLarge: It is longer than `limit` bytes.
        Gone: The client left.
    """
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Gone
        body += message.get("body", b"")
        if len(body) > limit:
            raise TooLarge
        if not message.get("more_body", False):
            return bytes(body)


async def answer(
    send: Send, status: int, body: bytes, kind: str, headers: tuple[Header, ...] = ()
) -> None:
    """Write a whole response."""
    head = [
        (b"content-type", kind.encode()),
        (b"content-length", b"%d" % len(body)),
        *headers,
    ]
    await send({"type": "http.response.start", "status": status, "headers": head})
    await send({"type": "http.response.body", "body": body})


async def answer_json(
    send: Send, status: int, value: object, headers: tuple[Header, ...] = ()
) -> None:
    """Write a JSON response that nobody keeps."""
    fresh = ((b"cache-control", b"no-store"), *headers)
    await answer(send, status, orjson.dumps(value), "application/json", fresh)


async def refuse(scope: Scope, receive: Receive, send: Send, status: int, message: str) -> None:
    """Refuse a request or a WebSocket before anything else has looked at it.

    A WebSocket is refused before it is accepted, so that its client sees a failed handshake.
    """
    if scope["type"] == "websocket":
        if (await receive())["type"] == "websocket.connect":
            await send({"type": "websocket.close", "code": 1008, "reason": message[:100]})
        return
    body = {"code": "forbidden", "message": message}
    await answer_json(send, status, body, ((b"connection", b"close"),))
