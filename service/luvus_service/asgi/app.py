"""The ASGI app: one path per method, streams on the same paths, and the pages around them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from luvus_service.asgi.agents import PREFIX as AGENTS
from luvus_service.asgi.calls import answer_call
from luvus_service.asgi.sse import SseRoute, answer_events
from luvus_service.asgi.streams import answer_stream
from luvus_service.rpc.dispatch import Dispatcher, error_bytes
from luvus_service.rpc.errors import InvalidRequest

if TYPE_CHECKING:
    from luvus_service.asgi.types import App, Receive, Scope, Send

PREFIX = "/uhp/v1/"
_NAME = re.compile(r"[A-Za-z0-9._-]{1,128}")


def build_app(
    dispatcher: Dispatcher,
    *,
    openapi: Callable[[], bytes],
    health: Callable[[], Mapping[str, object]],
    sse: Mapping[str, SseRoute],
    agents: App | None = None,
) -> App:
    """Return the app; `agents` answers what lies below the prefix of agent sessions.

    `openapi` is asked once, at the first request for it. `sse` maps a name under the prefix to
    the stream it serves on GET.
    """
    others: list[App] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        path: str = scope.get("path", "")
        if agents is not None and path.startswith(AGENTS):
            await agents(scope, receive, send)
            return
        if not path.startswith(PREFIX):
            if not others:
                # Starlette serves these pages alone; a server that shows none starts without it.
                from luvus_service.asgi.pages import build_pages

                others.append(build_pages(openapi, health))
            await others[0](scope, receive, send)
            return
        name = path[len(PREFIX) :]
        if scope["type"] == "websocket":
            await answer_stream(dispatcher, name, scope, receive, send)
        elif scope["method"] == "POST":
            await answer_call(dispatcher, name, scope, receive, send)
        elif scope["method"] == "GET" and name in sse:
            await answer_events(dispatcher, sse[name], scope, receive, send)
        else:
            await _wrong_verb(name, scope["method"], send)

    return app


async def _wrong_verb(name: str, verb: str, send: Send) -> None:
    shown = name if _NAME.fullmatch(name) else "a method"
    error = InvalidRequest(f"{verb} does not call {shown}; send POST with the parameters as JSON")
    body = error_bytes(error)
    headers = [
        (b"content-type", b"application/json"),
        (b"allow", b"POST"),
        (b"content-length", b"%d" % len(body)),
    ]
    await send({"type": "http.response.start", "status": 405, "headers": headers})
    await send({"type": "http.response.body", "body": body})
