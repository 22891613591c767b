"""Tools of MCP servers: each server is kept by one task, and its tools are offered when it is up.

A server that fails is failed, nothing else is. Which servers may be started is decided before.
"""

from __future__ import annotations

import asyncio
import hashlib
import importlib
import json
import logging
import os
import re
import signal
import uuid
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from luvus_service.adapters.tools import family
from luvus_service.adapters.tools.arguments import Prepared, failed
from luvus_service.adapters.tools.mcp_config import ServerSpec
from luvus_service.luxe.domain.limits import IMAGE_BYTES, IMAGES, OUTPUT_BYTES
from luvus_service.luxe.domain.permission_units import NamedUnit
from luvus_service.luxe.domain.tool_ports import (
    Outcome,
    PreparedCall,
    Preview,
    Progress,
    Tool,
    Workbench,
)
from luvus_service.luxe.domain.values import Image, Input, Mode, ToolKind

if TYPE_CHECKING:
    from mcp.client.session import ClientSession
    from mcp_types import CallToolResult

START_S = 30.0
"""From the start of a server to its list of tools."""
CALL_S = 120.0
TOOLS = 128
"""Of one server."""
PAGES = 20
NAME_CHARS = 64
DESCRIPTION_CHARS = 4_000
OUT_BYTES = OUTPUT_BYTES - 1_024
STOP_S = 2.0
"""How long a server may take to end by itself."""
KILLED_S = 2.0

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class Server:
    """One server and how it stands."""

    spec: ServerSpec
    state: Literal["starting", "ready", "failed", "stopped"] = "starting"
    reason: str | None = None
    tools: tuple[McpTool, ...] = ()
    session: ClientSession | None = None
    mark: str = field(default_factory=lambda: uuid.uuid4().hex)
    stop: asyncio.Event = field(default_factory=asyncio.Event)


class McpTool:
    """One tool of a server."""

    kind: ToolKind = "mcp"
    modes: frozenset[Mode] = frozenset({"build", "plan"})

    def __init__(
        self,
        server: Server,
        remote: str,
        description: str,
        parameters: Mapping[str, Any],
        *,
        reads_only: bool,
    ) -> None:
        """`remote` is the server's own name of it."""
        self.name = tool_name(server.spec.name, remote)
        self.description = description[:DESCRIPTION_CHARS]
        self.parameters = parameters
        self.reads_only = reads_only
        self._server = server
        self._remote = remote

    async def prepare(self, given: Input, bench: Workbench) -> PreparedCall:
        """Name the tool; its arguments are the server's to judge."""
        name = f"{self._server.spec.name}/{self._remote}"
        arguments = dict(given)
        shown = json.dumps(arguments, ensure_ascii=False, default=str)[:120]
        unit = NamedUnit("mcp", name, reads_only=self.reads_only)

        async def work(_progress: Progress) -> Outcome:
            return await self._call(arguments)

        return Prepared(Preview(f"{name} {shown}", (unit,)), work)

    async def _call(self, arguments: dict[str, Any]) -> Outcome:
        session, name = self._server.session, self._server.spec.name
        if session is None:
            return failed(f"the MCP server {name} is not running")
        try:
            async with asyncio.timeout(CALL_S):
                result = await session.call_tool(self._remote, arguments)
        except TimeoutError:
            return Outcome(f"the MCP server {name} did not answer in {CALL_S:.0f} s", "timed_out")
        except Exception as fault:  # noqa: BLE001 - a server may make its library raise anything
            return failed(f"the MCP server {name} failed: {_sentence(fault)}")
        return _outcome(result)


