"""Serves one agent on a port of the loopback interface until it is stopped or its pane closes."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import signal
import socket
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from luvus_client.agentapi import http, peers
from luvus_client.agentapi.http import Refused, Request
from luvus_client.agentapi.pane import NoAgent, PaneAgent
from luvus_client.agentapi.talk import EVENTS, NotReady, Talk
from luvus_client.errors import ClientError, ConnectionFailure, LuvusError

if TYPE_CHECKING:
    from collections.abc import Callable

    from luvus_client.agentapi.conversation import Message
    from luvus_client.async_caller import AsyncCaller
    from luvus_client.async_streaming import AsyncEventFeed

MOST_CONNECTIONS = 64
MOST_STREAMS = 32
"""Fewer than connections, so that readers of events never keep out messages."""
PING_S = 15.0
"""Between two comments on a quiet stream of events, which find out who has left."""

_STATUS_OF_CODE = {
    "forbidden": HTTPStatus.FORBIDDEN,
    "invalid_request": HTTPStatus.UNPROCESSABLE_ENTITY,
    "not_found": HTTPStatus.SERVICE_UNAVAILABLE,
    "agent_not_ready": HTTPStatus.CONFLICT,
    "agent_prompt_busy": HTTPStatus.CONFLICT,
}
_METHODS = {"/status": "GET", "/messages": "GET", "/events": "GET", "/message": "POST"}


class _Over(Exception):
    """Serving ends: it was stopped, or the pane closed."""


class Api:
    """Answers the requests of the contract over one talk."""

    def __init__(self, talk: Talk, group: asyncio.TaskGroup) -> None:
        self._talk = talk
        self._group = group
        self._connections: set[asyncio.Task[None]] = set()
        self._streams = 0

    def accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Take a connection; one too many is closed at once."""
        if len(self._connections) >= MOST_CONNECTIONS:
            writer.close()
            return
        task = self._group.create_task(self._connection(reader, writer))
        self._connections.add(task)
        task.add_done_callback(self._connections.discard)

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            # A client that went away has no use for an answer.
            with contextlib.suppress(OSError):
                await self._serve(reader, writer)
        finally:
            writer.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            _check_user(writer)
            request = await http.read_request(reader)
            if request is None:
                return
            if _checked(request) == "/events":
                await self._events(writer)
            else:
                await http.write_json(writer, await self._answer(request))
        except Refused as refused:
            await http.write_refusal(writer, refused)
        except (ClientError, NoAgent, NotReady) as error:
            await http.write_refusal(writer, refusal(error))

    async def _answer(self, request: Request) -> dict[str, Any]:
        if request.path == "/status":
            status = await self._talk.status()
            return {"status": status.word, "agent_type": status.agent}
        if request.path == "/messages":
            await self._talk.refresh()
            return {"messages": [_message(m) for m in self._talk.conversation.messages()]}
        return await self._post(http.json_object(request))

    async def _post(self, body: dict[str, Any]) -> dict[str, Any]:
        content, kind = body.get("content"), body.get("type")
        if not isinstance(content, str) or not content:
            raise Refused(HTTPStatus.UNPROCESSABLE_ENTITY, "content must be a text, not empty")
        if kind == "user":
            await self._talk.say(content)
        elif kind == "raw":
            await self._talk.type(content)
        else:
            raise Refused(HTTPStatus.UNPROCESSABLE_ENTITY, 'type must be "user" or "raw"')
        return {"ok": True}

    async def _events(self, writer: asyncio.StreamWriter) -> None:
        if self._streams >= MOST_STREAMS:
            raise Refused(
                HTTPStatus.SERVICE_UNAVAILABLE, f"{MOST_STREAMS} clients follow the events already"
            )
        self._streams += 1
        try:
            await self._talk.refresh()
            await http.write_stream_head(writer)
            await self._follow(writer)
        finally:
            self._streams -= 1

    async def _follow(self, writer: asyncio.StreamWriter) -> None:
        """Write what changed since the last look: a slow client gets fewer, newer events."""
        talk = self._talk
        seen, told, number = 0, None, 0
        while True:
            bell = talk.bell
            version, status = talk.conversation.version, talk.shown
            for message in talk.conversation.messages(seen):
                number += 1
                await http.write_event(writer, number, "message_update", _update(message))
            seen = version
            if status is not None and status != told:
                number += 1
                value = {"status": status.word, "agent_type": status.agent}
                await http.write_event(writer, number, "status_change", value)
                told = status
            try:
                async with asyncio.timeout(PING_S):
                    await bell.wait()
            except TimeoutError:
                await http.write(writer, b": still here\n\n")


