from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator
from types import MappingProxyType
from typing import Any

import pytest

from luvus_service.rpc.call import Call
from luvus_service.rpc.dispatch import PLAIN, Envelope, Prepared, error_bytes
from luvus_service.rpc.errors import Internal, InvalidRequest, LimitExceeded, RpcError, Unavailable
from luvus_service.rpc.models import Result
from luvus_service.rpc.scopes import Scope
from tests.support.toys import REFUSED, Shown, ToyService


async def call(service: ToyService, name: str, params: bytes = b"{}", **options: Any) -> Any:
    """Call a method and return its result or its error object."""
    try:
        answer = await service.dispatcher.call(name, params, **options)
    except RpcError as error:
        return error.body()
    return json.loads(answer)


def invalid(message: str) -> dict[str, Any]:
    """Return the error of a request that does not fit."""
    return {"code": "invalid_request", "message": message}


async def test_a_call_is_answered_with_the_result_of_its_method() -> None:
    service = ToyService()

    assert await call(service, "toy.show", b'{"number":3}') == {"type": "shown", "number": 3}
    assert await call(service, "toy.see", b'{"number":4}') == {"type": "shown", "number": 4}


async def test_the_revision_after_the_change_is_appended() -> None:
    service = ToyService()

    found = await call(service, "toy.add", b'{"number":3}')

    assert found == {"type": "shown", "number": 10, "revision": 10}


async def test_a_result_without_fields_gets_the_revision_too() -> None:
    assert await call(ToyService(), "toy.clear") == {"revision": 7}


async def test_parameters_may_be_left_out() -> None:
    service = ToyService()

    for params in (b"", b"{}", b" {} "):
        assert await call(service, "toy.show", params) == {"type": "shown", "number": 0}


FORBIDDEN = {"code": "forbidden", "message": "invalid or expired auth token"}


@pytest.mark.parametrize(
    ("name", "params", "options", "expected"),
    [
        ("toy.none", b"[", {"auth": "wrong"}, FORBIDDEN),
        ("toy.none", b"[", {}, invalid("unknown method 'toy.none'")),
        ("x" * 200, b"{}", {}, invalid(f"unknown method '{'x' * 128}'")),
        ("toy.add", b"[", {"auth": "wrong"}, FORBIDDEN),
        (
            "toy.add",
            b"[",
            {"envelope": Envelope(("more",))},
            invalid("unknown field 'more' beside `params`"),
        ),
        (
            "toy.add",
            b"{}",
            {"envelope": Envelope(params="other")},
            invalid("`params` must be an object"),
        ),
        ("toy.add", b"[]", {}, invalid("`params` must be an object")),
        ("toy.add", b"3", {}, invalid("`params` must be an object")),
        ("toy.add", b'{"a":1,"a":1}', {}, invalid("bad json: key 'a' is repeated")),
        ("toy.add", b'{"number":"x"}', {}, invalid("`number` must be an integer, got 'x'")),
        (
            "toy.add",
            b'{"number":"x","if_revision":1}',
            {},
            invalid("`number` must be an integer, got 'x'"),
        ),
        ("toy.add", b'{"if_revision":1}', {}, invalid("not now")),
        (
            "toy.clear",
            b'{"x":1}',
            {},
            {"code": "invalid_params", "message": "unknown field `x`; leave it out"},
        ),
        (
            "toy.show",
            b'{"if_revision":7,"number":"x"}',
            {},
            invalid("toy.show only reads; if_revision guards changes, leave it out"),
        ),
        ("toy.watch", b'{"number":"x"}', {}, invalid("`number` must be an integer, got 'x'")),
    ],
)
async def test_the_first_check_that_fails_answers_and_nothing_has_happened(
    name: str, params: bytes, options: dict[str, Any], expected: dict[str, Any]
) -> None:
    service = ToyService()

    def admits(_name: str) -> None:
        raise REFUSED

    service.admits = admits
    assert await call(service, name, params, **options) == expected
    assert (service.toys.calls, service.toys.revision) == ([], 7)


async def test_the_state_of_the_service_is_asked_before_the_revision() -> None:
    service = ToyService()
    asked: list[str] = []
    service.admits = asked.append

    found = await call(service, "toy.add", b'{"if_revision":1}')

    assert (found["code"], asked) == ("revision_conflict", ["toy.add"])


async def test_the_scopes_are_looked_at_before_the_parameters() -> None:
    service = ToyService()
    reader = service.secret(Scope.READ)

    found = await call(service, "toy.add", b'{"number":"x"}', auth=reader)

    assert found == {
        "code": "forbidden",
        "message": "the token's scopes do not cover toy.add, which needs 'workspace'",
    }
    assert (await call(service, "toy.show", auth=reader))["type"] == "shown"


