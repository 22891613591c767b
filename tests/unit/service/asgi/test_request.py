from __future__ import annotations

import asyncio
from typing import Any

import pytest

from luvus_service.asgi.request import (
    BODY_BYTES,
    Hung,
    body_of,
    envelope_of,
    noticing_hang_up,
    token_of,
)
from luvus_service.rpc.call import Call
from luvus_service.rpc.dispatch import PLAIN, Envelope
from luvus_service.rpc.errors import FrameTooLarge, InvalidRequest
from tests.support.wires import HUNG_UP, Wire, http, request

FORM = "`Authorization` must be `Bearer <token>`"
ASCII = "the bearer token must be printable ASCII"


def scope(*values: bytes) -> dict[str, Any]:
    """Return the scope of a request with these `Authorization` headers among others."""
    headers = [(b"host", b"x"), *((b"authorization", value) for value in values)]
    return http("/", "POST", *headers)


@pytest.mark.parametrize(
    ("value", "token"),
    [
        (b"Bearer abc", "abc"),
        (b"bearer abc", "abc"),
        (b"BEARER   abc ", "abc"),
        (b"Bearer " + b"t" * 256, "t" * 256),
        (b"Bearer !~", "!~"),
    ],
)
def test_a_bearer_token_is_found(value: bytes, token: str) -> None:
    assert token_of(scope(value)) == token


def test_a_request_without_the_header_has_no_token() -> None:
    assert token_of(scope()) is None


def test_of_two_headers_the_first_counts() -> None:
    assert token_of(scope(b"Bearer a", b"Bearer b")) == "a"


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (b"", FORM),
        (b"Bearer", FORM),
        (b"Bearer ", FORM),
        (b"Basic abc", FORM),
        (b"abc", FORM),
        (b"Bearer\tabc", FORM),
        (b"Bearer " + b"t" * 257, FORM),
        (b"Bearer a b", ASCII),
        (b"Bearer t\xc3\xb6", ASCII),
        (b"Bearer a\x7f", ASCII),
    ],
)
def test_a_header_that_is_no_bearer_token_is_refused(value: bytes, message: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        token_of(scope(value))

    assert refused.value.message == message


@pytest.mark.parametrize("more", [{}, {"extensions": None}, {"extensions": {"other": {}}}])
def test_an_http_client_has_a_plain_envelope(more: dict[str, Any]) -> None:
    assert envelope_of(http(**more)) is PLAIN


def test_what_a_bridge_noticed_around_the_parameters_is_found() -> None:
    noticed = {"luvus.envelope": {"extra": ["x", "y"], "params": "null"}}

    assert envelope_of(http(extensions=noticed)) == Envelope(("x", "y"), "null")


@pytest.mark.parametrize(
    ("messages", "body"),
    [
        ([request()], b""),
        ([{"type": "http.request"}], b""),
        ([request(b"{}")], b"{}"),
        ([request(b"{", more=True), request(b"", more=True), request(b"}")], b"{}"),
        ([request(b"x" * BODY_BYTES)], b"x" * BODY_BYTES),
    ],
)
async def test_a_body_is_read_whole(messages: list[dict[str, Any]], body: bytes) -> None:
    assert await body_of(Wire(*messages).receive) == body


@pytest.mark.parametrize(
    "parts", [[b"x" * (BODY_BYTES + 1)], [b"x" * BODY_BYTES, b"y"], [b"x" * 600_000] * 9]
)
async def test_a_body_over_the_limit_is_refused_at_the_first_byte_too_much(
    parts: list[bytes],
) -> None:
    wire = Wire(*(request(part, more=True) for part in parts))

    with pytest.raises(FrameTooLarge, match=f"larger than {BODY_BYTES} bytes"):
        await body_of(wire.receive)


async def test_a_client_that_leaves_before_its_body_is_complete_has_hung_up() -> None:
    with pytest.raises(Hung):
        await body_of(Wire(request(b"{", more=True), HUNG_UP).receive)


async def test_a_hang_up_is_noticed_while_a_call_runs() -> None:
    wire, call = Wire(request()), Call()

    async with noticing_hang_up(wire.receive, call):
        assert not call.gone.is_set()
        wire.put(HUNG_UP)
        await asyncio.wait_for(call.gone.wait(), 5)


async def test_nobody_listens_for_a_hang_up_once_the_call_has_ended() -> None:
    wire, call = Wire(), Call()
    async with noticing_hang_up(wire.receive, call):
        await asyncio.sleep(0)

    wire.put(HUNG_UP)
    assert await wire.receive() == HUNG_UP
    assert not call.gone.is_set()
