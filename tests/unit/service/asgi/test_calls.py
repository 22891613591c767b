from __future__ import annotations

import asyncio
from typing import Any

import pytest

from luvus_service.asgi.calls import answer_call
from luvus_service.asgi.request import BODY_BYTES
from luvus_service.rpc.scopes import Scope
from tests.support.toys import ToyService
from tests.support.wires import HUNG_UP, Wire, http, request


async def answer(
    service: ToyService, name: str, *messages: dict[str, Any], scope: dict[str, Any] | None = None
) -> Wire:
    """Answer a call and return its wire."""
    wire = Wire(*(messages or (request(),)))
    await answer_call(service.dispatcher, name, scope or http(), wire.receive, wire.send)
    return wire


async def test_a_call_is_answered_with_its_result_as_json_of_known_length() -> None:
    wire = await answer(ToyService(), "toy.show", request(b'{"num', more=True), request(b'ber":3}'))

    assert wire.sent == [
        {
            "type": "http.response.start",
            "status": 200,
            "headers": [
                (b"content-type", b"application/json"),
                (b"content-length", b"%d" % len(wire.body)),
            ],
        },
        {"type": "http.response.body", "body": b'{"type":"shown","number":3}'},
    ]


@pytest.mark.parametrize(
    ("name", "body", "headers", "status", "code"),
    [
        ("toy.none", b"{}", (), 400, "invalid_request"),
        ("toy.show", b"[", (), 400, "invalid_request"),
        ("toy.show", b"x" * (BODY_BYTES + 1), (), 413, "frame_too_large"),
        ("toy.show", b"{}", ((b"authorization", b"Basic x"),), 400, "invalid_request"),
        ("toy.show", b"{}", ((b"authorization", b"Bearer x"),), 403, "forbidden"),
        ("toy.add", b'{"if_revision":1}', (), 409, "revision_conflict"),
        ("toy.refuse", b"{}", (), 429, "limit_exceeded"),
        ("toy.break", b"{}", (), 500, "internal"),
        ("toy.watch", b"{}", (), 426, "stream_required"),
    ],
)
async def test_a_refusal_is_an_error_object_with_the_status_of_its_kind(
    name: str, body: bytes, headers: Any, status: int, code: str
) -> None:
    wire = await answer(ToyService(), name, request(body), scope=http("/", "POST", *headers))

    assert (wire.status, wire.json["code"]) == (status, code)
    assert wire.headers[b"content-length"] == b"%d" % len(wire.body)


async def test_a_token_and_an_envelope_reach_the_dispatcher() -> None:
    service = ToyService()
    bearer = (b"authorization", b"Bearer " + service.secret(Scope.READ).encode())
    noticed = {"luvus.envelope": {"extra": ["x"], "params": "object"}}

    shown = await answer(service, "toy.show", scope=http("/", "POST", bearer))
    added = await answer(service, "toy.add", scope=http("/", "POST", bearer))
    strict = await answer(service, "toy.show", scope=http(extensions=noticed))
    lenient = await answer(service, "toy.old", scope=http(extensions=noticed))

    assert [w.status for w in (shown, added, strict, lenient)] == [200, 403, 400, 200]


async def test_a_client_that_leaves_before_its_body_is_complete_gets_no_answer() -> None:
    service = ToyService()

    wire = await answer(service, "toy.add", request(b"{", more=True), HUNG_UP)

    assert (wire.sent, service.toys.calls) == ([], [])


async def test_a_call_that_waits_notices_that_its_caller_has_left() -> None:
    service, wire = ToyService(), Wire(request(b"{}"))

    async with asyncio.TaskGroup() as group, asyncio.timeout(5):
        group.create_task(
            answer_call(service.dispatcher, "toy.wait", http(), wire.receive, wire.send)
        )
        await service.toys.waiting.wait()
        wire.put(HUNG_UP)

    assert service.toys.left.is_set()


async def test_a_call_that_could_wait_is_refused_as_any_other() -> None:
    wire = await answer(ToyService(), "toy.refuse", request(b"{}"))

    assert wire.json == {"code": "limit_exceeded", "message": "no more toys", "held": ["all"]}
