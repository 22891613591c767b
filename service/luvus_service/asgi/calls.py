"""`POST /uhp/v1/<method>`: one call, its result or its error object."""

from __future__ import annotations

from typing import TYPE_CHECKING

from luvus_service.asgi.request import (
    Hung,
    body_of,
    envelope_of,
    noticing_hang_up,
    token_of,
)
from luvus_service.asgi.status import status_of
from luvus_service.rpc.call import Call
from luvus_service.rpc.dispatch import Dispatcher, error_bytes
from luvus_service.rpc.errors import RpcError

if TYPE_CHECKING:
    from luvus_service.asgi.types import Receive, Scope, Send

JSON = (b"content-type", b"application/json")


async def answer_call(
    dispatcher: Dispatcher, name: str, scope: Scope, receive: Receive, send: Send
) -> None:
    """Run one call and write its answer."""
    try:
        body = await _run(dispatcher, name, scope, receive)
        status = 200
    except RpcError as error:
        body, status = error_bytes(error), status_of(error)
    except Hung:
        return
    await send_json(send, status, body)


async def _run(dispatcher: Dispatcher, name: str, scope: Scope, receive: Receive) -> bytes:
    auth = token_of(scope)
    params = await body_of(receive)
    envelope = envelope_of(scope)
    bound = dispatcher.registry.find(name)
    call = Call()
    if bound is None or not bound.spec.takes_call:
        return await dispatcher.call(name, params, auth=auth, envelope=envelope, call=call)
    async with noticing_hang_up(receive, call):
        try:
            return await dispatcher.call(name, params, auth=auth, envelope=envelope, call=call)
        except RpcError as error:
            refused = error
    raise refused


async def send_json(send: Send, status: int, body: bytes) -> None:
    """Write a whole JSON response."""
    headers = [JSON, (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