class McpHub:
    """The servers of one session; the owner of their tasks."""

    def __init__(
        self,
        specs: Sequence[ServerSpec],
        *,
        cwd: str,
        changed: Callable[[], None] = lambda: None,
    ) -> None:
        """`changed` is called when the tools or a state changed."""
        self.servers = [Server(spec) for spec in specs]
        self._cwd = cwd
        self._changed = changed
        self._tasks: list[asyncio.Task[None]] = []

    def start(self) -> None:
        """Start all servers in the background."""
        loop = asyncio.get_running_loop()
        self._tasks = [
            loop.create_task(self._keep(server), name=f"mcp {server.spec.name}")
            for server in self.servers
        ]

    def tools(self) -> Sequence[Tool]:
        """Return the tools of the servers that are up."""
        found: dict[str, Tool] = {}
        for server in self.servers:
            for tool in server.tools:
                found.setdefault(tool.name, tool)
        return tuple(found.values())

    async def close(self) -> None:
        """End all servers, within 5 s."""
        for server in self.servers:
            server.stop.set()
        if not self._tasks:
            return
        _, late = await asyncio.wait(self._tasks, timeout=STOP_S)
        # Also those whose task has ended: a server may have left children in other groups.
        for server in self.servers:
            left = await asyncio.to_thread(family.members, -1, server.mark)
            family.send(left, signal.SIGKILL)
        if late:
            _, late = await asyncio.wait(late, timeout=KILLED_S)
        for task in late:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._tasks = []

    async def _keep(self, server: Server) -> None:
        try:
            # A second of imports belongs into a thread.
            await asyncio.to_thread(_import_library)
            async with AsyncExitStack() as stack:
                async with asyncio.timeout(START_S):
                    await self._connect(server, stack)
                self._changed()
                await server.stop.wait()
            server.state = "stopped"
        except Exception as fault:  # noqa: BLE001 - one server must not end the session
            self._fail(server, _reason(server.spec, _innermost(fault)))
        finally:
            server.session = None
            server.tools = ()
            self._changed()

    async def _connect(self, server: Server, stack: AsyncExitStack) -> None:
        from mcp.client.session import ClientSession

        streams = await self._streams(server.spec, server.mark, stack)
        session = await stack.enter_async_context(ClientSession(streams[0], streams[1]))
        await session.initialize()
        server.tools = await _tools(server, session)
        server.session = session
        server.state = "ready"

    async def _streams(self, spec: ServerSpec, mark: str, stack: AsyncExitStack) -> Any:
        if spec.url is not None:
            from mcp.client.streamable_http import streamable_http_client
            from mcp.shared._httpx_utils import create_mcp_http_client

            client = await stack.enter_async_context(create_mcp_http_client(dict(spec.headers)))
            return await stack.enter_async_context(
                streamable_http_client(spec.url, http_client=client)
            )
        from mcp.client.stdio import StdioServerParameters, stdio_client

        assert spec.command is not None
        # Opening /dev/null never waits; the stack closes it.
        quiet = stack.enter_context(Path(os.devnull).open("w"))  # noqa: ASYNC230, SIM115
        # The library passes on PATH, HOME and the like only: no server sees a provider's key.
        parameters = StdioServerParameters(
            command=spec.command,
            args=list(spec.args),
            env={**spec.env, family.MARK: mark},
            cwd=self._cwd,
            encoding_error_handler="replace",
        )
        return await stack.enter_async_context(stdio_client(parameters, errlog=quiet))

    def _fail(self, server: Server, reason: str) -> None:
        server.state = "failed"
        server.reason = reason
        _log.warning("MCP server %s failed: %s", server.spec.name, reason)


def tool_name(server: str, remote: str) -> str:
    """Return how the model calls a server's tool; always a name that providers accept."""
    name = f"mcp__{server}__{re.sub(r'[^A-Za-z0-9_-]', '_', remote)}"
    if len(name) > NAME_CHARS or re.search(r"[^A-Za-z0-9_-]", remote):
        digest = hashlib.sha256(remote.encode("utf-8", "replace")).hexdigest()[:8]
        name = f"{name[: NAME_CHARS - 9]}_{digest}"
    return name


async def _tools(server: Server, session: ClientSession) -> tuple[McpTool, ...]:
    from mcp_types import PaginatedRequestParams

    found: list[McpTool] = []
    cursor: str | None = None
    for _ in range(PAGES):
        page = await session.list_tools(params=PaginatedRequestParams(cursor=cursor))
        for tool in page.tools:
            hint = tool.annotations.read_only_hint if tool.annotations is not None else None
            found.append(
                McpTool(
                    server,
                    tool.name,
                    tool.description or tool.name,
                    tool.input_schema,
                    reads_only=hint is True,
                )
            )
        cursor = page.next_cursor
        if cursor is None or len(found) >= TOOLS:
            break
    return tuple(found[:TOOLS])


def _outcome(result: CallToolResult) -> Outcome:
    texts: list[str] = []
    images: list[Image] = []
    for block in result.content:
        if block.type == "text":
            texts.append(block.text)
        elif block.type == "image":
            small = len(block.data) * 3 // 4 <= IMAGE_BYTES
            if len(images) < IMAGES and small:
                images.append(Image(block.data, block.mime_type))
            else:
                texts.append("[a picture that is too big is left out]")
        elif block.type == "resource":
            texts.append(getattr(block.resource, "text", f"[{block.resource.uri}]"))
        else:
            texts.append(f"[{block.type}]")
    if not texts and not images and result.structured_content is not None:
        texts.append(json.dumps(result.structured_content, ensure_ascii=False))
    text = "\n".join(texts)
    raw = text.encode("utf-8", "replace")
    cut = len(raw) > OUT_BYTES
    if cut:
        text = raw[:OUT_BYTES].decode("utf-8", "replace") + "\n[the result goes on]"
    status: Literal["failed", "completed"] = "failed" if result.is_error else "completed"
    return Outcome(text or "[no text]", status, truncated=cut, images=tuple(images))


def _innermost(fault: BaseException) -> BaseException:
    inner: tuple[BaseException, ...] = getattr(fault, "exceptions", ())
    return _innermost(inner[0]) if inner else fault


def _reason(spec: ServerSpec, fault: BaseException) -> str:
    if isinstance(fault, TimeoutError):
        return f"it was not ready after {START_S:.0f} s"
    if isinstance(fault, OSError) and spec.command is not None:
        return f"{spec.command} cannot be started: {fault.strerror or fault}"
    return _sentence(fault)


def _sentence(fault: BaseException) -> str:
    found = _innermost(fault)
    return str(found)[:500] or type(found).__name__


def _import_library() -> None:
    # So that the loop finds them loaded.
    for name in ("mcp.client.session", "mcp.client.stdio"):
        importlib.import_module(name)
