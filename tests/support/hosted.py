"""A real server that holds agent sessions, with a provider that plays a script."""

from __future__ import annotations

import asyncio
import json
import shutil
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

import httpx
from websockets.asyncio.client import ClientConnection, unix_connect

from tests.support.key_watch import files_with_keys, holds_key, key_of
from tests.support.live import LiveServer, command_line
from tests.support.provider_server import ProviderServer, provider_server

KEY = key_of("hosted")
WAIT_S = 10.0
Ending: TypeAlias = Literal["killed", "stopped", "restarted"]
ENDINGS: tuple[Ending, ...] = get_args(Ending)


@dataclass
class Hosted:
    """A running server, its provider, and a client of its HTTP socket."""

    live: LiveServer
    provider: ProviderServer
    http: httpx.AsyncClient
    project: Path

    async def open(self, **more: Any) -> str:
        """Open a session in the project and return its id."""
        answer = await self.http.post("/luxe/v2/sessions", json={"cwd": str(self.project), **more})
        assert answer.status_code == 201, answer.text
        ready = answer.json()
        assert ready["kind"] == "ready"
        return str(ready["content"]["session_id"])

    async def rows(self) -> list[dict[str, Any]]:
        """List the open sessions."""
        return list((await self.http.get("/luxe/v2/sessions")).json()["sessions"])

    async def say(self, session: str, text: str) -> None:
        """Run a turn to its end."""
        async with self.watch(session) as viewer:
            assert (await self.act(session, "submit_user_message", {"text": text})).json() == {}
            await viewer.until("turn_ended")

    async def replace(self, way: Ending) -> None:
        """Let another server take the place of this one."""
        await self.http.aclose()
        if way == "killed":
            await asyncio.to_thread(self.live.kill)
        elif way == "stopped":
            await asyncio.to_thread(self.live.stop)
        else:
            done = await asyncio.to_thread(command_line, self.live, "server", "restart")
            assert done.returncode == 0, done.stderr
        await self.back()

    async def back(self) -> None:
        """Start the server, unless another one has come already."""
        await asyncio.to_thread(self.live.start)
        self.http = client(self.live)

    async def act(self, session: str, kind: str, content: Any = None) -> httpx.Response:
        """Do one action by POST."""
        return await self.http.post(f"/luxe/v2/sessions/{session}/{kind}", json=content)

    @asynccontextmanager
    async def watch(self, session: str, token: str | None = None) -> AsyncIterator[Watcher]:
        """Open a session's stream; of the list when its id is empty."""
        path = f"ws://luvus/luxe/v2/sessions/{session}".rstrip("/")
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        async with unix_connect(
            str(self.live.http), path, additional_headers=headers, max_size=None
        ) as socket:
            yield Watcher(socket)


class Watcher:
    """One client of a stream, and what it saw."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.seen: list[dict[str, Any]] = []

    async def until(self, kind: str) -> dict[str, Any]:
        """Read up to the next frame of a kind and return its content."""
        async with asyncio.timeout(WAIT_S):
            while True:
                frame = json.loads(received := await self.socket.recv())
                raw = received if isinstance(received, bytes) else received.encode()
                assert not holds_key(raw), "a key is in a frame"
                self.seen.append(frame)
                if frame["kind"] == kind:
                    return dict(frame["content"])

    async def send(self, kind: str, content: Any = None) -> None:
        """Send an action."""
        await self.socket.send(json.dumps({"kind": kind, "content": content}))

    def kinds(self) -> list[str]:
        """Return the kinds of what was seen."""
        return [frame["kind"] for frame in self.seen]


def client(live: LiveServer) -> httpx.AsyncClient:
    """Return a client of a server's HTTP socket."""
    transport = httpx.AsyncHTTPTransport(uds=str(live.http))
    return httpx.AsyncClient(transport=transport, base_url="http://luvus")


@asynccontextmanager
async def hosted_server() -> AsyncIterator[Hosted]:
    """Run a server whose agents call the scripted provider."""
    home = Path(tempfile.mkdtemp(prefix="lh-", dir="/tmp"))
    project = home / "project"
    project.mkdir()
    async with provider_server() as provider:
        live = LiveServer(home)
        live.extra = {
            "LUXE_HOME": str(home / "luxe"),
            "ANTHROPIC_API_KEY": KEY,
            "ANTHROPIC_BASE_URL": provider.url,
        }
        await asyncio.to_thread(live.start)
        hosted = Hosted(live, provider, client(live), project)
        try:
            yield hosted
        finally:
            await hosted.http.aclose()
            await asyncio.to_thread(live.stop)
            told = files_with_keys(home)
            shutil.rmtree(home, ignore_errors=True)
            assert told == [], f"a key is in {told}"
