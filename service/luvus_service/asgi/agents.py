"""`/luxe/v2/`: opens agent sessions, a WebSocket for each and one for their list, actions by POST.

Looking needs the scope `read`; everything else needs every scope: an agent can run programs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias
from urllib.parse import parse_qs

from luvus_service.asgi.admitted import Admitted, ClientFrames
from luvus_service.asgi.calls import send_json
from luvus_service.asgi.frames import DONE, Frames, answer_frames
from luvus_service.asgi.request import Hung, body_of, token_of
from luvus_service.asgi.status import status_of
from luvus_service.rpc.dispatch import error_bytes
from luvus_service.rpc.errors import RpcError
from luvus_service.rpc.frame_lines import encode, read_json
from luvus_service.rpc.refusals import Refused
from luvus_service.rpc.scopes import Access

if TYPE_CHECKING:
    from luvus_service.asgi.types import Receive, Scope, Send

PREFIX = "/luxe/v2/"
CONTENT_BYTES = 32 * 1024 * 1024
"""The largest body; pictures are sent inside it."""
QUERY_BYTES = 16_384
_ID = r"/luxe/v2/sessions/([0-9a-f-]{1,64})"
_SESSION = re.compile(_ID)
_PICTURE = re.compile(_ID + r"/pictures/([0-9a-f]{64})")
_ACTION = re.compile(_ID + r"/([a-z_]{1,64})")
STATUS = {
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
"""Of a refusal by its code."""
OTHERWISE = 409
"""Of every other one."""
_REFUSED = 1008
_RESTARTS = 1012
"""Closes the streams of a server that ends."""
_PICTURES = {
    b"\x89PNG": b"image/png",
    b"\xff\xd8\xff": b"image/jpeg",
    b"GIF8": b"image/gif",
    b"RIFF": b"image/webp",
}
"""By their first bytes; nothing else is ever served."""
Admit: TypeAlias = Callable[[str | None, Access], None]


class Channel(Protocol):
    """One session."""

    def attach(self) -> ClientFrames:
        """Return a new client's stream; its `shut` leaves the session open."""
        ...

    def shown(self) -> object:
        """Return the session and what waits for an answer, as a value that can be sent."""
        ...

    def picture(self, sha256: str) -> bytes:
        """Return a picture of its transcript."""
        ...

    async def perform(self, kind: str, content: Any) -> None:
        """Do one action and return when it is done."""
        ...


class Agents(Protocol):
    """All sessions; every method raises `Refused` with the reason."""

    leaving: bool
    """Whether the server ends; the next one has the sessions again."""

    async def open(self, content: Any) -> bytes:
        """Open a session and return its first frame."""
        ...

    async def find(self, session_id: str) -> Channel:
        """Return a session; one of an earlier server is loaded now."""
        ...

    def listed(self) -> Sequence[object]:
        """Return all sessions as values that can be sent."""
        ...

    def watch(self) -> Frames:
        """Return the list as a stream."""
        ...

    async def stored(self, cwd: str) -> Sequence[object]:
        """Return the sessions of a folder that are on the disk."""
        ...

    async def models(self) -> Sequence[object]:
        """Return the models that can be selected."""
        ...

    async def end(self, session_id: str) -> None:
        """Close a session."""
        ...


