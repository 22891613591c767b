"""The `web_fetch` tool: one page over HTTP, never from a private address unless allowed.

Names are resolved here and the connection goes to the address that was checked, so that a name
cannot point elsewhere a moment later. Proxies of the environment are not used for that reason.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
import ssl
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit, urlunsplit

from luvus_service.adapters.tools.arguments import (
    Arguments,
    Prepared,
    failed,
    integer,
    schema,
    string,
)
from luvus_service.adapters.tools.page_text import page_text
from luvus_service.luxe.domain.limits import CONNECT_S, OUTPUT_BYTES
from luvus_service.luxe.domain.permission_units import NamedUnit
from luvus_service.luxe.domain.tool_ports import (
    InputRefused,
    Outcome,
    PreparedCall,
    Preview,
    Progress,
    Workbench,
)
from luvus_service.luxe.domain.values import Input, Mode, ToolKind

if TYPE_CHECKING:
    import httpx

IN_BYTES = 5 * 1024 * 1024
OUT_BYTES = OUTPUT_BYTES - 1_024
REDIRECTS = 5
TIMEOUT_S = 30
TIMEOUT_MAX_S = 120
URL_CHARS = 4_096
FORMATS = ("markdown", "text", "html")
_HEADERS = {
    "User-Agent": "luxe",
    "Accept": "text/html, text/*;q=0.9, application/json;q=0.8, */*;q=0.1",
    "Accept-Encoding": "gzip, deflate",
}
_TEXTUAL = ("text/", "application/json", "application/xml", "application/xhtml", "+json", "+xml",
            "application/javascript", "application/yaml")  # fmt: skip


class _Refused(Exception):
    """The page is not fetched; the sentence says why."""


@dataclass(frozen=True, slots=True)
class _Answer:
    status: int
    kind: str
    raw: bytes
    charset: str
    location: str | None = None
    cut: bool = False


class WebFetchTool:
    """Fetches web pages."""

    name = "web_fetch"
    description = (
        "Fetch one page by its http or https address and return its text. Redirects to another"
        " host are told, not followed."
    )
    parameters: Mapping[str, Any] = schema(
        ("url",),
        url=string("The whole address."),
        format={"type": "string", "enum": list(FORMATS)},
        timeout=integer(f"Seconds, {TIMEOUT_S} if not given.", 1, TIMEOUT_MAX_S),
    )
    kind: ToolKind = "fetch"
    reads_only = True
    modes: frozenset[Mode] = frozenset({"build", "plan"})

    def __init__(self, allow_private: Collection[str] = ()) -> None:
        """`allow_private` are hosts of the user's configuration that may have private addresses."""
        self._allow_private = frozenset(host.lower() for host in allow_private)

    async def prepare(self, given: Input, bench: Workbench) -> PreparedCall:
        """Check the address."""
        arguments = Arguments(given)
        url = arguments.text("url", "uri", limit=URL_CHARS).strip()
        host = _host(url)
        shape = arguments.choice("format", FORMATS, "markdown")
        timeout = arguments.number("timeout", default=TIMEOUT_S, most=TIMEOUT_MAX_S)

        async def work(_progress: Progress) -> Outcome:
            try:
                async with asyncio.timeout(timeout):
                    return await self._fetch(url, host, shape)
            except TimeoutError:
                return Outcome(f"{host} did not answer in {timeout} s", "timed_out")
            except _Refused as refusal:
                return failed(str(refusal))

        return Prepared(Preview(f"Fetch {url}", (NamedUnit("web_fetch", host),)), work)

    async def _fetch(self, url: str, host: str, shape: str) -> Outcome:
        # Imported at the first page: most sessions fetch none.
        import httpx

        # `trust_env` off: a proxy would resolve the name again, and might see private addresses.
        async with httpx.AsyncClient(trust_env=False, timeout=CONNECT_S) as client:
            for _ in range(REDIRECTS + 1):
                try:
                    answer = await self._get(client, url, host)
                except (httpx.HTTPError, httpx.InvalidURL, ssl.SSLError, OSError) as fault:
                    raise _Refused(
                        f"{host} cannot be asked: {str(fault) or type(fault).__name__}"
                    ) from None
                if answer.location is None:
                    return await asyncio.to_thread(_outcome, url, answer, shape)
                target = urljoin(url, answer.location)
                try:
                    other = _host(target)
                except InputRefused as refusal:
                    raise _Refused(f"{url} redirects to {target}: {refusal}") from None
                if other != host:
                    # Another host needs a permission of its own.
                    return Outcome(f"{url} redirects to {target}: fetch that address if it helps")
                url = target
        raise _Refused(f"{url} redirects more than {REDIRECTS} times")

    async def _get(self, client: httpx.AsyncClient, url: str, host: str) -> _Answer:
        parts = urlsplit(url)
        address = await self._address(host, parts.port or (443 if parts.scheme == "https" else 80))
        shown = f"[{address}]" if ":" in address else address
        netloc = shown if parts.port is None else f"{shown}:{parts.port}"
        pinned = urlunsplit((parts.scheme, netloc, parts.path or "/", parts.query, ""))
        asked_for = host if parts.port is None else f"{host}:{parts.port}"
        request = client.build_request(
            "GET",
            pinned,
            headers={**_HEADERS, "Host": asked_for},
            extensions={"sni_hostname": host},
        )
        response = await client.send(request, stream=True, follow_redirects=False)
        try:
            location = response.headers.get("location") if response.is_redirect else None
            kind = response.headers.get("content-type", "text/plain").lower()
            raw = bytearray()
            if location is None and _is_textual(kind):
                async for chunk in response.aiter_bytes(64 * 1024):
                    raw += chunk
                    if len(raw) > IN_BYTES:
                        break
            charset = response.charset_encoding or "utf-8"
            whole = len(raw) <= IN_BYTES
            return _Answer(
                response.status_code, kind, bytes(raw[:IN_BYTES]), charset, location, not whole
            )
        finally:
            await response.aclose()

    async def _address(self, host: str, port: int) -> str:
        """Return one address of a host, after all of them were found to be public."""
        loop = asyncio.get_running_loop()
        try:
            found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError):
            raise _Refused(f"there is no host {host}") from None
        addresses = [str(item[4][0]) for item in found]
        if not addresses:
            raise _Refused(f"{host} has no address")
        if host not in self._allow_private:
            for address in addresses:
                if not is_public(address):
                    raise _Refused(f"{host} has the private address {address}; it is not fetched")
        return addresses[0]


