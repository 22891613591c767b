"""The blocking client of agent sessions."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Generic, Self, TypeVar, cast

import httpx
from websockets.exceptions import WebSocketException
from websockets.sync.client import ClientConnection, unix_connect

from luvus_client.caller import resolve_token
from luvus_client.endpoint import discover
from luvus_client.errors import ConnectionFailure, LuvusError
from luvus_client.generated import luxe_types as types
from luvus_client.generated.luxe import Event, SyncActions
from luvus_client.http_endpoint import HttpEndpoint
from luvus_client.luxeapi import wire
from luvus_client.patience import DEFAULT_TIMEOUT_S, GIVE_UP_AFTER_S
from luvus_client.wire import read_object

T = TypeVar("T")


class LuxeFeed(Iterator[T], Generic[T]):
    """What a stream carries, through lost connections and restarts of the server.

    After each a session says everything again from `ready` on. Close it, or use it in a `with`
    statement; closing from another thread ends the iteration.
    """

    def __init__(
        self,
        connect: Callable[[], ClientConnection],
        read: Callable[[dict[str, Any]], T],
        stream: wire.Stream,
    ) -> None:
        self._connect = connect
        self._read = read
        self._stream = stream
        self._closed = threading.Event()
        self._socket: ClientConnection | None = connect()

    def __next__(self) -> T:
        """Wait for the next one."""
        while not self._closed.is_set():
            try:
                if self._socket is None:
                    self._socket = self._connect()
                return self._read(self._stream.frame(self._socket.recv()))
            except (WebSocketException, OSError, ConnectionFailure, LuvusError) as error:
                self._drop()
                if self._closed.is_set() or self._stream.is_over(error):
                    self._closed.set()
                    break
                self._closed.wait(self._stream.delay(error))
        self._drop()
        raise StopIteration

    def _drop(self) -> None:
        socket, self._socket = self._socket, None
        if socket is not None:
            socket.close()

    def close(self) -> None:
        """Release the connection and end the iteration; the session stays open."""
        self._closed.set()
        socket = self._socket
        if socket is not None:
            socket.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class LuxeSession(SyncActions):
    """One agent session; every action is a method of its name."""

    def __init__(self, luxe: Luxe, session_id: str) -> None:
        super().__init__(self._act)
        self._luxe = luxe
        self.id = session_id

    def show(self) -> types.SessionShown:
        """Show it, and what waits for an answer."""
        return cast("types.SessionShown", self._luxe.ask("GET", wire.one(self.id)))

    def events(self, *, give_up_after: float | None = GIVE_UP_AFTER_S) -> LuxeFeed[Event]:
        """Follow it: first everything that a late viewer must know, then what happens."""
        stream = wire.Stream(ends=True, give_up_after=give_up_after)
        return LuxeFeed(self._luxe.connector(wire.one(self.id)), wire.event_of, stream)

    def picture(self, sha256: str) -> bytes:
        """Return a picture of its transcript."""
        return self._luxe.fetch("GET", f"{wire.one(self.id)}/pictures/{sha256}")

    def end(self) -> None:
        """Close it, stopping its turn, and return when it has closed."""
        self._luxe.ask("DELETE", wire.one(self.id))

    def _act(self, kind: str, content: object) -> None:
        self._luxe.ask("POST", f"{wire.one(self.id)}/{kind}", content)


class Luxe:
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
        self._http = httpx.Client(
            transport=httpx.HTTPTransport(uds=found),
            base_url=wire.BASE,
            headers=self._endpoint.headers,
            timeout=timeout,
        )

    def sessions(self) -> list[types.SessionRow]:
        """List the open sessions, oldest first."""
        return cast("list[types.SessionRow]", self.ask("GET", wire.SESSIONS)["sessions"])

    def session(self, session_id: str) -> LuxeSession:
        """Return a session by its id; the server is not asked."""
        return LuxeSession(self, session_id)

    def open(self, wish: types.SessionWish) -> LuxeSession:
        """Open a session, or resume one."""
        ready = self.ask("POST", wire.SESSIONS, wish)
        return LuxeSession(self, str(ready["content"]["session_id"]))

    def stored(self, cwd: str) -> list[types.SessionSummary]:
        """List the newest sessions of a folder that are on the disk."""
        return cast("list[types.SessionSummary]", self.ask("GET", wire.stored(cwd))["sessions"])

    def models(self) -> list[types.Model]:
        """List the models that can be selected, asked of their providers."""
        return cast("list[types.Model]", self.ask("GET", "models")["models"])

    def follow(
        self, *, give_up_after: float | None = GIVE_UP_AFTER_S
    ) -> LuxeFeed[list[types.SessionRow]]:
        """Follow the list: whole now, and whole after every change."""
        stream = wire.Stream(ends=False, give_up_after=give_up_after)
        return LuxeFeed(self.connector(wire.SESSIONS), wire.rows_of, stream)

    def ask(self, verb: str, path: str, content: object = None) -> dict[str, Any]:
        """Make one request below `/luxe/v2/`; raises what `LuvusClient.call` raises."""
        return read_object(self.fetch(verb, path, content))

    def fetch(self, verb: str, path: str, content: object = None) -> bytes:
        """Make one request and return the bytes of its answer; raises like `ask`."""
        raw = wire.body(content)
        self._endpoint.look()
        try:
            with self._http.stream(verb, path, content=raw) as response:
                held = bytearray()
                for piece in response.iter_bytes():
                    held += piece
                    if len(held) > wire.ANSWER_BYTES:
                        raise wire.too_large()
        except httpx.TransportError as error:
            raise self._endpoint.failure(error) from error
        wire.check(response.status_code, bytes(held))
        return bytes(held)

    def connector(self, path: str) -> Callable[[], ClientConnection]:
        """Return what opens the stream at a path."""

        def connect() -> ClientConnection:
            self._endpoint.look()
            made = unix_connect(
                self._endpoint.address,
                wire.STREAM_BASE + path,
                additional_headers=self._endpoint.headers,
                max_size=wire.ANSWER_BYTES,
                open_timeout=self.timeout,
            )
            # The feed closes it; newer versions of the library warn of what was never entered.
            return made.__enter__()

        return connect

    def close(self) -> None:
        """Close the connections that are kept alive; sessions stay open."""
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
