"""The names of the ASGI interface and the scopes that a request becomes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, TypeAlias

from luvus_bridge.envelope import Request

Scope: TypeAlias = MutableMapping[str, Any]
Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
App: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]

PREFIX = "/uhp/v1/"
IS_A_STREAM = 426
"""The status by which the app says that a path is served as a WebSocket."""

_CONTENT_TYPE = (b"content-type", b"application/json")
_VERSIONS = {"version": "3.0", "spec_version": "2.4"}


def call_scope(request: Request) -> Scope:
    """Return the scope of a request as an HTTP call."""
    return {
        "type": "http",
        "method": "POST",
        "scheme": "http",
        **_common(request),
    }


def stream_scope(request: Request) -> Scope:
    """Return the scope of the same request as a WebSocket."""
    scope = _common(request)
    scope["extensions"]["websocket.http.response"] = {}
    return {"type": "websocket", "scheme": "ws", "subprotocols": [], **scope}


def _common(request: Request) -> dict[str, Any]:
    # The envelope admits only characters that need no escape in a path.
    path = PREFIX + request.method
    headers: list[tuple[bytes, bytes]] = [_CONTENT_TYPE]
    if request.auth is not None:
        headers.append((b"authorization", b"Bearer " + request.auth.encode()))
    return {
        "asgi": _VERSIONS,
        "http_version": "1.1",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "root_path": "",
        "headers": headers,
        "client": None,
        "server": None,
        "extensions": {
            "luvus.envelope": {"extra": list(request.extra), "params": request.params_kind}
        },
    }