def is_public(address: str) -> bool:
    """Say whether an address is one of the open internet."""
    found = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(found, ipaddress.IPv6Address):
        inner = found.ipv4_mapped or found.sixtofour or (found.teredo or (None, None))[1]
        if inner is None and found in ipaddress.IPv6Network("64:ff9b::/96"):
            inner = ipaddress.IPv4Address(int(found) & 0xFFFFFFFF)
        if inner is not None:
            return is_public(str(inner))
    return found.is_global and not found.is_multicast and not found.is_reserved


def _host(url: str) -> str:
    """Return an address's host in small letters.

    Raises:
        InputRefused: It is no address of the web.
    """
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        raise InputRefused(f"`url` is no address: {url[:200]}") from None
    if parts.scheme not in {"http", "https"}:
        raise InputRefused(f"`url` must begin with http:// or https://, not {url[:80]!r}")
    if not host or parts.username is not None or any(char <= " " for char in url):
        raise InputRefused(f"`url` must be a plain address of a host: {url[:200]}")
    try:
        plain = host.rstrip(".").encode("idna").decode("ascii") if ":" not in host else host
    except UnicodeError:
        raise InputRefused(f"`url` has no valid host: {host}") from None
    return plain.lower()


def _is_textual(kind: str) -> bool:
    return any(sign in kind.partition(";")[0] for sign in _TEXTUAL)


def _outcome(url: str, answer: _Answer, shape: str) -> Outcome:
    if not _is_textual(answer.kind):
        return failed(f"{url} is {answer.kind.partition(';')[0]}, which is no text")
    try:
        text = answer.raw.decode(answer.charset, "replace")
    except LookupError:
        text = answer.raw.decode("utf-8", "replace")
    if "html" in answer.kind and shape != "html":
        text = page_text(text, markdown=shape == "markdown")
    raw = text.encode("utf-8", "replace")
    cut = answer.cut or len(raw) > OUT_BYTES
    if len(raw) > OUT_BYTES:
        text = raw[:OUT_BYTES].decode("utf-8", "replace") + "\n[the page goes on]"
    if answer.status >= 400:
        return Outcome(f"{url} answered {answer.status}\n{text}", "failed", truncated=cut)
    return Outcome(text or "[the page is empty]", truncated=cut)