def refusal(error: Exception) -> Refused:
    """Return the answer for what the session or the agent refused."""
    if isinstance(error, NotReady):
        return Refused(HTTPStatus.CONFLICT, str(error))
    if isinstance(error, NoAgent):
        return Refused(HTTPStatus.SERVICE_UNAVAILABLE, str(error))
    if isinstance(error, LuvusError):
        status = _STATUS_OF_CODE.get(error.code, HTTPStatus.BAD_GATEWAY)
        return Refused(status, str(error))
    if isinstance(error, ConnectionFailure) and error.possibly_executed:
        detail = f"{error}; it may have been carried out, so look before you send it again"
        return Refused(HTTPStatus.BAD_GATEWAY, detail)
    return Refused(HTTPStatus.BAD_GATEWAY, str(error))


def _checked(request: Request) -> str:
    method = _METHODS.get(request.path)
    if method is None:
        known = ", ".join(_METHODS)
        raise Refused(HTTPStatus.NOT_FOUND, f"there is nothing at this path; there are {known}")
    if request.method != method:
        raise Refused(HTTPStatus.METHOD_NOT_ALLOWED, f"{request.path} takes {method}")
    return request.path


def _check_user(writer: asyncio.StreamWriter) -> None:
    if not peers.is_ours(*peers.ends(writer.get_extra_info("socket"))):
        raise Refused(HTTPStatus.FORBIDDEN, "this agent belongs to another user of the machine")


def _message(message: Message) -> dict[str, Any]:
    return {
        "id": message.id,
        "role": message.role,
        "content": message.content,
        "time": message.time,
    }


def _update(message: Message) -> dict[str, Any]:
    value = _message(message)
    value["message"] = value.pop("content")
    return value


def listen(port: int) -> list[socket.socket]:
    """Bind the port on both loopback addresses, so that nobody else answers to `localhost`.

    Raises:
        OSError: It is taken.
    """
    first = socket.create_server(("127.0.0.1", port))
    try:
        chosen = first.getsockname()[1]
        return [first, socket.create_server(("::1", chosen), family=socket.AF_INET6)]
    except OSError as error:
        if error.errno in (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT):
            return [first]
        first.close()
        raise


async def serve(caller: AsyncCaller, pane: str, port: int, started: Callable[[int], None]) -> bool:
    """Serve the agent of a pane; return True when stopped and False when the pane closed.

    `started` is told the port once requests are answered.

    Raises:
        ClientError: The session cannot be reached.
        OSError: The port is taken.
    """
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    sockets = listen(port)
    try:
        await _until_stopped(caller, PaneAgent(caller, pane), sockets, stop, started)
    except* _Over:
        pass
    except* ClientError as group:
        raise group.exceptions[0] from None
    finally:
        for sock in sockets:
            sock.close()
    return stop.is_set()


async def _until_stopped(
    caller: AsyncCaller,
    agent: PaneAgent,
    sockets: list[socket.socket],
    stop: asyncio.Event,
    started: Callable[[int], None],
) -> None:
    # What ends it is raised inside the group, which cancels every connection and turn.
    async with asyncio.TaskGroup() as group, caller.follow(names=EVENTS) as feed:
        talk = Talk(agent, await agent.screen(), group)
        api = Api(talk, group)
        group.create_task(talk.keep_fresh())
        group.create_task(_watch(talk, feed))
        servers = [
            await asyncio.start_server(api.accept, sock=sock, limit=http.HEAD_BYTES)
            for sock in sockets
        ]
        try:
            started(sockets[0].getsockname()[1])
            await stop.wait()
            raise _Over
        finally:
            for server in servers:
                server.close()


async def _watch(talk: Talk, feed: AsyncEventFeed) -> None:
    async for item in feed:
        if not talk.notice(item):
            raise _Over
