"""Asks an ASGI app directly, as a server would: one request or one WebSocket, no socket."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from luvus_web.asgi import App, Message, Scope

HOST = "127.0.0.1:8717"
ORIGIN = f"http://{HOST}"
OWN = {"host": HOST, "origin": ORIGIN, "x-luvus": "1"}
"""The headers of a request that the dashboard's own page makes."""


@dataclass(slots=True)
class Exchange:
    """What an app was given and what it sent."""

    scope: Scope
    given: asyncio.Queue[Message] = field(default_factory=asyncio.Queue)
    sent: list[Message] = field(default_factory=list)

    async def run(self, app: App) -> None:
        """Let the app answer."""
        await app(self.scope, self.given.get, self.send)

    async def send(self, message: Message) -> None:
        """Note what the app sends."""
        self.sent.append(message)

    @property
    def status(self) -> int | None:
        """The status of the response; None before it began or for a WebSocket."""
        starts = [m["status"] for m in self.sent if m["type"] == "http.response.start"]
        return starts[0] if starts else None

    @property
    def headers(self) -> dict[str, str]:
        """The headers of the response."""
        starts = [m["headers"] for m in self.sent if m["type"] == "http.response.start"]
        return {name.decode(): value.decode() for name, value in (starts[0] if starts else ())}

    @property
    def body(self) -> bytes:
        """The body of the response, as far as it was sent."""
        return b"".join(m.get("body", b"") for m in self.sent if m["type"] == "http.response.body")


def request(
    method: str,
    path: str,
    headers: Mapping[str, str] | None = None,
    body: bytes = b"",
) -> Exchange:
    """Return a request that is there whole."""
    exchange = Exchange(_scope("http", path, headers) | {"method": method})
    exchange.given.put_nowait({"type": "http.request", "body": body, "more_body": False})
    return exchange


def web_socket(path: str, headers: Mapping[str, str] | None = None) -> Exchange:
    """Return a WebSocket that asks to be let in."""
    exchange = Exchange(_scope("websocket", path, headers))
    exchange.given.put_nowait({"type": "websocket.connect"})
    return exchange


async def ask(app: App, exchange: Exchange) -> Exchange:
    """Let an app answer and return what it sent."""
    await exchange.run(app)
    return exchange


def _scope(kind: str, path: str, headers: Mapping[str, str] | None) -> dict[str, Any]:
    given = OWN if headers is None else headers
    return {
        "type": kind,
        "path": path,
        "headers": [(name.encode(), value.encode()) for name, value in given.items()],
    }


class Recorder:
    """An app that notes who came and answers everybody."""

    def __init__(self) -> None:
        self.seen: list[Scope] = []

    async def __call__(self, scope: Scope, receive: Any, send: Any) -> None:
        """Answer 200, or let a WebSocket in."""
        self.seen.append(scope)
        if scope["type"] == "websocket":
            await send({"type": "websocket.accept"})
            return
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"inner"})
