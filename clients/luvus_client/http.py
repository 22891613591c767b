"""The same calls over the HTTP socket, for programs that have httpx already; extra `client`.

Events arrive as server-sent events and follow the same rules as on the newline JSON socket.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Collection, Iterator
from pathlib import Path
from time import monotonic
from types import TracebackType
from typing import Any, Self

import httpx
import httpx_sse

from luvus_client.caller import resolve_token
from luvus_client.endpoint import discover
from luvus_client.errors import BadAnswer, ConnectionFailure, ConnectionLost, error_of
from luvus_client.feed import Event, FeedState, Resync
from luvus_client.http_endpoint import HttpEndpoint
from luvus_client.patience import DEFAULT_TIMEOUT_S, GIVE_UP_AFTER_S, patience
from luvus_client.wire import FRAME_LIMIT, frame, overlong, read_object

SILENCE_LIMIT_S = 60.0
"""An event stream without even a keep-alive for this long is broken."""

_OK = 200
_BASE = "http://localhost/uhp/v1/"


class _Endpoint(HttpEndpoint):
    """The endpoint, for a client that reads server-sent events too."""

    def failure(self, error: httpx.TransportError) -> ConnectionFailure:
        """Return what a failure of the transport means."""
        if isinstance(error, httpx_sse.SSEError):
            return BadAnswer(str(error), possibly_executed=True)
        return super().failure(error)


def _result(status: int, body: bytes) -> dict[str, Any]:
    answer = read_object(body)
    if status == _OK:
        return answer
    if not isinstance(answer.get("code"), str):
        raise BadAnswer(f"HTTP status {status} without an error object", possibly_executed=True)
    raise error_of(answer)


def _body(params: dict[str, object] | None) -> bytes:
    return frame(params or {})


class _SseState:
    """The feed's rules on top of server-sent events, whose first event may announce a loss."""

    def __init__(self, after_sequence: int | None, names: Collection[str] | None) -> None:
        self.feed = FeedState(after_sequence, names)
        self._failing_since: float | None = None

    def headers(self) -> dict[str, str]:
        """Return the headers to subscribe with."""
        return {"last-event-id": str(self.feed.params()["after_sequence"])}

    def items(self, event: httpx_sse.ServerSentEvent) -> tuple[Event | Resync, ...]:
        """Return what the consumer sees of an event."""
        self._failing_since = None
        items = self.feed.frame(read_object(event.data.encode()))
        if len(items) == 1 and isinstance(items[0], Resync):
            self.feed.jump(items[0].sequence)
        return items

    def delay(self, error: Exception, give_up_after: float | None) -> float:
        """Return the seconds to wait before the next try, or raise the error."""
        now = monotonic()
        self._failing_since = self._failing_since or now
        over = give_up_after is not None and now - self._failing_since > give_up_after
        if not self.feed.connected_before or over:
            raise error
        return self.feed.delay()