async def test_a_token_with_a_scope_of_the_method_may_call_it_until_it_expires() -> None:
    service = ToyService()
    secret = service.secret(Scope.WORKSPACE)

    assert (await call(service, "toy.add", auth=secret))["revision"] == 7
    assert (await call(service, "toy.clear", auth=secret))["code"] == "forbidden"
    service.now += 60
    assert await call(service, "toy.add", auth=secret) == FORBIDDEN


async def test_a_handler_sees_the_scopes_of_the_caller() -> None:
    service = ToyService(strict_errors=True)
    secret = service.secret(Scope.READ, Scope.AGENT)

    assert (await call(service, "toy.refuse"))["held"] == ["all"]
    given = Call()
    found = await call(service, "toy.refuse", auth=secret, call=given)
    assert found["held"] == ["agent", "read"]
    assert given.scopes == frozenset({Scope.READ, Scope.AGENT})


@pytest.mark.parametrize("params", ["absent", "null"])
async def test_parameters_that_are_absent_or_null_count_as_none(params: Any) -> None:
    found = await call(ToyService(), "toy.show", b"whatever", envelope=Envelope(params=params))

    assert found == {"type": "shown", "number": 0}


async def test_an_older_method_ignores_what_it_does_not_know_around_and_inside() -> None:
    found = await call(ToyService(), "toy.old", b'{"number":1,"x":2}', envelope=Envelope(("more",)))

    assert found == {"type": "shown", "number": 1, "revision": 7}


async def test_a_long_unknown_key_is_cut() -> None:
    found = await call(ToyService(), "toy.show", envelope=Envelope(("k" * 100,)))

    assert found == invalid(f"unknown field '{'k' * 64}' beside `params`")


async def test_a_guard_that_holds_lets_the_call_through() -> None:
    service = ToyService()

    found = await call(service, "toy.add", b'{"number":1,"if_revision":7}')

    assert found == {"type": "shown", "number": 8, "revision": 8}
    assert service.toys.calls == [("toy.add", 1)]


@pytest.mark.parametrize("expected", [6, 8, "7", True, 7.5, {"a": []}, None])
async def test_a_guard_that_does_not_hold_changes_nothing(expected: Any) -> None:
    service = ToyService()
    params = json.dumps({"number": 1, "if_revision": expected}).encode()

    found = await call(service, "toy.add", params)

    assert (found["code"], found["expected"], found["actual"]) == ("revision_conflict", expected, 7)
    assert service.toys.calls == []


async def test_a_guard_of_null_says_so_in_the_words_of_json() -> None:
    found = await call(ToyService(), "toy.add", b'{"number":0,"if_revision":null}')

    assert found["message"] == "the session is at revision 7, not null; read it again, then retry"


async def test_a_guard_of_null_is_out_of_place_where_nothing_changes() -> None:
    found = await call(ToyService(), "toy.show", b'{"number":0,"if_revision":null}')

    assert found == invalid("toy.show only reads; if_revision guards changes, leave it out")


async def test_a_handler_that_waited_can_look_at_the_guard_again() -> None:
    service = ToyService()

    found = await call(service, "toy.later", b'{"if_revision":7}')

    assert (found["code"], found["expected"], found["actual"]) == ("revision_conflict", 7, 8)
    assert await call(service, "toy.later") == {"revision": 9}


async def test_a_guarded_call_is_refused_at_every_depth_that_is_too_deep() -> None:
    service = ToyService()
    codes = set()

    for depth in range(950, 1000):
        nested = b"[" * depth + b"]" * depth
        found = await call(service, "toy.add", b'{"if_revision":7,"number":' + nested + b"}")
        codes.add(found["code"])

    assert codes == {"invalid_request"}


async def test_a_stream_cannot_be_called() -> None:
    assert await call(ToyService(), "toy.watch") == {
        "code": "stream_required",
        "message": "toy.watch is a stream; open a WebSocket on the same path",
    }


async def test_an_unexpected_failure_is_answered_without_its_details(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.ERROR), pytest.raises(Internal) as failed:
        await ToyService().dispatcher.call("toy.break", b"{}")

    (record,) = caplog.records
    reference = failed.value.message.rpartition(" ")[2]
    assert failed.value.body() == {
        "code": "internal",
        "message": f"toy.break failed unexpectedly; see the server's log for {reference}",
    }
    assert record.getMessage() == f"toy.break failed (reference {reference})"
    assert record.exc_info is not None
    assert isinstance(record.exc_info[1], ZeroDivisionError)


