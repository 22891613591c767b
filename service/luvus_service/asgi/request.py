"""What every route reads of a request: its token, its body, its envelope, its hang-up."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from luvus_service.rpc.dispatch import PLAIN, Envelope
from luvus_service.rpc.errors import FrameTooLarge, InvalidRequest

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from luvus_service.asgi.types import Receive, Scope
    from luvus_service.rpc.call import Call

BODY_BYTES = 1_048_576
"""Largest body, the size of a frame of the newline-JSON protocol."""
_AUTH_LENGTH = 256


class Hung(Exception):
    """The client went away before its request was complete."""


def token_of(scope: Scope) -> str | None:
    """Return the bearer token of a request, or None.

    Raises:
        InvalidRequest: There is an `Authorization` header that is no bearer token.
    """
    for name, value in scope["headers"]:
        if name == b"authorization":
            kind, _, token = value.partition(b" ")
            token = token.strip()
            if kind.lower() != b"bearer" or not token or len(token) > _AUTH_LENGTH:
                raise InvalidRequest("`Authorization` must be `Bearer <token>`")
            if not all(0x21 <= byte <= 0x7E for byte in token):
                raise InvalidRequest("the bearer token must be printable ASCII")
            return str(token, "ascii")
    return None


def envelope_of(scope: Scope) -> Envelope:
    """Return what the bridge noticed around the parameters; plain for HTTP clients."""
    extensions = scope.get("extensions")
    found = extensions.get("luvus.envelope") if extensions else None
    if found is None:
        return PLAIN
    return Envelope(tuple(found["extra"]), found["params"])


async def body_of(receive: Receive, limit: int = BODY_BYTES) -> bytes:
    """Return the whole body.

    Raises:
        FrameTooLarge: It is larger than `limit`.
        Hung: The client went away.
    """
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Hung
        part = message.get("body", b"")
        size += len(part)
        if size > limit:
            raise FrameTooLarge(f"the body is larger than {limit} bytes")
        parts.append(part)
        if not message.get("more_body", False):
            return parts[0] if len(parts) == 1 else b"".join(parts)


@asynccontextmanager
async def noticing_hang_up(receive: Receive, call: Call) -> AsyncGenerator[None]:
    """Set `call.gone` when the client hangs up while the body of the `with` runs."""

    async def watch() -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        call.gone.set()

    async with asyncio.TaskGroup() as group:
        watcher = group.create_task(watch())
        try:
            yield
        finally:
            watcher.cancel()
