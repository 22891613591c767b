"""Calls over HTTP whose far side is played by respx: failures, credentials, lists."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
import respx

from luvus_service.adapters.providers.caller import Caller
from luvus_service.adapters.providers.endpoint import Endpoint
from luvus_service.adapters.providers.keys import KeySource
from luvus_service.adapters.providers.provider import HttpProvider
from luvus_service.adapters.providers.transport import HttpxClient
from luvus_service.luxe.domain.ports import (
    AllowanceRead,
    AnswerEnded,
    Delta,
    ModelRequest,
    ProviderFailure,
)
from luvus_service.luxe.domain.values import ErrorInfo
from tests.support.provider_requests import MODEL, asked, blocks, conversation, streamed
from tests.support.provider_script import Reply, says

KEY = "sk-ant-not-a-real-key-0123456789"
URL = "https://far.example"
CALLS = f"{URL}/v1/messages"
STREAM = {"content-type": "text/event-stream"}
ENDPOINT = Endpoint(
    "far",
    "anthropic",
    URL,
    KeySource({"FAR_KEY": KEY}, ("FAR_KEY",)),
    models=(MODEL,),
    headers={"x-token": "token-of-the-house"},
)


@pytest.fixture
async def http() -> AsyncIterator[HttpxClient]:
    client = HttpxClient()
    yield client
    await client.close()


@pytest.fixture
def caller(http: HttpxClient) -> Caller:
    return Caller(ENDPOINT, http, now=lambda: 1_800_000_000.0)


async def collected(caller: Caller, request: ModelRequest | None = None) -> list[Delta]:
    return [delta async for delta in caller.answer(request or asked())]


async def failure_of(caller: Caller, request: ModelRequest | None = None) -> ProviderFailure:
    with pytest.raises(ProviderFailure) as failure:
        await collected(caller, request)
    return failure.value


def stream(reply: Reply | None = None) -> bytes:
    return streamed("anthropic", reply or says("Hello"))


@respx.mock
async def test_an_answer_comes_with_the_credential_and_the_own_headers(caller: Caller) -> None:
    route = respx.post(CALLS).respond(200, headers=STREAM, content=stream())

    deltas = await collected(caller)

    assert blocks(deltas) == [("text", "Hello", None, None)]
    assert deltas[-1] == AnswerEnded("end_turn")
    sent = route.calls.last.request.headers
    assert (sent["x-api-key"], sent["x-token"]) == (KEY, "token-of-the-house")


@respx.mock
@pytest.mark.parametrize(
    ("status", "body", "headers", "expected", "wait"),
    [
        (
            401,
            {"error": {"type": "authentication_error", "message": f"bad key {KEY}"}},
            {},
            ErrorInfo("auth", "far (401): bad key [hidden]", False, 401, "far"),
            None,
        ),
        (
            400,
            {"error": {"message": "the header token-of-the-house is odd"}},
            {},
            ErrorInfo(
                "invalid_request", "far (400): the header [hidden] is odd", False, 400, "far"
            ),
            None,
        ),
        (
            429,
            {"error": {"type": "rate_limit_error", "message": "Slow down"}},
            {"retry-after": "12"},
            ErrorInfo("rate_limited", "far (429): Slow down", True, 429, "far"),
            12.0,
        ),
        (
            529,
            {"error": {"type": "overloaded_error", "message": "Overloaded"}},
            {"retry-after-ms": "250"},
            ErrorInfo("overloaded", "far (529): Overloaded", True, 529, "far"),
            0.25,
        ),
        (503, {}, {}, ErrorInfo("overloaded", "far (503): {}", True, 503, "far"), None),
        (
            307,
            {},
            {"location": "https://elsewhere.example/secret?q=1"},
            ErrorInfo(
                "invalid_request",
                "far (307): a redirect to elsewhere.example, which is not followed; "
                "correct the base address",
                False,
                307,
                "far",
            ),
            None,
        ),
    ],
)
async def test_failures_are_told_apart_and_hold_no_secret(
    caller: Caller,
    status: int,
    body: dict[str, Any],
    headers: dict[str, str],
    expected: ErrorInfo,
    wait: float | None,
) -> None:
    respx.post(CALLS).respond(status, json=body, headers=headers)

    failure = await failure_of(caller)

    said = replace(expected, message=expected.message.replace("{}", "overloaded"))
    assert failure.info == said
    assert failure.retry_after_s == wait
    assert respx.calls.call_count == 1


@respx.mock
@pytest.mark.parametrize(
    ("fault", "code", "retryable"),
    [
        (httpx.ConnectError("[Errno -2] Name or service not known"), "provider_unavailable", True),
        (httpx.ConnectTimeout("x"), "timeout", True),
        (httpx.ReadTimeout("x"), "timeout", True),
        (httpx.RemoteProtocolError("x"), "provider_unavailable", True),
        (httpx.LocalProtocolError("x"), "invalid_request", False),
    ],
)
async def test_a_connection_that_fails_is_a_failure_of_its_own(
    caller: Caller, fault: Exception, code: str, retryable: bool
) -> None:
    respx.post(CALLS).mock(side_effect=fault)

    failure = await failure_of(caller)

    assert (failure.info.code, failure.info.retryable) == (code, retryable)
    assert "far.example" in str(failure)


@respx.mock
@pytest.mark.parametrize(
    ("headers", "content", "words"),
    [
        ({"content-type": "text/html"}, b"<html><title>Sign in</title>", "Sign in"),
        ({"content-type": "application/json"}, b'{"message": "hi"}', "no event stream: hi"),
        (STREAM, b"data: {nonsense\n\n", "nobody can read"),
        (STREAM, b"", "stopped before its end"),
        (STREAM, b"just words\n\n", "stopped before its end"),
        (STREAM, stream()[:-80], "stopped before its end"),
    ],
)
async def test_an_answer_that_is_none_is_a_failure(
    caller: Caller, headers: dict[str, str], content: bytes, words: str
) -> None:
    respx.post(CALLS).respond(200, headers=headers, content=content)

    failure = await failure_of(caller)

    assert words in str(failure)
    expected = "stream_interrupted" if headers is STREAM else "invalid_request"
    assert failure.info.code == expected


@respx.mock
async def test_an_error_in_a_body_of_success_is_told_apart(caller: Caller) -> None:
    body = {"error": {"message": "prompt is too long"}}
    respx.post(CALLS).respond(200, json=body)

    assert (await failure_of(caller)).info.code == "context_overflow"


@respx.mock
async def test_reasoning_that_is_refused_is_left_out_and_the_call_made_once_more(
    caller: Caller,
) -> None:
    message = "messages.1.content.0: Invalid `signature` in `thinking` block"
    refusal = httpx.Response(400, json={"error": {"message": message}})
    answer = httpx.Response(200, headers=STREAM, content=stream())
    route = respx.post(CALLS).mock(side_effect=[refusal, answer])

    deltas = await collected(caller, asked(*conversation("sig"), thinking="high"))

    bodies = [json.loads(call.request.content) for call in route.calls]
    assert deltas[-1] == AnswerEnded("end_turn")
    assert ["signature" in str(body) for body in bodies] == [True, False]


@respx.mock
async def test_a_refusal_of_something_else_is_not_tried_again(caller: Caller) -> None:
    route = respx.post(CALLS).respond(400, json={"error": {"message": "no"}})

    await failure_of(caller, asked(*conversation("sig"), thinking="high"))

    assert route.call_count == 1


@respx.mock
async def test_a_plan_is_told_when_it_changed_by_a_point(caller: Caller) -> None:
    route = respx.post(CALLS)
    told: list[int] = []

    for used in ("0.40", "0.405", "0.42"):
        plan = {"anthropic-ratelimit-unified-5h-utilization": used}
        route.respond(200, headers={**STREAM, **plan}, content=stream())
        deltas = await collected(caller)
        told.append(sum(isinstance(delta, AllowanceRead) for delta in deltas))

    assert told == [1, 0, 1]


async def test_without_a_credential_nothing_is_sent(http: HttpxClient, tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_text(KEY)
    file.chmod(0o644)

    none = await failure_of(Caller(replace(ENDPOINT, keys=KeySource({}, ("FAR_KEY",))), http))
    open_to_all = await failure_of(
        Caller(replace(ENDPOINT, keys=KeySource({}, ("FAR_KEY",), file=file)), http)
    )

    assert none.info == ErrorInfo("auth", "far has no credential; set FAR_KEY", False, None, "far")
    assert open_to_all.info.code == "auth"
    assert "chmod 600" in str(open_to_all)
    assert KEY not in str(open_to_all)


@respx.mock
async def test_a_list_of_models_is_added_to_those_known(http: HttpxClient) -> None:
    respx.get(f"{URL}/v1/models?limit=1000").respond(
        200, json={"data": [{"id": "new", "display_name": "New"}, {"id": MODEL.model}]}
    )
    provider = HttpProvider(ENDPOINT, http)

    found = await provider.discover()

    assert [model.model for model in found] == [MODEL.model, "new"]
    assert found == provider.models()


@respx.mock
@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (httpx.Response(401, json={"error": {"message": KEY}}), "auth"),
        (httpx.Response(200, content=b"<html>"), "invalid_request"),
        (httpx.Response(404, content=b""), "invalid_request"),
    ],
)
async def test_a_list_that_cannot_be_had_is_a_failure(
    http: HttpxClient, answer: httpx.Response, code: str
) -> None:
    respx.get(url__startswith=f"{URL}/v1/models").mock(return_value=answer)
    provider = HttpProvider(ENDPOINT, http)

    with pytest.raises(ProviderFailure) as failure:
        await provider.discover()

    assert failure.value.info.code == code
    assert KEY not in str(failure.value)
    assert list(provider.models()) == [MODEL]


async def test_an_endpoint_without_a_list_answers_with_what_is_known(http: HttpxClient) -> None:
    provider = HttpProvider(replace(ENDPOINT, lists_models=False), http)

    assert list(await provider.discover()) == [MODEL]
    assert provider.assume("other").model == "other"
    assert [model.model for model in provider.models()] == [MODEL.model, "other"]


async def test_a_proxy_that_cannot_be_used_is_a_failure_like_any_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "nonsense://proxy")

    failure = await failure_of(Caller(ENDPOINT, HttpxClient()))

    assert (failure.info.code, failure.info.retryable) == ("invalid_request", False)
    assert "proxy" in str(failure)