async def test_an_undeclared_error_is_answered_to_people_and_raised_to_tests() -> None:
    assert (await call(ToyService(), "toy.stray"))["code"] == "limit_exceeded"

    strict = ToyService(strict_errors=True)
    with pytest.raises(AssertionError, match=r"toy\.stray answers undeclared limit_exceeded"):
        await strict.dispatcher.call("toy.stray", b"{}")


async def test_an_unexpected_failure_is_raised_to_tests_as_it_is() -> None:
    with pytest.raises(ZeroDivisionError):
        await ToyService(strict_errors=True).dispatcher.call("toy.break", b"{}")


async def test_errors_of_the_envelope_need_no_declaration() -> None:
    service = ToyService(strict_errors=True)

    codes = [
        (await call(service, "toy.none"))["code"],
        (await call(service, "toy.clear", b'{"x":1}'))["code"],
        (await call(service, "toy.add", b'{"if_revision":1}'))["code"],
        (await call(service, "toy.watch"))["code"],
        (await call(service, "toy.show", auth="wrong"))["code"],
    ]

    assert codes == [
        "invalid_request",
        "invalid_params",
        "revision_conflict",
        "stream_required",
        "forbidden",
    ]


def test_an_error_goes_out_as_an_object_of_its_code_message_and_more() -> None:
    error = InvalidRequest("nö", expected=MappingProxyType({"a": (1, None)}))

    assert json.loads(error_bytes(error)) == {
        "code": "invalid_request",
        "message": "nö",
        "expected": {"a": [1, None]},
    }


def test_an_error_can_repeat_a_number_of_more_than_64_bits() -> None:
    error = InvalidRequest("no", expected=MappingProxyType({"a": 1 << 70}))

    assert json.loads(error_bytes(error)) == {
        "code": "invalid_request",
        "message": "no",
        "expected": {"a": 1 << 70},
    }


def test_what_is_no_json_cannot_be_part_of_an_error() -> None:
    with pytest.raises(TypeError, match="object cannot be sent"):
        error_bytes(LimitExceeded("no", thing=object()))


def test_an_http_call_has_a_plain_envelope() -> None:
    assert Envelope() == PLAIN


class Ear:
    """The other side of a stream that hears everything and says nothing."""

    def __init__(self, service: ToyService, prepared: Prepared) -> None:
        self.scopes = prepared.caller.scopes
        self.heard: list[Any] = []
        self._service = service
        self._prepared = prepared

    async def acknowledge(self, result: Result) -> None:
        self.heard.append(result)

    async def send(self, frame: bytes) -> None:
        self.heard.append(frame)

    async def incoming(self) -> AsyncIterator[bytes]:
        await asyncio.Event().wait()
        yield b""

    def allowed(self) -> bool:
        return self._service.dispatcher.still_allowed(self._prepared)


async def test_a_stream_is_opened_with_its_parameters_and_runs_until_it_ends() -> None:
    service = ToyService(strict_errors=True)
    prepared = service.dispatcher.prepare("toy.watch", b'{"number":3}')
    ear = Ear(service, prepared)
    for frame in (b"1", b"2", b""):
        service.toys.frames.put_nowait(frame)

    await service.dispatcher.open(prepared, ear)

    assert ear.heard == [Shown(number=3), b"1", b"2"]


async def test_a_stream_ends_when_its_token_does() -> None:
    service = ToyService()
    secret = service.secret(Scope.READ)
    prepared = service.dispatcher.prepare("toy.watch", b"{}", auth=secret)
    ear = Ear(service, prepared)
    assert service.dispatcher.still_allowed(prepared)

    service.now += 60
    service.toys.frames.put_nowait(b"1")
    await service.dispatcher.open(prepared, ear)

    assert not service.dispatcher.still_allowed(prepared)
    assert ear.heard == [Shown(number=0)]


async def test_a_stream_may_refuse_with_what_it_declares_and_nothing_else() -> None:
    service = ToyService(strict_errors=True)
    prepared = service.dispatcher.prepare("toy.watch", b"{}")
    ear = Ear(service, prepared)

    service.toys.before_acknowledgement = LimitExceeded("full")
    with pytest.raises(LimitExceeded, match="full"):
        await service.dispatcher.open(prepared, ear)
    service.toys.before_acknowledgement = Unavailable("not yet")
    with pytest.raises(AssertionError, match=r"toy\.watch answers undeclared unavailable"):
        await service.dispatcher.open(prepared, ear)

    assert ear.heard == []
