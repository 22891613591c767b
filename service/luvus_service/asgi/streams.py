"""A WebSocket for every stream: parameters in, an acknowledgement, then frames both ways."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from luvus_service.asgi.request import envelope_of, token_of
from luvus_service.rpc.call import StreamClosed
from luvus_service.rpc.dispatch import Dispatcher, Prepared, error_bytes
from luvus_service.rpc.errors import Internal, InvalidRequest, RpcError

if TYPE_CHECKING:
    from luvus_service.asgi.types import Message, Receive, Scope, Send
    from luvus_service.rpc.models import Result

_log = logging.getLogger(__name__)

IGNORES_INPUT = (b"x-luvus-input", b"ignored")
"""The header of a stream that reads nothing of its client."""
GONE = 1000
REFUSED = 1008
FAILED = 1011


class SocketStream:
    """A stream over one accepted WebSocket."""

    def __init__(
        self, dispatcher: Dispatcher, prepared: Prepared, receive: Receive, send: Send
    ) -> None:
        self.scopes = prepared.caller.scopes
        self.acknowledged = False
        self._dispatcher = dispatcher
        self._prepared = prepared
        self._receive = receive
        self._send = send

    async def acknowledge(self, result: Result) -> None:
        """Send the acknowledgement."""
        self.acknowledged = True
        await self.send(b'{"result":' + result.model_dump_json(by_alias=True).encode() + b"}")

    async def send(self, frame: bytes) -> None:
        """Send one frame as text."""
        try:
            await self._send({"type": "websocket.send", "text": frame.decode()})
        except (OSError, RuntimeError) as error:
            raise StreamClosed from error

    async def incoming(self) -> AsyncIterator[bytes]:
        """Yield the client's frames until it hangs up."""
        while True:
            message = await self._receive()
            if message["type"] != "websocket.receive":
                return
            yield _bytes_of(message)

    def allowed(self) -> bool:
        """Say whether the token is still live."""
        return self._dispatcher.still_allowed(self._prepared)


async def answer_stream(
    dispatcher: Dispatcher, name: str, scope: Scope, receive: Receive, send: Send
) -> None:
    """Accept a WebSocket, read its parameters and run the stream until either side ends it."""
    if (await receive())["type"] != "websocket.connect":
        return
    await send(_acceptance(dispatcher, name))
    first = await receive()
    if first["type"] != "websocket.receive":
        return
    stream: SocketStream | None = None
    code = GONE
    try:
        prepared = _prepare(dispatcher, name, scope, _bytes_of(first))
        stream = SocketStream(dispatcher, prepared, receive, send)
        await dispatcher.open(prepared, stream)
    except RpcError as error:
        code = REFUSED
        await _refuse(send, error)
    except StreamClosed:
        return
    except Exception:  # noqa: BLE001 - the outermost place a stream can fail in
        code = FAILED
        _log.exception("stream %s failed", name)
        if stream is None or not stream.acknowledged:
            await _refuse(send, Internal(f"{name} failed unexpectedly; see the server's log"))
    await _close(send, code)


def _acceptance(dispatcher: Dispatcher, name: str) -> Message:
    bound = dispatcher.registry.find(name)
    if bound is None or not bound.spec.stream or bound.spec.listens:
        return {"type": "websocket.accept"}
    # Lets whoever frames the client's lines drop one that is too long to be kept.
    return {"type": "websocket.accept", "headers": [IGNORES_INPUT]}


def _bytes_of(message: Message) -> bytes:
    text: str | None = message.get("text")
    return text.encode() if text is not None else message.get("bytes") or b""


def _prepare(dispatcher: Dispatcher, name: str, scope: Scope, params: bytes) -> Prepared:
    prepared = dispatcher.prepare(name, params, auth=token_of(scope), envelope=envelope_of(scope))
    if not prepared.bound.spec.stream:
        raise InvalidRequest(f"{name} is no stream; POST to the same path")
    return prepared


async def _refuse(send: Send, error: RpcError) -> None:
    body = '{"error":' + error_bytes(error).decode() + "}"
    try:
        await send({"type": "websocket.send", "text": body})
    except (OSError, RuntimeError):
        _log.debug("a stream's client left before its refusal was sent")


async def _close(send: Send, code: int) -> None:
    try:
        await send({"type": "websocket.close", "code": code})
    except (OSError, RuntimeError):
        _log.debug("a stream's client left before the close was sent")
