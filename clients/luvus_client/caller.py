"""How a blocking client reaches a session: one connection for each call, checked before each.

Knows methods by name only; the typed families are put on top in `client`.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Self

from luvus_client.connection import Connection
from luvus_client.credentials import check_token, token_from_file, token_from_variable
from luvus_client.endpoint import Endpoint, Evidence, discover
from luvus_client.errors import ServerChanged
from luvus_client.patience import DEFAULT_TIMEOUT_S, GIVE_UP_AFTER_S, patience
from luvus_client.wire import read_answer, request_frame

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path
    from types import TracebackType

    from luvus_client.streaming import EventFeed, Stream


class ServerPin:
    """Remembers the server first reached, and refuses another one when told to.

    A restarted server has other terminals behind the same names; a caller that must not act on
    those pins the server it looked at.
    """

    def __init__(self, *, pinned: bool) -> None:
        self._pinned = pinned
        self._first: Evidence | None = None

    def check(self, evidence: Evidence) -> None:
        """Compare with the first server.

        Raises:
            ServerChanged: It is pinned and another one.
        """
        if self._first is None:
            self._first = evidence
        elif self._pinned and evidence != self._first:
            raise ServerChanged("the server was restarted since this client first reached it")


def resolve_token(
    token: str | None, token_file: str | Path | None, token_env: str | None
) -> str | None:
    """Return the token from the one place that is given, or None for the owner's authority."""
    if token is not None:
        return check_token(token)
    if token_file is not None:
        return token_from_file(token_file)
    return None if token_env is None else token_from_variable(token_env, os.environ)


class Caller:
    """Talks to the server of one session; holds no connection between calls.

    Without arguments it talks to the server of the pane that it runs in, or to the default
    session. Threads may share it.
    """

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

    def call(
        self, method: str, params: dict[str, object] | None = None, *, timeout: float | None = None
    ) -> dict[str, Any]:
        """Call a method and return its result.

        `timeout` in seconds covers the whole answer; without it the client's own plus what the
        request itself asks to wait.

        Raises:
            LuvusError: The server refused; the class tells the code.
            NotRunning: No server is there; nothing was sent.
            ConnectionLost: The answer was lost; see `possibly_executed`.
            UnsafeEndpoint: The socket is not private.
        """
        asked = params or {}
        request = self._request(method, asked)
        connection = self.connect()
        try:
            connection.send(request, self.timeout)
            wait = patience(method, asked, self.timeout) if timeout is None else timeout
            return read_answer(connection.answer(wait))
        finally:
            connection.close()

    def stream(self, method: str, params: dict[str, object] | None = None) -> Stream:
        """Open a stream; the acknowledgement has arrived when this returns.

        Raises:
            LuvusError: The server refused.
            ConnectionFailure: No server answered.
        """
        from luvus_client.streaming import Stream

        request = self._request(method, params or {})
        return Stream(self.connect(), request, self.timeout)

    def follow(
        self,
        after_sequence: int | None = None,
        names: Collection[str] | None = None,
        *,
        give_up_after: float | None = GIVE_UP_AFTER_S,
    ) -> EventFeed:
        """Follow the events of the session, across lost connections and restarts.

        The feed is subscribed when this returns. `names` keeps only events of these names; `Resync`
        items always come. `give_up_after` seconds without a server raise the last error.

        Raises:
            LuvusError: The server refused.
            ConnectionFailure: No server answered.
        """
        from luvus_client.streaming import EventFeed

        return EventFeed(
            self.connect,
            self._request,
            timeout=self.timeout,
            after_sequence=after_sequence,
            names=names,
            give_up_after=give_up_after,
        )

    def connect(self) -> Connection:
        """Open a connection to the validated endpoint; the caller closes it."""
        connection = Connection(self.endpoint.address, self.timeout)
        try:
            self._pin.check(connection.evidence)
        except BaseException:
            connection.close()
            raise
        return connection

    def _request(self, method: str, params: dict[str, object]) -> bytes:
        return request_frame(method, params, token=self._token)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Do nothing: no connection outlives its call."""