class AgentRoutes:
    """The routes of the agent."""

    def __init__(self, agents: Agents, admit: Admit) -> None:
        """`admit` raises when the holder of a token may not look at agents, or act on them."""
        self._agents = agents
        self._admit = admit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request below `PREFIX`."""
        if scope["type"] == "websocket":
            await self._socket(scope, receive, send)
            return
        try:
            looks = scope["method"] == "GET"
            self._admit(token_of(scope), Access.READ if looks else Access.WRITE)
            if looks and (found := _PICTURE.fullmatch(scope["path"])):
                channel = await self._agents.find(found[1])
                await _send_picture(send, channel.picture(found[2]))
                return
            answered = self._looked(scope) if looks else self._acted(scope, receive)
            status, body = await answered
        except RpcError as error:
            status, body = status_of(error), error_bytes(error)
        except Refused as refused:
            status = STATUS.get(refused.code, OTHERWISE)
            body = encode({"code": refused.code, "message": refused.reason})
        except Hung:
            return
        await send_json(send, status, body)

    async def _looked(self, scope: Scope) -> tuple[int, bytes]:
        path: str = scope["path"]
        if path == PREFIX + "sessions":
            return 200, encode({"sessions": list(self._agents.listed())})
        if path == PREFIX + "stored":
            return 200, encode({"sessions": list(await self._agents.stored(_folder(scope)))})
        if path == PREFIX + "models":
            # It asks the providers with the owner's keys.
            self._admit(token_of(scope), Access.WRITE)
            return 200, encode({"models": list(await self._agents.models())})
        if found := _SESSION.fullmatch(path):
            return 200, encode((await self._agents.find(found[1])).shown())
        raise _nothing(scope)

    async def _acted(self, scope: Scope, receive: Receive) -> tuple[int, bytes]:
        verb, path = scope["method"], scope["path"]
        if verb == "POST" and path == PREFIX + "sessions":
            return 201, await self._agents.open(_json(await body_of(receive)))
        if verb == "DELETE" and (found := _SESSION.fullmatch(path)):
            await self._agents.end(found[1])
            return 200, b"{}"
        if verb == "POST" and (found := _ACTION.fullmatch(path)):
            channel = await self._agents.find(found[1])
            await channel.perform(found[2], _json(await body_of(receive, CONTENT_BYTES)))
            return 200, b"{}"
        raise _nothing(scope)

    async def _socket(self, scope: Scope, receive: Receive, send: Send) -> None:
        if (await receive())["type"] != "websocket.connect":
            return
        await send({"type": "websocket.accept"})
        try:
            token = token_of(scope)
            self._admit(token, Access.READ)
            frames = await self._opened(scope["path"])
        except RpcError as error:
            await _refuse(send, error_bytes(error))
            return
        except Refused as refused:
            await _refuse(send, encode({"code": refused.code, "message": refused.reason}))
            return
        checked = Admitted(frames, lambda access: self._admit(token, access))
        await answer_frames(checked, receive, _as_text(send), self._end_code)

    def _end_code(self) -> int:
        # Whoever reads it tries again, instead of taking the session for closed.
        return _RESTARTS if self._agents.leaving else DONE

    async def _opened(self, path: str) -> ClientFrames | Frames:
        if path == PREFIX + "sessions":
            return self._agents.watch()
        found = _SESSION.fullmatch(path)
        return (await self._agents.find(found[1] if found else "")).attach()


async def _send_picture(send: Send, picture: bytes) -> None:
    kind = next((k for first, k in _PICTURES.items() if picture.startswith(first)), None)
    if kind is None:
        raise Refused("not_found", "this picture is of no kind that is shown")
    headers = [
        (b"content-type", kind),
        (b"content-length", b"%d" % len(picture)),
        (b"cache-control", b"private, max-age=86400, immutable"),
        (b"x-content-type-options", b"nosniff"),
    ]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": picture})


def _folder(scope: Scope) -> str:
    raw: bytes = scope.get("query_string", b"")
    if len(raw) > QUERY_BYTES:
        raise Refused("invalid_field", f"the query has more than {QUERY_BYTES} bytes")
    found = parse_qs(raw.decode("latin-1"), errors="replace").get("cwd", [])
    if len(found) != 1:
        raise Refused("missing_field", "missing field `cwd`: name one folder as `?cwd=`")
    return found[0]


def _nothing(scope: Scope) -> Refused:
    return Refused("not_found", f"nothing answers {scope['method']} {scope['path'][:200]}")


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
        return read_json(body.decode())
    except ValueError as error:
        raise Refused("malformed", f"the body is no JSON: {error}") from None
