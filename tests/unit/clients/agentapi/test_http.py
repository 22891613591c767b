from __future__ import annotations

import asyncio
import socket
from http import HTTPStatus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from luvus_client.agentapi import http
from luvus_client.agentapi.http import Refused, Request, check_origin, parse_head, read_request

HEAD = b"POST /message?last=3 HTTP/1.1\r\nHost: localhost:3284\r\nContent-Length: 2\r\n\r\n"
WHOLE = Request("POST", "/message", {"host": "localhost:3284", "content-length": "2"}, b"{}")


async def fed(*pieces: bytes) -> Request | None:
    reader = asyncio.StreamReader()
    for piece in pieces:
        reader.feed_data(piece)
    reader.feed_eof()
    return await read_request(reader)


async def test_a_request_of_one_byte_pieces_is_read_whole() -> None:
    raw = HEAD + b"{}"

    assert await fed(*(raw[at : at + 1] for at in range(len(raw)))) == WHOLE


@pytest.mark.parametrize("cut", [0, 10, len(HEAD), len(HEAD) + 1])
async def test_a_request_that_breaks_off_is_none(cut: int) -> None:
    assert await fed((HEAD + b"{}")[:cut]) is None


async def test_a_request_that_does_not_arrive_in_time_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(http, "REQUEST_S", 0.01)
    reader = asyncio.StreamReader()
    reader.feed_data(HEAD)

    with pytest.raises(Refused, match=r"did not arrive within 0\.01 s") as refused:
        await read_request(reader)

    assert refused.value.status is HTTPStatus.REQUEST_TIMEOUT


async def test_a_client_that_does_not_read_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "WRITE_S", 0.01)
    near, far = socket.socketpair()
    _, writer = await asyncio.open_connection(sock=near)

    with far, pytest.raises(ConnectionError, match="does not read"):
        await http.write(writer, b"x" * 4_194_304)

    writer.transport.abort()
    await asyncio.sleep(0)


@given(st.text(max_size=60))
def test_a_head_is_read_or_refused_whatever_it_is(head: str) -> None:
    try:
        found = parse_head(head)
    except Refused as refused:
        assert refused.status is HTTPStatus.BAD_REQUEST
    else:
        assert found.path.startswith(("/", "*"))


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:1", "127.0.0.1:3284", "[::1]:3284"])
def test_names_of_the_loopback_interface_are_served(host: str) -> None:
    check_origin(Request("GET", "/status", {"host": host}))
    check_origin(Request("GET", "/status", {"host": host, "origin": f"http://{host}"}))


@pytest.mark.parametrize(
    "host",
    ["", "localhost.evil.example", "evil.example", "127.0.0.2", "localhost:1\n", "localhost:", "0"],
)
def test_other_names_are_refused(host: str) -> None:
    with pytest.raises(Refused, match="is not served"):
        check_origin(Request("GET", "/status", {"host": host}))


@pytest.mark.parametrize("origin", ["null", "http://localhost:3000", "https://localhost", ""])
def test_pages_of_other_places_are_refused(origin: str) -> None:
    with pytest.raises(Refused, match="are not served"):
        check_origin(Request("GET", "/status", {"host": "localhost", "origin": origin}))
