"""Both ends of an ASGI connection in memory: the app's `receive` and `send`, and the test's."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from typing import Any


class Wire:
    """One connection: a test puts messages in and looks at those that come out."""

    def __init__(self, *messages: Mapping[str, Any]) -> None:
        self.sent: list[dict[str, Any]] = []
        self.broken: Exception | None = None
        self._in: asyncio.Queue[Mapping[str, Any]] = asyncio.Queue()
        self._changed = asyncio.Event()
        for message in messages:
            self.put(message)

    def put(self, message: Mapping[str, Any]) -> None:
        """Let the app receive a message."""
        self._in.put_nowait(message)

    async def receive(self) -> dict[str, Any]:
        """Return the next message, once there is one."""
        return dict(await self._in.get())

    async def send(self, message: Any) -> None:
        """Take a message of the app, or fail as a broken connection does."""
        if self.broken is not None:
            raise self.broken
        self.sent.append(dict(message))
        self._changed.set()

    async def until(self, arrived: Callable[[], bool]) -> None:
        """Return once what was sent is what the test waits for."""
        async with asyncio.timeout(10):
            while not arrived():
                self._changed.clear()
                await self._changed.wait()

    async def until_sent(self, count: int) -> None:
        """Return once this many messages were sent."""
        await self.until(lambda: len(self.sent) >= count)

    @property
    def status(self) -> int:
        """The status of an HTTP response."""
        return int(self.sent[0]["status"])

    @property
    def headers(self) -> dict[bytes, bytes]:
        """The headers of an HTTP response."""
        return dict(self.sent[0]["headers"])

    @property
    def body(self) -> bytes:
        """The body of an HTTP response."""
        return b"".join(m["body"] for m in self.sent if m["type"] == "http.response.body")

    @property
    def json(self) -> Any:
        """The body of an HTTP response, read as JSON."""
        return json.loads(self.body)

    @property
    def texts(self) -> list[Any]:
        """What was sent over a WebSocket, each read as JSON, and the codes it was closed with."""
        return [
            json.loads(m["text"]) if m["type"] == "websocket.send" else m["code"]
            for m in self.sent
            if m["type"] in {"websocket.send", "websocket.close"}
        ]


def request(body: bytes = b"", *, more: bool = False) -> dict[str, Any]:
    """Return a message with a part of a body."""
    return {"type": "http.request", "body": body, "more_body": more}


def said(text: str | None = None, *, data: bytes | None = None) -> dict[str, Any]:
    """Return a message of a WebSocket client."""
    return {"type": "websocket.receive", "text": text, "bytes": data}


def http(
    path: str = "/uhp/v1/toy.show",
    method: str = "POST",
    *headers: tuple[bytes, bytes],
    **more: Any,
) -> dict[str, Any]:
    """Return the scope of a request."""
    return {
        "type": "http",
        "method": method,
        "path": path,
        "raw_path": path.encode(),
        "root_path": "",
        "query_string": b"",
        "headers": list(headers),
        **more,
    }


def websocket(*headers: tuple[bytes, bytes], **more: Any) -> dict[str, Any]:
    """Return the scope of a WebSocket."""
    return {**http("/uhp/v1/toy.watch", "GET", *headers), "type": "websocket", **more}


CONNECT = {"type": "websocket.connect"}
GONE = {"type": "websocket.disconnect", "code": 1001}
HUNG_UP = {"type": "http.disconnect"}
