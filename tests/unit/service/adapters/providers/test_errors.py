"""Failures told apart."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from luvus_service.adapters.providers.errors import (
    MESSAGE_CHARS,
    Fault,
    fault_in_stream,
    fault_of_status,
    retry_after,
)


def anthropic(kind: str, message: str) -> dict[str, Any]:
    return {"type": "error", "error": {"type": kind, "message": message}}


def openai(code: str | None, message: str, kind: str = "invalid_request_error") -> dict[str, Any]:
    return {"error": {"message": message, "type": kind, "code": code, "param": None}}


@pytest.mark.parametrize(
    ("status", "body", "code", "retryable"),
    [
        (401, anthropic("authentication_error", "invalid x-api-key"), "auth", False),
        (403, anthropic("permission_error", "Not for you"), "auth", False),
        (
            403,
            {"error": {"message": "flagged by moderation", "code": 403}},
            "content_filter",
            False,
        ),
        (
            402,
            {"error": {"message": "Insufficient credits", "code": 402}},
            "quota_exhausted",
            False,
        ),
        (
            400,
            anthropic("invalid_request_error", "Your credit balance is too low"),
            "quota_exhausted",
            False,
        ),
        (
            429,
            openai("insufficient_quota", "You exceeded your current quota"),
            "quota_exhausted",
            False,
        ),
        (429, openai("rate_limit_exceeded", "Rate limit reached"), "rate_limited", True),
        (429, anthropic("rate_limit_error", "Too many"), "rate_limited", True),
        (
            429,
            openai("usage_limit_reached", "The usage limit has been reached"),
            "quota_exhausted",
            False,
        ),
        (529, anthropic("overloaded_error", "Overloaded"), "overloaded", True),
        (503, {"error": {"message": "busy"}}, "overloaded", True),
        (409, {"error": {"message": "conflict"}}, "overloaded", True),
        (408, {"error": {"message": "slow"}}, "timeout", True),
        (500, anthropic("api_error", "Internal server error"), "provider_unavailable", True),
        (502, {}, "provider_unavailable", True),
        (504, {}, "provider_unavailable", True),
        (
            400,
            anthropic("invalid_request_error", "prompt is too long: 210000 tokens > 200000"),
            "context_overflow",
            False,
        ),
        (
            400,
            anthropic(
                "invalid_request_error",
                "input length and `max_tokens` exceed context limit: 1 + 2 > 2",
            ),
            "context_overflow",
            False,
        ),
        (
            400,
            openai("context_length_exceeded", "This model's maximum context length is 8192"),
            "context_overflow",
            False,
        ),
        (
            400,
            {
                "error": {
                    "type": "exceed_context_size_error",
                    "message": "the request exceeds the available context size",
                }
            },
            "context_overflow",
            False,
        ),
        (
            413,
            anthropic("request_too_large", "Request exceeds the maximum size"),
            "context_overflow",
            False,
        ),
        (500, {"error": "input is too long for this model"}, "context_overflow", False),
        (404, anthropic("not_found_error", "model: claude-nope"), "model_not_found", False),
        (404, openai("model_not_found", "The model `x` does not exist"), "model_not_found", False),
        (404, {"error": "model 'qwen' not found"}, "model_not_found", False),
        (
            400,
            {"error": {"message": "x/y is not a valid model ID", "code": 400}},
            "model_not_found",
            False,
        ),
        (404, {"detail": "Not Found"}, "invalid_request", False),
        (
            400,
            openai("content_policy_violation", "Your request was rejected"),
            "content_filter",
            False,
        ),
        (
            400,
            anthropic("invalid_request_error", "messages: at least one"),
            "invalid_request",
            False,
        ),
        (400, openai(None, "Incorrect API key provided", "invalid_api_key"), "auth", False),
        (422, {"detail": [{"loc": ["body"]}]}, "invalid_request", False),
    ],
)
def test_a_status_and_its_words_tell_failures_apart(
    status: int, body: dict[str, Any], code: str, retryable: bool
) -> None:
    fault = fault_of_status(status, json.dumps(body).encode())

    assert (fault.code, fault.retryable, fault.status) == (code, retryable, status)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (anthropic("overloaded_error", "Overloaded"), Fault("overloaded", "Overloaded", True)),
        (anthropic("rate_limit_error", "Slow"), Fault("rate_limited", "Slow", True)),
        (anthropic("api_error", "Oops"), Fault("provider_unavailable", "Oops", True)),
        (anthropic("invalid_request_error", "Bad"), Fault("invalid_request", "Bad")),
        (
            {"error": {"code": "insufficient_quota", "message": "Pay"}},
            Fault("quota_exhausted", "Pay"),
        ),
        (
            {"error": {"code": 502, "message": "Up", "metadata": {"raw": "stream"}}},
            Fault("provider_unavailable", "Up: stream", True, 502),
        ),
        ({"code": "context_length_exceeded", "message": "Long"}, Fault("context_overflow", "Long")),
        ({"error": "nothing we know"}, Fault("provider_unavailable", "nothing we know")),
        (None, Fault("provider_unavailable", "")),
    ],
)
def test_errors_within_a_stream_are_told_apart(body: object, expected: Fault) -> None:
    assert fault_in_stream(body) == expected


def test_a_page_and_bytes_of_any_kind_become_a_short_sentence() -> None:
    page = b"<html><head><title>502 Bad\nGateway</title></head>" + b"x" * 100_000

    assert fault_of_status(502, page).said == "502 Bad Gateway"
    assert fault_of_status(500, b"\x00\xff" * 10).said
    assert len(fault_of_status(500, b"a" * 100_000).said) == MESSAGE_CHARS
    assert fault_of_status(500, b"[" * 50_000).code == "provider_unavailable"


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after": "Mon, 30 Nov 2026 20:00:30 GMT"}, 30.0),
        ({"retry-after": "Mon, 30 Nov 2026 19:00:00 GMT"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-1"}, None),
        ({"retry-after": "1e99"}, None),
    ],
)
def test_the_wait_that_a_provider_asks_for_is_read(
    headers: dict[str, str], seconds: float | None
) -> None:
    now = datetime(2026, 11, 30, 20, 0, tzinfo=UTC)

    assert retry_after(headers, now) == seconds