class HttpClient:
    """Talks to a session's HTTP socket; keeps connections alive until it is closed."""

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
        self._endpoint = _Endpoint(found, resolve_token(token, token_file, token_env))
        self.timeout = timeout
        self._http = httpx.Client(
            transport=httpx.HTTPTransport(uds=found), base_url=_BASE, headers=self._endpoint.headers
        )
        self._closed = threading.Event()

    def call(
        self, method: str, params: dict[str, object] | None = None, *, timeout: float | None = None
    ) -> dict[str, Any]:
        """Call a method and return its result; raises what `LuvusClient.call` raises."""
        body, wait = _body(params), patience(method, params or {}, self.timeout)
        self._endpoint.look()
        try:
            with self._http.stream(
                "POST", method, content=body, timeout=wait if timeout is None else timeout
            ) as response:
                held = bytearray()
                for piece in response.iter_bytes():
                    held += piece
                    if len(held) > FRAME_LIMIT:
                        raise overlong()
                return _result(response.status_code, bytes(held))
        except httpx.TransportError as error:
            raise self._endpoint.failure(error) from error

    def events(
        self,
        after_sequence: int | None = None,
        names: Collection[str] | None = None,
        *,
        give_up_after: float | None = GIVE_UP_AFTER_S,
    ) -> Iterator[Event | Resync]:
        """Follow the events across lost connections; subscribed at the first item."""
        state = _SseState(after_sequence, names)
        while not self._closed.is_set():
            try:
                yield from self._follow(state)
            except BadAnswer:
                raise
            except ConnectionFailure as error:
                self._closed.wait(state.delay(error, give_up_after))

    def _follow(self, state: _SseState) -> Iterator[Event | Resync]:
        resync = self._begin(state)
        if resync is not None:
            yield resync
        wait = httpx.Timeout(self.timeout, read=SILENCE_LIMIT_S)
        try:
            with httpx_sse.connect_sse(
                self._http, "GET", "events", headers=state.headers(), timeout=wait
            ) as source:
                if source.response.status_code != _OK:
                    _result(source.response.status_code, source.response.read())
                state.feed.reached()
                for event in source.iter_sse():
                    yield from state.items(event)
        except httpx.TransportError as error:
            raise self._endpoint.failure(error) from error
        raise ConnectionLost("the server ended the event stream", possibly_executed=False)

    def _begin(self, state: _SseState) -> Resync | None:
        state.feed.connecting(self._endpoint.look())
        if not state.feed.needs_fence:
            return None
        # An event stream over HTTP does not tell where it begins, so begin where we know.
        known = self.call("uhp.capabilities")
        return state.feed.acknowledged({"sequence": known.get("event_sequence")})

    def close(self) -> None:
        """Close the connections that are kept alive."""
        self._closed.set()
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


class AsyncHttpClient:
    """Talks to a session's HTTP socket from an event loop; close it."""

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
        self._endpoint = _Endpoint(found, resolve_token(token, token_file, token_env))
        self.timeout = timeout
        self._http = httpx.AsyncClient(
            transport=httpx.AsyncHTTPTransport(uds=found),
            base_url=_BASE,
            headers=self._endpoint.headers,
        )

    async def call(
        self, method: str, params: dict[str, object] | None = None, *, timeout: float | None = None
    ) -> dict[str, Any]:
        """Call a method and return its result; raises what `AsyncLuvusClient.call` raises."""
        body, wait = _body(params), patience(method, params or {}, self.timeout)
        self._endpoint.look()
        try:
            async with self._http.stream(
                "POST", method, content=body, timeout=wait if timeout is None else timeout
            ) as response:
                held = bytearray()
                async for piece in response.aiter_bytes():
                    held += piece
                    if len(held) > FRAME_LIMIT:
                        raise overlong()
                return _result(response.status_code, bytes(held))
        except httpx.TransportError as error:
            raise self._endpoint.failure(error) from error

    async def events(
        self,
        after_sequence: int | None = None,
        names: Collection[str] | None = None,
        *,
        give_up_after: float | None = GIVE_UP_AFTER_S,
    ) -> AsyncIterator[Event | Resync]:
        """Follow the events across lost connections; subscribed at the first item."""
        state = _SseState(after_sequence, names)
        while True:
            try:
                async for item in self._follow(state):
                    yield item
            except BadAnswer:
                raise
            except ConnectionFailure as error:
                await asyncio.sleep(state.delay(error, give_up_after))

    async def _follow(self, state: _SseState) -> AsyncIterator[Event | Resync]:
        resync = await self._begin(state)
        if resync is not None:
            yield resync
        wait = httpx.Timeout(self.timeout, read=SILENCE_LIMIT_S)
        try:
            async with httpx_sse.aconnect_sse(
                self._http, "GET", "events", headers=state.headers(), timeout=wait
            ) as source:
                if source.response.status_code != _OK:
                    _result(source.response.status_code, await source.response.aread())
                state.feed.reached()
                async for event in source.aiter_sse():
                    for item in state.items(event):
                        yield item
        except httpx.TransportError as error:
            raise self._endpoint.failure(error) from error
        raise ConnectionLost("the server ended the event stream", possibly_executed=False)

    async def _begin(self, state: _SseState) -> Resync | None:
        state.feed.connecting(self._endpoint.look())
        if not state.feed.needs_fence:
            return None
        # An event stream over HTTP does not tell where it begins, so begin where we know.
        known = await self.call("uhp.capabilities")
        return state.feed.acknowledged({"sequence": known.get("event_sequence")})

    async def aclose(self) -> None:
        """Close the connections that are kept alive."""
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
