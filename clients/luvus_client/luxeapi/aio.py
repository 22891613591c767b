"""The client of agent sessions for an event loop."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from types import TracebackType
from typing import Any, Generic, Self, TypeVar, cast

import httpx
from websockets.asyncio.client import ClientConnection, unix_connect
from websockets.exceptions import WebSocketException

from luvus_client.caller import resolve_token
from luvus_client.endpoint import discover
from luvus_client.errors import ConnectionFailure, LuvusError
from luvus_client.generated import luxe_types as types
from luvus_client.generated.luxe import AsyncActions, Event
from luvus_client.http_endpoint import HttpEndpoint
from luvus_client.luxeapi import wire
from luvus_client.patience import DEFAULT_TIMEOUT_S, GIVE_UP_AFTER_S
from luvus_client.wire import read_object

T = TypeVar("T")


class AsyncLuxeFeed(AsyncIterator[T], Generic[T]):
    """What a stream carries, through lost connections and restarts of the server.

    After each a session says everything again from `ready` on. It connects when it is entered by
    `async with`, or else at its first item. Close it, or leave its `async with` statement.
    """

    def __init__(
        self,
        connect: Callable[[], Awaitable[ClientConnection]],
        read: Callable[[dict[str, Any]], T],
        stream: wire.Stream,
    ) -> None:
        self._connect = connect
        self._read = read
        self._stream = stream
        self._closed = False
        self._socket: ClientConnection | None = None

    async def __anext__(self) -> T:
        """Wait for the next one."""
        while not self._closed:
            try:
                if self._socket is None:
                    self._socket = await self._connect()
                return self._read(self._stream.frame(await self._socket.recv()))
            except (WebSocketException, OSError, ConnectionFailure, LuvusError) as error:
                await self._drop()
                # Another task may have closed it while this one waited.
                if self._is_closed() or self._stream.is_over(error):
                    self._closed = True
                    break
                await asyncio.sleep(self._stream.delay(error))
        await self._drop()
        raise StopAsyncIteration

    def _is_closed(self) -> bool:
        return self._closed

    async def _drop(self) -> None:
        socket, self._socket = self._socket, None
        if socket is not None:
            await socket.close()

    async def aclose(self) -> None:
        """Release the connection and end the iteration; the session stays open."""
        self._closed = True
        await self._drop()

    async def __aenter__(self) -> Self:
        if self._socket is None and not self._closed:
            self._socket = await self._connect()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()


class AsyncLuxeSession(AsyncActions):
    """One agent session; every action is a method of its name."""

    def __init__(self, luxe: AsyncLuxe, session_id: str) -> None:
        super().__init__(self._act)
        self._luxe = luxe
        self.id = session_id

    async def show(self) -> types.SessionShown:
        """Show it, and what waits for an answer."""
        return cast("types.SessionShown", await self._luxe.ask("GET", wire.one(self.id)))

    def events(self, *, give_up_after: float | None = GIVE_UP_AFTER_S) -> AsyncLuxeFeed[Event]:
        """Follow it: first everything that a late viewer must know, then what happens."""
        stream = wire.Stream(ends=True, give_up_after=give_up_after)
        return AsyncLuxeFeed(self._luxe.connector(wire.one(self.id)), wire.event_of, stream)

    async def picture(self, sha256: str) -> bytes:
        """Return a picture of its transcript."""
        return await self._luxe.fetch("GET", f"{wire.one(self.id)}/pictures/{sha256}")

    async def end(self) -> None:
        """Close it, stopping its turn, and return when it has closed."""
        await self._luxe.ask("DELETE", wire.one(self.id))

    async def _act(self, kind: str, content: object) -> None:
        await self._luxe.ask("POST", f"{wire.one(self.id)}/{kind}", content)


class AsyncLuxe:
    """The agent sessions of a server; keeps connections alive until it is closed."""

    def __init__(
        self,
        session: str | None = None,
        *,
        address: str | Path | None = None,
        token: str | None = None,
        token_file: str | Path | None = None,
        token_env: str | None = None,
        timeout: float = DEFAULT_TIMEOUT_S,
    ) -> None:
        found = str(address) if address is not None else discover(session).http_address
        self._endpoint = HttpEndpoint(found, resolve_token(token, token_file, token_env))
        self.timeout = timeout
        self._http = httpx.AsyncClient(
            transport=httpx.AsyncHTTPTransport(uds=found),
            base_url=wire.BASE,
            headers=self._endpoint.headers,
            timeout=timeout,
        )

    async def sessions(self) -> list[types.SessionRow]:
        """List the open sessions, oldest first."""
        return cast("list[types.SessionRow]", (await self.ask("GET", wire.SESSIONS))["sessions"])

    def session(self, session_id: str) -> AsyncLuxeSession:
        """Return a session by its id; the server is not asked."""
        return AsyncLuxeSession(self, session_id)

    async def open(self, wish: types.SessionWish) -> AsyncLuxeSession:
        """Open a session, or resume one."""
        ready = await self.ask("POST", wire.SESSIONS, wish)
        return AsyncLuxeSession(self, str(ready["content"]["session_id"]))

    async def stored(self, cwd: str) -> list[types.SessionSummary]:
        """List the newest sessions of a folder that are on the disk."""
        return cast(
            "list[types.SessionSummary]", (await self.ask("GET", wire.stored(cwd)))["sessions"]
        )

    async def models(self) -> list[types.Model]:
        """List the models that can be selected, asked of their providers."""
        return cast("list[types.Model]", (await self.ask("GET", "models"))["models"])

    def follow(
        self, *, give_up_after: float | None = GIVE_UP_AFTER_S
    ) -> AsyncLuxeFeed[list[types.SessionRow]]:
        """Follow the list: whole now, and whole after every change."""
        stream = wire.Stream(ends=False, give_up_after=give_up_after)
        return AsyncLuxeFeed(self.connector(wire.SESSIONS), wire.rows_of, stream)

    async def ask(self, verb: str, path: str, content: object = None) -> dict[str, Any]:
        """Make one request below `/luxe/v2/`; raises what `AsyncLuvusClient.call` raises."""
        return read_object(await self.fetch(verb, path, content))

    async def fetch(self, verb: str, path: str, content: object = None) -> bytes:
        """Make one request and return the bytes of its answer; raises like `ask`."""
        raw = wire.body(content)
        self._endpoint.look()
        try:
            async with self._http.stream(verb, path, content=raw) as response:
                held = bytearray()
                async for piece in response.aiter_bytes():
                    held += piece
                    if len(held) > wire.ANSWER_BYTES:
                        raise wire.too_large()
        except httpx.TransportError as error:
            raise self._endpoint.failure(error) from error
        wire.check(response.status_code, bytes(held))
        return bytes(held)

    def connector(self, path: str) -> Callable[[], Awaitable[ClientConnection]]:
        """Return what opens the stream at a path."""

        async def connect() -> ClientConnection:
            self._endpoint.look()
            return await unix_connect(
                self._endpoint.address,
                wire.STREAM_BASE + path,
                additional_headers=self._endpoint.headers,
                max_size=wire.ANSWER_BYTES,
                open_timeout=self.timeout,
            )

        return connect

    async def aclose(self) -> None:
        """Close the connections that are kept alive; sessions stay open."""
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()
