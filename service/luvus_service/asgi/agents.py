"""`/luxe/v2/sessions`: opens agent sessions, a WebSocket for each, and an action by POST.

Only the owner, or a token that holds everything, may use it: an agent can run programs.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from luvus_service.asgi.calls import send_json
from luvus_service.asgi.frames import Frames, answer_frames
from luvus_service.asgi.request import Hung, body_of, token_of
from luvus_service.asgi.status import status_of
from luvus_service.rpc.dispatch import error_bytes
from luvus_service.rpc.errors import RpcError
from luvus_service.rpc.frame_lines import encode
from luvus_service.rpc.refusals import Refused

if TYPE_CHECKING:
    from luvus_service.asgi.types import Receive, Scope, Send

PREFIX = "/luxe/v2/"
CONTENT_BYTES = 32 * 1024 * 1024
"""The largest body; pictures are sent inside it."""
_SESSION = re.compile(r"/luxe/v2/sessions/([0-9a-f-]{1,64})")
_ACTION = re.compile(r"/luxe/v2/sessions/([0-9a-f-]{1,64})/([a-z_]{1,64})")
_STATUS = {
    "malformed": 400,
    "missing_field": 400,
    "invalid_field": 400,
    "unknown_action": 404,
    "not_found": 404,
    "github_writes_off": 403,
    "read_only": 403,
    "closing": 503,
    "failed": 500,
}
"""Of a refusal; 409 for every other one."""
_REFUSED = 1008


class Channel(Protocol):
    """One session."""

    def attach(self) -> Frames:
        """Return a new client's stream; its `shut` leaves the session open."""
        ...

    async def perform(self, kind: str, content: Any) -> None:
        """Do one action and return when it is done."""
        ...


class Agents(Protocol):
    """All sessions; every method raises `Refused` with the reason."""

    async def open(self, content: Any) -> bytes:
        """Open a session and return its first frame."""
        ...

    def find(self, session_id: str) -> Channel:
        """Return a session."""
        ...

    def listed(self) -> Sequence[object]:
        """Return all sessions as values that can be sent."""
        ...

    async def end(self, session_id: str) -> None:
        """Close a session."""
        ...


class AgentRoutes:
    """The routes of the agent."""

    def __init__(self, agents: Agents, admit: Callable[[str | None], None]) -> None:
        """`admit` raises when the holder of a token may not use an agent."""
        self._agents = agents
        self._admit = admit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request below `PREFIX`."""
        if scope["type"] == "websocket":
            await self._socket(scope, receive, send)
            return
        try:
            self._admit(token_of(scope))
            status, body = await self._answered(scope["method"], scope["path"], receive)
        except RpcError as error:
            status, body = status_of(error), error_bytes(error)
        except Refused as refused:
            status = _STATUS.get(refused.code, 409)
            body = encode({"code": refused.code, "message": refused.reason})
        except Hung:
            return
        await send_json(send, status, body)

    async def _answered(self, verb: str, path: str, receive: Receive) -> tuple[int, bytes]:
        if path == PREFIX + "sessions":
            if verb == "POST":
                return 201, await self._agents.open(_json(await body_of(receive)))
            if verb == "GET":
                return 200, encode({"sessions": list(self._agents.listed())})
        elif (found := _SESSION.fullmatch(path)) and verb == "DELETE":
            await self._agents.end(found[1])
            return 200, b"{}"
        elif (found := _ACTION.fullmatch(path)) and verb == "POST":
            channel = self._agents.find(found[1])
            await channel.perform(found[2], _json(await body_of(receive, CONTENT_BYTES)))
            return 200, b"{}"
        raise Refused("not_found", f"nothing answers {verb} {path[:200]}")

    async def _socket(self, scope: Scope, receive: Receive, send: Send) -> None:
        if (await receive())["type"] != "websocket.connect":
            return
        await send({"type": "websocket.accept"})
        found = _SESSION.fullmatch(scope["path"])
        try:
            self._admit(token_of(scope))
            frames = self._agents.find(found[1] if found else "").attach()
        except RpcError as error:
            await _refuse(send, error_bytes(error))
            return
        except Refused as refused:
            await _refuse(send, encode({"code": refused.code, "message": refused.reason}))
            return
        await answer_frames(frames, receive, _as_text(send))


def _as_text(send: Send) -> Send:
    """Return a sender that browsers read text from."""

    async def sending(message: Any) -> None:
        if message["type"] == "websocket.send":
            message = {"type": "websocket.send", "text": message["bytes"].decode()}
        try:
            await send(message)
        except RuntimeError as error:
            raise OSError(str(error)) from error

    return sending


async def _refuse(send: Send, error: bytes) -> None:
    await send({"type": "websocket.send", "text": '{"error":' + error.decode() + "}"})
    await send({"type": "websocket.close", "code": _REFUSED})


def _json(body: bytes) -> Any:
    if not body.strip():
        return None
    try:
        return json.loads(body)
    except (ValueError, RecursionError) as error:
        raise Refused("malformed", f"the body is no JSON: {error}") from None
