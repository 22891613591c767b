"""The HTTP client of the providers, behind a port of one method.

The client library is imported with the first request. All providers share one client; a client
that is closed while answers stream is let go by the last of them.
"""

from __future__ import annotations

import asyncio
import importlib
import logging
import ssl
import sys
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from socket import gaierror
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol, cast

from luvus_service.luxe.domain.limits import CONNECT_S, READ_S

if TYPE_CHECKING:
    import httpx

CONNECTIONS: Final = 32
IDLE_CONNECTIONS: Final = 8
_COMMAND: Final = "httpx._main"
CAUSES: Final = 8
"""Of an error that are looked through for what the system said."""
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
        """Import and read all that the first request needs, without holding up the loop."""
        ...

    async def close(self) -> None:
        """Drop idle connections; requests under way go on."""
        ...


class HttpxClient:
    """`Http` over httpx. It makes its clients again after `close`.

    Addresses without TLS have a client of their own: reading all certificates takes longer than
    everything else before the first byte.
    """

    def __init__(self) -> None:
        self._clients: dict[bool, httpx.AsyncClient] = {}
        """By whether they speak TLS."""
        self._tls: ssl.SSLContext | None = None
        self._using: dict[int, int] = {}
        """Requests under way, by the identity of their client."""

    async def warm(self) -> None:
        """Import and read all that the first request needs, without holding up the loop."""
        self._tls = await asyncio.to_thread(_prepared)

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
        httpx = _library()
        client = self._taken(url)
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
        clients, self._clients = self._clients, {}
        for client in clients.values():
            if not self._using.get(id(client)):
                await client.aclose()

    def _taken(self, url: str) -> httpx.AsyncClient:
        secure = _needs_tls(url)
        client = self._clients.get(secure)
        if client is None:
            client = self._clients[secure] = self._made(secure=secure)
        self._using[id(client)] = self._using.get(id(client), 0) + 1
        return client

    def _made(self, *, secure: bool) -> httpx.AsyncClient:
        library = _library()
        _quiet()
        limits = library.Limits(
            max_connections=CONNECTIONS,
            max_keepalive_connections=IDLE_CONNECTIONS,
            keepalive_expiry=IDLE_S,
        )
        # The context of the other client trusts nobody, should it ever be used.
        verify = self._tls or True if secure else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        try:
            client: httpx.AsyncClient = library.AsyncClient(
                follow_redirects=False, limits=limits, verify=verify
            )
        except (ImportError, OSError, ValueError) as error:
            # What the environment says of proxies and certificates is read here.
            raise HttpFault(
                "address", "a proxy or certificate of the environment cannot be used"
            ) from error
        return client

    async def _released(self, client: httpx.AsyncClient) -> None:
        left = self._using.pop(id(client)) - 1
        if left:
            self._using[id(client)] = left
        elif client not in self._clients.values():
            await client.aclose()


def _needs_tls(url: str) -> bool:
    """Say whether a request may have to speak TLS, to its address or to a proxy."""
    from urllib.request import getproxies

    return not url.startswith("http://") or bool(getproxies())


def _quiet() -> None:
    """Keep the library from logging what goes over the wire, which it does at lower levels."""
    for name in ("httpx", "httpcore"):
        logger = logging.getLogger(name)
        if logger.level < logging.WARNING:
            logger.setLevel(logging.WARNING)


def _library() -> Any:
    """Return the client library, imported without its command line, which takes half of the time.

    It is made to go without.
    """
    if "httpx" not in sys.modules:
        modules = cast("dict[str, Any]", sys.modules)
        modules[_COMMAND] = None
        try:
            importlib.import_module("httpx")
        finally:
            if modules.get(_COMMAND) is None:
                modules.pop(_COMMAND, None)
    return importlib.import_module("httpx")


_LATE: Final = (
    "luvus_service.adapters.providers.caller",
    "httpcore",
    "anyio._backends._asyncio",
)
"""What is imported only when the first request is sent: the library's own parts among it."""


def _prepared() -> ssl.SSLContext | None:
    library = _library()
    for name in _LATE:
        importlib.import_module(name)
    try:
        context: ssl.SSLContext = library.create_ssl_context()
    except (OSError, ValueError):
        return None  # said with the first request
    return context


def _unreachable(error: BaseException) -> str:
    """Return why nothing was reached, in the words of the system where it has some."""
    cause: BaseException | None = error
    for _ in range(CAUSES):
        if isinstance(cause, ConnectionRefusedError):
            return "the connection was refused"
        if isinstance(cause, gaierror):
            return "no such host, or no network"
        cause = (cause.__cause__ or cause.__context__) if cause is not None else None
    return str(error) or "the connection failed"


def _fault(error: Exception) -> HttpFault:
    httpx = _library()
    if isinstance(error, httpx.ConnectTimeout | httpx.PoolTimeout):
        return HttpFault("timeout", "no connection in time")
    if isinstance(error, httpx.TimeoutException):
        return HttpFault("timeout", "silence for too long")
    if isinstance(error, httpx.ConnectError | httpx.ProxyError):
        return HttpFault("connect", _unreachable(error))
    if isinstance(error, httpx.InvalidURL | httpx.UnsupportedProtocol):
        return HttpFault("address", "the address cannot be used")
    if isinstance(error, httpx.LocalProtocolError):
        return HttpFault("address", "a header cannot be sent")
    return HttpFault("broken", "the connection broke")
