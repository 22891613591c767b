"""Tells the failures of a provider apart: by status, by its codes, and only then by its words."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

from luvus_service.adapters.providers.json_view import View, decoded
from luvus_service.luxe.domain.values import ErrorCode

MESSAGE_CHARS: Final = 500

_OVERFLOW: Final = re.compile(
    r"context.?length|maximum context|context window|context.?size|context limit"
    r"|prompt is too long|input is too long|too many (?:input )?tokens|request_too_large"
    r"|exceeds? the (?:model'?s )?(?:maximum|available|limit)[^.]*(?:tokens|context)"
    r"|reduce the length of the (?:messages|prompt|input)",
    re.IGNORECASE,
)
_QUOTA: Final = re.compile(
    r"insufficient.?(?:quota|balance|credits?|funds)|exceeded your current quota|billing"
    r"|credit balance|out of credits|payment required|spend(?:ing)? limit|usage_limit_reached"
    r"|usage_not_included|usage limit has been reached",
    re.IGNORECASE,
)
_FILTER: Final = re.compile(
    r"content.?filter|content.?policy|content management policy|moderation|cyber_policy|safety",
    re.IGNORECASE,
)
_OVERLOAD: Final = re.compile(r"overload|at capacity|server_is_overloaded|slow_down", re.IGNORECASE)
_RATE: Final = re.compile(r"rate.?limit|too many requests|resource.?exhausted", re.IGNORECASE)
_NO_MODEL: Final = re.compile(
    r"model_not_found|model[^.]{0,80}(?:not found|does not exist|not exist|not supported"
    r"|is not available|no endpoints)|no endpoints found|not_found_error[^.]*model"
    r"|unknown model|invalid model|not a valid model",
    re.IGNORECASE,
)
_AUTH: Final = re.compile(
    r"invalid_api_key|authentication_error|incorrect api key|invalid x-api-key", re.IGNORECASE
)
_SERVER: Final = re.compile(
    r"server_error|api_error|internal.?(?:server.?)?error|upstream|bad gateway|unavailable",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Fault:
    """What a failure is."""

    code: ErrorCode
    said: str
    """The provider's words, shortened; may be empty."""
    retryable: bool = False
    status: int | None = None


def fault_of_status(status: int, body: bytes) -> Fault:
    """Return what an answer that is no success means."""
    try:
        view = decoded(body)
    except ValueError:
        view = View(None)
    said, clues = _words(view)
    if not view.is_object:
        said = _page(body)
        clues = said
    code, retryable = _by_status(status, clues)
    return Fault(code, said, retryable, status)


def fault_in_stream(body: object) -> Fault:
    """Return what an error within a stream means; its own code may be a status."""
    view = View(body)
    said, clues = _words(view)
    status = view.at("error").count("code") or view.count("code") or view.count("status")
    if status is not None and 400 <= status < 600:
        code, retryable = _by_status(status, clues)
        return Fault(code, said, retryable, status)
    code, retryable = _by_words(clues)
    return Fault(code, said, retryable)


def retry_after(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Return the seconds that `retry-after-ms` or `retry-after` ask to wait."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        text = headers.get(name, "").strip()
        if re.fullmatch(r"\d{1,12}(?:\.\d{1,9})?", text):
            return float(text) * unit
    text = headers.get("retry-after", "")
    if not text:
        return None
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, TypeError, OverflowError):
        return None
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max(0.0, (moment - (now or datetime.now(UTC))).total_seconds())


def long_wait(seconds: float) -> str:
    """Return a wait of more than a minute in words, rounded up."""
    minutes = math.ceil(seconds / 60)
    if minutes < 60:
        return f"{minutes} minutes"
    hours = math.ceil(minutes / 60)
    return "1 hour" if hours == 1 else f"{hours} hours"


def _by_status(status: int, clues: str) -> tuple[ErrorCode, bool]:
    if status in (401, 407):
        return "auth", False
    if status == 403:
        return _first(
            clues, "auth", (_QUOTA, "quota_exhausted"), (_FILTER, "content_filter")
        ), False
    if status == 402:
        return "quota_exhausted", False
    if status == 404:
        return ("model_not_found" if _NO_MODEL.search(clues) else "invalid_request"), False
    if status == 408:
        return "timeout", True
    if status == 409:
        return "overloaded", True
    if status == 413:
        return "context_overflow", False
    if status == 429:
        return ("quota_exhausted", False) if _QUOTA.search(clues) else ("rate_limited", True)
    if status in (503, 529):
        return "overloaded", True
    if status >= 500:
        # Some servers answer an overlong prompt with 500; trying again would not shorten it.
        return (
            ("context_overflow", False)
            if _OVERFLOW.search(clues)
            else (
                "provider_unavailable",
                True,
            )
        )
    return _of_request(clues), False


def _of_request(clues: str) -> ErrorCode:
    return _first(
        clues,
        "invalid_request",
        (_QUOTA, "quota_exhausted"),
        (_OVERFLOW, "context_overflow"),
        (_AUTH, "auth"),
        (_NO_MODEL, "model_not_found"),
        (_FILTER, "content_filter"),
    )


def _by_words(clues: str) -> tuple[ErrorCode, bool]:
    """Return the meaning of an error that has no status."""
    if (code := _of_request(clues)) != "invalid_request":
        return code, False
    if _OVERLOAD.search(clues):
        return "overloaded", True
    if _RATE.search(clues):
        return "rate_limited", True
    if re.search(r"invalid_request|invalid_prompt|bad_request", clues, re.IGNORECASE):
        return "invalid_request", False
    return "provider_unavailable", bool(_SERVER.search(clues))


def _first(
    clues: str, otherwise: ErrorCode, *rules: tuple[re.Pattern[str], ErrorCode]
) -> ErrorCode:
    for pattern, code in rules:
        if pattern.search(clues):
            return code
    return otherwise


def _words(view: View) -> tuple[str, str]:
    """Return what the provider says to people, and all that tells its errors apart."""
    error = view.at("error")
    inner = error if error.is_object else view
    said = (
        inner.text("message") or view.text("error") or view.text("message") or view.text("detail")
    )
    # A router wraps the words of the provider behind it.
    raw = inner.at("metadata").text("raw")
    if raw and raw not in said:
        said = f"{said}: {raw}" if said else raw
    codes = (inner.text("type"), inner.text("code"), view.text("type"), view.text("code"))
    return _short(said), " ".join(filter(None, (*codes, said)))


def _page(body: bytes) -> str:
    text = body.decode("utf-8", "replace")
    if "<html" in text.lower():
        title = re.search(r"<title[^>]*>([^<]{1,200})", text, re.IGNORECASE)
        return _short(title[1]) if title else "a web page"
    return _short(text)


def _short(text: str) -> str:
    text = " ".join("".join(c if c.isprintable() else " " for c in text[:4_000]).split())
    return text if len(text) <= MESSAGE_CHARS else text[: MESSAGE_CHARS - 1] + "…"
