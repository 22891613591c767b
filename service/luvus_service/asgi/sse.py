"""`GET` of a stream as server-sent events, resumable by `Last-Event-ID` or by a parameter.

A cursor that the server can no longer serve is answered by an explicit resync event followed by
live events, not by an error status: `EventSource` gives up for good on one.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

import orjson

from luvus_service.asgi.calls import send_json
from luvus_service.asgi.request import token_of
from luvus_service.asgi.status import status_of
from luvus_service.rpc.call import StreamClosed
from luvus_service.rpc.dispatch import Dispatcher, Prepared, error_bytes
from luvus_service.rpc.errors import Internal, InvalidRequest, RpcError
from luvus_service.rpc.wording import shown

if TYPE_CHECKING:
    from luvus_service.asgi.types import Receive, Scope, Send
    from luvus_service.rpc.models import Result

_log = logging.getLogger(__name__)

KEEP_ALIVE_S = 15.0
"""Seconds between comment lines that let a dead connection show itself."""
QUERY_BYTES = 4096
"""Longest query that is read."""
_DIGITS = 18
_HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
]


@dataclass(frozen=True, slots=True)
class SseRoute:
    """Which stream a path serves, and how a cursor reaches it."""

    method: str
    cursor: str
    """The parameter that takes the last sequence seen."""
    resync: str
    """The event that tells the client to read the state again."""


class SseStream:
    """A stream over one HTTP response."""

    def __init__(self, dispatcher: Dispatcher, receive: Receive, send: Send) -> None:
        self.scopes: frozenset[Any] = frozenset()
        self.prepared: Prepared | None = None
        self.started = False
        self._dispatcher = dispatcher
        self._receive = receive
        self._send = send
        self._lock = asyncio.Lock()

    async def acknowledge(self, result: Result) -> None:
        """Start the response; the acknowledgement itself is a comment."""
        await self.write(b": " + result.model_dump_json(by_alias=True).encode() + b"\n\n")

    async def send(self, frame: bytes) -> None:
        """Send one event frame."""
        event = orjson.loads(frame)
        await self.write(_event(event["event"], event["sequence"], frame))

    async def write(self, block: bytes) -> None:
        """Send a piece of the event stream, after the head of the response."""
        async with self._lock:
            try:
                if not self.started:
                    self.started = True
                    head = {
                        "type": "http.response.start",
                        "status": 200,
                        "headers": _HEADERS,
                    }
                    await self._send(head)
                await self._send({"type": "http.response.body", "body": block, "more_body": True})
            except (OSError, RuntimeError) as error:
                raise StreamClosed from error

    async def finish(self) -> None:
        """End the response."""
        try:
            await self._send({"type": "http.response.body", "body": b"", "more_body": False})
        except (OSError, RuntimeError) as error:
            raise StreamClosed from error

    async def incoming(self) -> AsyncIterator[bytes]:
        """Wait for the hang-up, which is all that a client can send, and keep the line alive."""
        waiting = asyncio.get_running_loop().create_task(self._hang_up())
        try:
            while not waiting.done():
                await asyncio.wait({waiting}, timeout=KEEP_ALIVE_S)
                if not waiting.done():
                    await self.write(b": keep-alive\n\n")
        finally:
            waiting.cancel()
        return
        yield b""  # makes this an asynchronous generator; nothing ever comes

    async def _hang_up(self) -> None:
        while (await self._receive())["type"] != "http.disconnect":
            pass

    def allowed(self) -> bool:
        """Say whether the token is still live."""
        return self.prepared is None or self._dispatcher.still_allowed(self.prepared)


async def answer_events(
    dispatcher: Dispatcher, route: SseRoute, scope: Scope, receive: Receive, send: Send
) -> None:
    """Serve a stream as server-sent events until the client leaves."""
    stream = SseStream(dispatcher, receive, send)
    try:
        auth = token_of(scope)
        cursor = _cursor(scope, route.cursor)
        params = {} if cursor is None else {route.cursor: cursor}
        try:
            await _open(dispatcher, route, stream, params, auth)
        except RpcError as error:
            if "sequence" not in error.extra or stream.started:
                raise
            sequence = int(error.extra["sequence"])
            data = {
                "event": route.resync,
                "sequence": sequence,
                "data": {"reason": error.code},
            }
            await stream.write(_event(route.resync, sequence, orjson.dumps(data)))
            await _open(dispatcher, route, stream, {}, auth)
        await stream.finish()
    except RpcError as error:
        if not stream.started:
            await send_json(send, status_of(error), error_bytes(error))
    except StreamClosed:
        return
    except Exception:  # noqa: BLE001 - the outermost place a stream can fail in
        _log.exception("stream %s failed", route.method)
        if not stream.started:
            failure = Internal(f"{route.method} failed unexpectedly; see the server's log")
            await send_json(send, status_of(failure), error_bytes(failure))


async def _open(
    dispatcher: Dispatcher,
    route: SseRoute,
    stream: SseStream,
    params: Any,
    auth: str | None,
) -> None:
    stream.prepared = dispatcher.prepare(route.method, orjson.dumps(params), auth=auth)
    stream.scopes = stream.prepared.caller.scopes
    await dispatcher.open(stream.prepared, stream)


def _cursor(scope: Scope, parameter: str) -> int | None:
    """Return where a client goes on.

    `EventSource` comes back with the address that it was given once, and with the header: what it
    has seen last counts before what the address says.
    """
    asked = _asked(scope, parameter)
    for name, value in scope["headers"]:
        if name == b"last-event-id":
            return _sequence("Last-Event-ID", str(value, "latin-1"))
    return asked


def _asked(scope: Scope, parameter: str) -> int | None:
    raw: bytes = scope.get("query_string", b"")
    if len(raw) > QUERY_BYTES:
        raise InvalidRequest(f"the query is larger than {QUERY_BYTES} bytes")
    given = parse_qsl(str(raw, "latin-1"), keep_blank_values=True)
    for name, _ in given:
        if name != parameter:
            raise InvalidRequest(
                f"unknown query parameter {shown(name)}; only `{parameter}` is known here"
            )
    if len(given) > 1:
        raise InvalidRequest(f"give `{parameter}` once")
    return _sequence(parameter, given[0][1]) if given else None


def _sequence(name: str, text: str) -> int:
    if not (text.isascii() and text.isdigit()) or len(text) > _DIGITS:
        raise InvalidRequest(f"`{name}` must be a sequence number, got {shown(text)}")
    return int(text)


def _event(name: str, sequence: int, data: bytes) -> bytes:
    return b"id: %d\nevent: %b\ndata: %b\n\n" % (sequence, name.encode(), data)
