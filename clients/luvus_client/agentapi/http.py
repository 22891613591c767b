"""The small part of HTTP/1.1 that the contract needs: one request on a connection, then its answer.

Knows no path. Every read and write has a limit in bytes and seconds.
"""

from __future__ import annotations

import asyncio
import json
import re
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

HEAD_BYTES = 16_384
BODY_BYTES = 2_097_152
"""Room for the longest prompt with every character escaped."""
REQUEST_S = 10.0
"""How long a request may take to arrive."""
WRITE_S = 10.0
"""How long a client may read nothing of what is written."""

_REQUEST = re.compile(r"([A-Z]{1,16}) (/[\x21-\x7e]{0,2047}|\*) HTTP/1\.[01]")
_FIELD = re.compile(r"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([^\x00-\x08\x0a-\x1f\x7f]*?)[ \t]*")
_LOOPBACK = re.compile(r"(?:localhost|127\.0\.0\.1|\[::1\])(?::[0-9]{1,5})?", re.IGNORECASE)
_LENGTH = re.compile(r"[0-9]{1,10}")
_JSON = re.compile(r"application/json(?:\s*;.*)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Request:
    """A request; names of headers are in lower case."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes = b""


class Refused(Exception):
    """The request is answered with an error."""

    def __init__(self, status: HTTPStatus, detail: str) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail


async def read_request(reader: asyncio.StreamReader) -> Request | None:
    """Return the request of a connection, or None when the client left before it was whole.

    Raises:
        Refused: It is none, is too large, or must not be served.
    """
    try:
        async with asyncio.timeout(REQUEST_S):
            head = await reader.readuntil(b"\r\n\r\n")
            request = parse_head(head.decode("latin-1"))
            check_origin(request)
            length = body_length(request)
            body = await reader.readexactly(length) if length else b""
    except asyncio.IncompleteReadError:
        return None
    except asyncio.LimitOverrunError as error:
        raise Refused(
            HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE,
            f"the head of the request is longer than {HEAD_BYTES} bytes",
        ) from error
    except TimeoutError as error:
        raise Refused(
            HTTPStatus.REQUEST_TIMEOUT, f"the request did not arrive within {REQUEST_S:g} s"
        ) from error
    return Request(request.method, request.path, request.headers, body)


def parse_head(head: str) -> Request:
    """Read a request line and its headers.

    Raises:
        Refused: It is no HTTP, or a header is given twice.
    """
    line, *fields = head.removesuffix("\r\n\r\n").split("\r\n")
    found = _REQUEST.fullmatch(line)
    if found is None:
        raise Refused(HTTPStatus.BAD_REQUEST, "the request line is not one of HTTP/1.1")
    headers: dict[str, str] = {}
    for field in fields:
        pair = _FIELD.fullmatch(field)
        if pair is None:
            raise Refused(HTTPStatus.BAD_REQUEST, "a line of the request's head is no header")
        name = pair[1].lower()
        if name in headers and name in ("content-length", "content-type", "host", "origin"):
            raise Refused(HTTPStatus.BAD_REQUEST, f"the header {name} is given twice")
        headers[name] = pair[2]
    return Request(found[1], found[2].partition("?")[0], headers)


def check_origin(request: Request) -> None:
    """Refuse names that lead here from elsewhere, and pages of other sites.

    A page that made its own name point to this machine would send that name as the host.

    Raises:
        Refused: The host is not of the loopback interface, or the page is not from this server.
    """
    host = request.headers.get("host", "")
    if _LOOPBACK.fullmatch(host) is None:
        raise Refused(
            HTTPStatus.FORBIDDEN,
            f"the host {host[:100]!r} is not served; use localhost, 127.0.0.1 or [::1]",
        )
    origin = request.headers.get("origin")
    if origin is not None and origin.lower() != f"http://{host}".lower():
        raise Refused(HTTPStatus.FORBIDDEN, f"pages of {origin[:100]!r} are not served")


def body_length(request: Request) -> int:
    """Return how many bytes of body follow.

    Raises:
        Refused: That is not told, or too many.
    """
    if "transfer-encoding" in request.headers:
        raise Refused(HTTPStatus.LENGTH_REQUIRED, "send the body with a Content-Length")
    text = request.headers.get("content-length", "0")
    if _LENGTH.fullmatch(text) is None:
        raise Refused(HTTPStatus.BAD_REQUEST, "the Content-Length is no number")
    if int(text) > BODY_BYTES:
        raise Refused(
            HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
            f"the body has {text} bytes; {BODY_BYTES} are taken",
        )
    return int(text)


def json_object(request: Request) -> dict[str, Any]:
    """Return the body as an object.

    Raises:
        Refused: It is not one, or not said to be JSON, which a page of another site could send.
    """
    if _JSON.fullmatch(request.headers.get("content-type", "")) is None:
        raise Refused(
            HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "send the body with Content-Type: application/json"
        )
    try:
        value: object = json.loads(request.body)
    except (ValueError, RecursionError) as error:
        raise Refused(
            HTTPStatus.BAD_REQUEST, f"the body cannot be read as JSON: {error}"
        ) from error
    if not isinstance(value, dict):
        raise Refused(HTTPStatus.UNPROCESSABLE_ENTITY, "the body must be a JSON object")
    return value  # pyright: ignore[reportUnknownVariableType]


async def write_json(
    writer: asyncio.StreamWriter, value: dict[str, Any], status: HTTPStatus = HTTPStatus.OK
) -> None:
    """Answer with JSON."""
    kind = "application/json" if status is HTTPStatus.OK else "application/problem+json"
    body = json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")
    await write(writer, _head(status, kind, len(body)) + body)


async def write_refusal(writer: asyncio.StreamWriter, refused: Refused) -> None:
    """Answer with an error."""
    status = refused.status
    problem = {"title": status.phrase, "status": int(status), "detail": refused.detail}
    await write_json(writer, problem, status)


async def write_stream_head(writer: asyncio.StreamWriter) -> None:
    """Begin an answer of server-sent events."""
    await write(writer, _head(HTTPStatus.OK, "text/event-stream", None))


async def write_event(
    writer: asyncio.StreamWriter, number: int, name: str, value: dict[str, Any]
) -> None:
    """Write one server-sent event; JSON text has no line breaks of its own."""
    text = f"id: {number}\nevent: {name}\ndata: {json.dumps(value, ensure_ascii=False)}\n\n"
    await write(writer, text.encode("utf-8", "replace"))


async def write(writer: asyncio.StreamWriter, raw: bytes) -> None:
    """Write bytes and wait until the client has taken them.

    Raises:
        ConnectionError: It went away, or read nothing for too long.
    """
    writer.write(raw)
    try:
        async with asyncio.timeout(WRITE_S):
            await writer.drain()
    except TimeoutError as error:
        raise ConnectionError("the client does not read") from error


def _head(status: HTTPStatus, kind: str, length: int | None) -> bytes:
    lines = [
        f"HTTP/1.1 {int(status)} {status.phrase}",
        f"Content-Type: {kind}",
        "Cache-Control: no-store",
        "X-Content-Type-Options: nosniff",
        "Connection: close",
    ]
    if length is not None:
        lines.append(f"Content-Length: {length}")
    return "\r\n".join([*lines, "", ""]).encode("ascii")
