"""How an asynchronous client reaches a session: the same rules and names as the blocking one."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

from luvus_client.async_connection import AsyncConnection
from luvus_client.async_streaming import AsyncEventFeed, AsyncStream
from luvus_client.caller import ServerPin, resolve_token
from luvus_client.endpoint import Endpoint, discover
from luvus_client.patience import DEFAULT_TIMEOUT_S, GIVE_UP_AFTER_S, patience
from luvus_client.wire import read_answer, request_frame


class AsyncCaller:
    """Talks to the server of one session from an event loop; holds no connection between calls."""

    def __init__(
        self,
        session: str | None = None,
        *,
        socket_path: str | Path | None = None,
        token: str | None = None,
        token_file: str | Path | None = None,
        token_env: str | None = None,
        timeout: float = DEFAULT_TIMEOUT_S,
        pin_server: bool = False,
    ) -> None:
        self.endpoint: Endpoint = discover(session, socket_path)
        self.timeout = timeout
        self._token = resolve_token(token, token_file, token_env)
        self._pin = ServerPin(pinned=pin_server)

    async def call(
        self, method: str, params: dict[str, object] | None = None, *, timeout: float | None = None
    ) -> dict[str, Any]:
        """Call a method and return its result; cancelling does not undo what the server began.

        Raises:
            LuvusError: The server refused; the class tells the code.
            NotRunning: No server is there; nothing was sent.
            ConnectionLost: The answer was lost; see `possibly_executed`.
            UnsafeEndpoint: The socket is not private.
        """
        asked = params or {}
        request = self._request(method, asked)
        connection = await self.connect()
        try:
            await connection.send(request, self.timeout)
            wait = patience(method, asked, self.timeout) if timeout is None else timeout
            return read_answer(await connection.answer(wait))
        finally:
            connection.close()

    def stream(self, method: str, params: dict[str, object] | None = None) -> AsyncStream:
        """Return a stream, which connects at its first frame or when entered."""
        return AsyncStream(self.connect, self._request(method, params or {}), self.timeout)

    def follow(
        self,
        after_sequence: int | None = None,
        names: Collection[str] | None = None,
        *,
        give_up_after: float | None = GIVE_UP_AFTER_S,
    ) -> AsyncEventFeed:
        """Follow the events of the session, across lost connections and restarts."""
        return AsyncEventFeed(
            self.connect,
            self._request,
            timeout=self.timeout,
            after_sequence=after_sequence,
            names=names,
            give_up_after=give_up_after,
        )

    async def connect(self) -> AsyncConnection:
        """Open a connection to the validated endpoint; the caller closes it."""
        connection = await AsyncConnection.open(self.endpoint.address, self.timeout)
        try:
            self._pin.check(connection.evidence)
        except BaseException:
            connection.close()
            raise
        return connection

    def _request(self, method: str, params: dict[str, object]) -> bytes:
        return request_frame(method, params, token=self._token)
