"""The HTTP client of the providers, behind a port of one method.

The client library is imported with the first request. All providers share one client; a client
that is closed while answers stream is let go by the last of them.
"""

from __future__ import annotations

import asyncio
import importlib
import logging
import sys
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, Protocol

from luvus_service.luxe.domain.limits import CONNECT_S, READ_S

if TYPE_CHECKING:
    import httpx

CONNECTIONS: Final = 32
IDLE_CONNECTIONS: Final = 8
IDLE_S: Final = 30.0
"""How long an idle connection is kept; shorter than the patience of the usual gateways."""


@dataclass(frozen=True, slots=True)
class Waits:
    """How long is waited for a connection and for each next byte, in seconds."""

    connect_s: float = CONNECT_S
    silence_s: float = READ_S


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer whose body is still coming."""

    status: int
    headers: Mapping[str, str]
    """Names in lower case."""
    chunks: AsyncIterator[bytes]


class HttpFault(Exception):
    """No answer, or no more of it; the text names neither headers nor bodies."""

    def __init__(
        self, kind: Literal["connect", "timeout", "broken", "cut", "address"], message: str
    ) -> None:
        super().__init__(message)
        self.kind = kind


class Http(Protocol):
    """Sends requests."""

    def request(
        self,
        method: Literal["GET", "POST"],
        url: str,
        headers: Mapping[str, str],
        body: bytes | None,
        waits: Waits,
    ) -> AbstractAsyncContextManager[Reply]:
        """Send a request; leaving the context drops what has not been read.

        Raises:
            HttpFault: It failed, or reading its chunks did.
        """
        ...

    async def warm(self) -> None:
        """Get what the first request needs; nothing is sent."""
        ...

    async def close(self) -> None:
        """Drop idle connections; requests under way go on."""
        ...


class HttpxClient:
    """`Http` over httpx. It makes its client again after `close`."""

    def __init__(self) -> None:
        self._client: httpx.AsyncClient | None = None
        self._using: dict[int, int] = {}
        """Requests under way, by the identity of their client."""

    async def warm(self) -> None:
        """Get all that the first request needs, without holding up the loop."""
        try:
            made = await asyncio.to_thread(_made)
        except (ImportError, OSError, ValueError):
            # The first request says so to somebody who waits for an answer.
            return
        if self._client is None:
            self._client = made

    @asynccontextmanager
    async def request(
        self,
        method: Literal["GET", "POST"],
        url: str,
        headers: Mapping[str, str],
        body: bytes | None,
        waits: Waits,
    ) -> AsyncGenerator[Reply, None]:
        """Send a request."""
        client = self._taken()
        import httpx

        timeout = httpx.Timeout(waits.silence_s, connect=waits.connect_s, pool=waits.connect_s)
        try:
            async with client.stream(
                method, url, headers=dict(headers), content=body, timeout=timeout
            ) as response:
                found = {name.lower(): value for name, value in response.headers.items()}
                yield Reply(response.status_code, found, response.aiter_bytes())
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise _fault(error) from error
        finally:
            await self._released(client)

    async def close(self) -> None:
        """Drop idle connections."""
        client, self._client = self._client, None
        if client is not None and not self._using.get(id(client)):
            await client.aclose()

    def _taken(self) -> httpx.AsyncClient:
        client = self._client
        if client is None:
            try:
                client = self._client = _made()
            except (ImportError, OSError, ValueError) as error:
                # What the environment says of proxies and certificates is read here.
                raise HttpFault(
                    "address", "a proxy or certificate of the environment cannot be used"
                ) from error
        self._using[id(client)] = self._using.get(id(client), 0) + 1
        return client

    async def _released(self, client: httpx.AsyncClient) -> None:
        left = self._using.pop(id(client)) - 1
        if left:
            self._using[id(client)] = left
        elif client is not self._client:
            await client.aclose()


def _quiet() -> None:
    """Keep the library from logging what goes over the wire, which it does at lower levels."""
    for name in ("httpx", "httpcore"):
        logger = logging.getLogger(name)
        if logger.level < logging.WARNING:
            logger.setLevel(logging.WARNING)


def _made() -> httpx.AsyncClient:
    """Import the library and return a client of it; reading the certificates takes longest."""
    # Its command line draws with rich where that is installed; importing both takes as long again.
    sys.modules.setdefault("httpx._main", None)  # type: ignore[arg-type] # "not to be imported"
    import httpx

    importlib.import_module("luvus_service.adapters.providers.caller")
    _quiet()
    limits = httpx.Limits(
        max_connections=CONNECTIONS,
        max_keepalive_connections=IDLE_CONNECTIONS,
        keepalive_expiry=IDLE_S,
    )
    return httpx.AsyncClient(follow_redirects=False, limits=limits)


def _fault(error: Exception) -> HttpFault:
    import httpx

    if isinstance(error, httpx.ConnectTimeout | httpx.PoolTimeout):
        return HttpFault("timeout", "no connection in time")
    if isinstance(error, httpx.TimeoutException):
        return HttpFault("timeout", "silence for too long")
    if isinstance(error, httpx.ConnectError | httpx.ProxyError):
        return HttpFault("connect", str(error) or "the connection was refused")
    if isinstance(error, httpx.InvalidURL | httpx.UnsupportedProtocol):
        return HttpFault("address", "the address cannot be used")
    if isinstance(error, httpx.LocalProtocolError):
        return HttpFault("address", "a header cannot be sent")
    return HttpFault("broken", "the connection broke")
