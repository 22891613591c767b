"""A local HTTP server that plays model providers from a script; also run as a program.

It answers Anthropic Messages, OpenAI Chat Completions and OpenAI Responses, streamed or whole,
lists models, and remembers what it was asked. Fields it does not know are ignored.

    python -m tests.support.provider_server --port 8000 --script replies.json --log asked.jsonl

The script is a list of replies such as
`{"steps": [{"think": "…"}, {"say": "…"}, {"call": {"name": "ls", "input": {}}}, {"pause": 1}]}`,
given in turn to the requests that carry tools; other steps are `cut`, `junk` and `fail`, other
fields those of `Reply`.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import math
import sys
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Any

from tests.support.provider_script import (
    Cut,
    Format,
    Pause,
    Reply,
    error_body,
    frames,
    reply_of,
    says,
    whole,
)

HEAD_BYTES = 64 * 1024
BODY_BYTES = 128 * 1024 * 1024
MODELS = ("scripted-1", "scripted-2")


@dataclass(frozen=True)
class Asked:
    """A request that came in."""

    method: str
    path: str
    headers: Mapping[str, str]
    raw: bytes

    @property
    def json(self) -> Any:
        """Return its body, decoded."""
        return json.loads(self.raw) if self.raw else None

    @property
    def format(self) -> Format | None:
        """Return the wire format it asks in, None for anything but a call of a model."""
        path = self.path.partition("?")[0]
        endings: dict[str, Format] = {
            "/messages": "anthropic",
            "/chat/completions": "openai-chat",
            "/responses": "openai-responses",
        }
        found = (form for ending, form in endings.items() if path.endswith(ending))
        return next(found, None) if self.method == "POST" else None


class _Connection(asyncio.StreamReaderProtocol):
    """A connection that knows at once when its client is gone."""

    def __init__(self, reader: asyncio.StreamReader, met: Callable[..., Any]) -> None:
        super().__init__(reader, met)
        self.gone = asyncio.Event()

    def eof_received(self) -> bool | None:
        self.gone.set()
        return super().eof_received()

    def connection_lost(self, exc: Exception | None) -> None:
        self.gone.set()
        super().connection_lost(exc)


class ProviderServer:
    """Answers requests from its script; `url` is its address without a path."""

    def __init__(self, replies: Iterable[Reply] = (), *, repeat: bool = False) -> None:
        self.replies = deque(replies)
        self.repeat = repeat
        self.aside: Reply | None = None
        """For calls without tools, which agents make beside a turn; None: from the script too."""
        self.choose: Callable[[Asked], Reply | None] | None = None
        """Asked before the script."""
        self.models: tuple[Any, ...] = MODELS
        """Names, or whole entries of the list."""
        self.asked: list[Asked] = []
        self.on_asked: Callable[[Asked], None] = lambda _: None
        self.dropped = asyncio.Event()
        """Set when a client went away in the middle of an answer."""
        self.began = asyncio.Event()
        """Set when the first bytes of an answer were written."""
        self.connections = 0
        self.url = ""
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[Any]] = set()

    async def start(self, port: int = 0) -> None:
        """Listen on the loopback address."""
        loop = asyncio.get_running_loop()

        def made() -> _Connection:
            reader = asyncio.StreamReader(limit=HEAD_BYTES, loop=loop)
            return _Connection(reader, self._serve)

        self._server = await loop.create_server(made, "127.0.0.1", port)
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def close(self) -> None:
        """Stop listening and drop every connection."""
        if self._server is not None:
            self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        self.connections += 1
        try:
            while (asked := await _request(reader)) is not None:
                self.asked.append(asked)
                self.on_asked(asked)
                if not await self._answer(asked, writer):
                    break
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass
        except asyncio.CancelledError:
            writer.transport.abort()
        finally:
            self._tasks.discard(task)
            writer.close()
            with contextlib.suppress(ConnectionError, asyncio.CancelledError):
                await writer.wait_closed()

    async def _answer(self, asked: Asked, writer: asyncio.StreamWriter) -> bool:
        """Answer and say whether the connection goes on."""
        form = asked.format
        if form is None:
            await _whole(writer, *self._beside(asked))
            return True
        reply = self._reply(asked)
        given = asked.json
        model = str(given.get("model", ""))
        if not await self._pause(writer, reply.before):
            return False
        if reply.body is not None:
            await _whole(writer, reply.status, reply.body, reply.headers)
        elif reply.status != HTTPStatus.OK:
            await _whole(writer, reply.status, error_body(form, reply), reply.headers)
        elif given.get("stream"):
            return await self._stream(form, reply, model, writer)
        else:
            await _whole(writer, 200, whole(form, reply, model), reply.headers)
        return True

    def _reply(self, asked: Asked) -> Reply:
        chosen = self.choose(asked) if self.choose is not None else None
        if chosen is not None:
            return chosen
        if self.aside is not None and not asked.json.get("tools"):
            return self.aside
        if not self.replies:
            return says("Done.")
        reply = self.replies.popleft()
        if self.repeat:
            self.replies.append(reply)
        return reply

    def _beside(self, asked: Asked) -> tuple[int, bytes]:
        path = asked.path.partition("?")[0]
        if path.endswith("/count_tokens"):
            return 200, json.dumps({"input_tokens": len(asked.raw) // 4}).encode()
        if path.endswith("/models"):
            entries = [
                {"id": m, "object": "model", "type": "model", "display_name": m, "created": 1}
                if isinstance(m, str)
                else m
                for m in self.models
            ]
            return 200, json.dumps({"object": "list", "data": entries, "has_more": False}).encode()
        if asked.method in {"GET", "HEAD"} and path == "/":
            return 200, b"{}"
        return 404, json.dumps({"error": {"message": f"nothing at {path}"}}).encode()

    async def _stream(
        self, form: Format, reply: Reply, model: str, writer: asyncio.StreamWriter
    ) -> bool:
        headers = {"content-type": "text/event-stream; charset=utf-8", **reply.headers}
        writer.write(_head(200, {**headers, "transfer-encoding": "chunked"}))
        for frame in frames(form, reply, model):
            if isinstance(frame, Pause):
                await writer.drain()
                if not await self._pause(writer, frame.seconds):
                    return False
            elif isinstance(frame, Cut):
                await writer.drain()
                if frame.reset:
                    writer.transport.abort()
                return False
            else:
                await self._write(writer, frame, reply.write)
            if not await self._pause(writer, 0):
                return False
        writer.write(b"0\r\n\r\n")
        await writer.drain()
        return True

    async def _pause(self, writer: asyncio.StreamWriter, seconds: float) -> bool:
        """Wait and say whether the client is still there."""
        connection = writer.transport.get_protocol()
        assert isinstance(connection, _Connection)
        if seconds:
            limit = None if math.isinf(seconds) else seconds
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(connection.gone.wait(), limit)
        if connection.gone.is_set():
            self.dropped.set()
            return False
        return True

    async def _write(self, writer: asyncio.StreamWriter, frame: bytes, size: int | None) -> None:
        for start in range(0, len(frame), size or len(frame)):
            piece = frame[start : start + (size or len(frame))]
            writer.write(b"%x\r\n%b\r\n" % (len(piece), piece))
            self.began.set()
            await writer.drain()
            if size:
                # Let the piece leave by itself.
                await asyncio.sleep(0)


@asynccontextmanager
async def provider_server(*replies: Reply) -> AsyncIterator[ProviderServer]:
    """Run a server for the length of a block."""
    server = ProviderServer(replies)
    await server.start()
    try:
        yield server
    finally:
        await server.close()


async def _request(reader: asyncio.StreamReader) -> Asked | None:
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        return None
    first, *lines = head.decode("latin-1").rstrip("\r\n").split("\r\n")
    method, path, _ = first.split(" ", 2)
    headers: dict[str, str] = {}
    for line in lines:
        name, _, value = line.partition(":")
        headers[name.strip().lower()] = value.strip()
    body = b""
    if "chunked" in headers.get("transfer-encoding", ""):
        while size := int((await reader.readline()).partition(b";")[0], 16):
            body += (await reader.readexactly(size + 2))[:-2]
        await reader.readline()
    elif length := int(headers.get("content-length", "0")):
        assert length <= BODY_BYTES
        body = await reader.readexactly(length)
    return Asked(method, path, headers, body)


def _head(status: int, headers: Mapping[str, str]) -> bytes:
    lines = [f"HTTP/1.1 {status} {HTTPStatus(status).phrase if status != 529 else 'Overloaded'}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


async def _whole(
    writer: asyncio.StreamWriter, status: int, body: bytes, headers: Mapping[str, str] | None = None
) -> None:
    fields = {"content-type": "application/json", **(headers or {})}
    writer.write(_head(status, {**fields, "content-length": str(len(body))}) + body)
    await writer.drain()


async def _run(options: argparse.Namespace) -> None:
    written = json.loads(Path(options.script).read_text()) if options.script else []
    server = ProviderServer(map(reply_of, written), repeat=options.repeat)
    server.aside = says("A title")
    if options.log:
        log = Path(options.log).open("a", encoding="utf-8")  # noqa: SIM115 - open while we live

        def note(asked: Asked) -> None:
            log.write(json.dumps({"path": asked.path, "body": asked.json}) + "\n")
            log.flush()

        server.on_asked = note
    await server.start(options.port)
    sys.stdout.write(json.dumps({"url": server.url}) + "\n")
    sys.stdout.flush()
    await asyncio.Event().wait()


def main() -> None:
    """Serve until interrupted."""
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--port", type=int, default=0)
    words.add_argument("--script", help="a JSON file of replies")
    words.add_argument("--log", help="where requests are noted, without their headers")
    words.add_argument("--repeat", action="store_true", help="begin again after the last reply")
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_run(words.parse_args()))


if __name__ == "__main__":
    main()
