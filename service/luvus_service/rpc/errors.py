"""The errors that may leave a method: one class for each code, told apart by kind.

A code is a literal of its class and belongs to one class only. HTTP status codes are made of
kinds, in `asgi`.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any, ClassVar

MESSAGE_LIMIT = 512
"""Characters of a message; the rest is cut."""


class Kind(StrEnum):
    """What sort of failure a code is, for transports that have to sort them."""

    INVALID = "invalid"
    FORBIDDEN = "forbidden"
    NOT_FOUND = "not_found"
    CONFLICT = "conflict"
    TOO_LARGE = "too_large"
    LIMIT = "limit"
    UNAVAILABLE = "unavailable"
    TIMEOUT = "timeout"
    FAILED = "failed"
    STREAM = "stream"


class RpcError(Exception):
    """A failure with a code that a caller can act on."""

    code: ClassVar[str] = ""
    kind: ClassVar[Kind] = Kind.FAILED
    summary: ClassVar[str] = ""
    """One line for the reference pages: when this happens and what to do."""
    by_code: ClassVar[dict[str, type[RpcError]]] = {}

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Register the class under its code; a code belongs to one class."""
        super().__init_subclass__(**kwargs)
        code = cls.__dict__.get("code")
        if code is None:
            return
        other = RpcError.by_code.get(code)
        if other is not None and other.__qualname__ != cls.__qualname__:
            raise TypeError(f"error code {code!r} belongs to {other.__qualname__} already")
        summary = cls.__dict__.get("summary") or (cls.__doc__ or "").strip().partition("\n")[0]
        if not summary:
            raise TypeError(f"error {code!r} has no docstring; it is shown on the reference pages")
        cls.summary = summary
        RpcError.by_code[code] = cls

    def __init__(self, message: str, **extra: Any) -> None:
        """Say in `message` what was wrong, with which value, and what to do."""
        super().__init__(message)
        self.message = message[:MESSAGE_LIMIT]
        self.extra = extra

    def body(self) -> dict[str, Any]:
        """Return the error object as it goes over the wire."""
        return {"code": self.code, "message": self.message, **self.extra}


class InvalidRequest(RpcError):
    """The request or one of its parameters is malformed; correct it and send it again."""

    code = "invalid_request"
    kind = Kind.INVALID


class InvalidParams(RpcError):
    """A parameter does not fit the method; correct it and send it again."""

    code = "invalid_params"
    kind = Kind.INVALID


class Forbidden(RpcError):
    """The token is unknown or expired, or its scopes do not cover the method."""

    code = "forbidden"
    kind = Kind.FORBIDDEN


class FrameTooLarge(RpcError):
    """The request is larger than one frame may be (1 MiB)."""

    code = "frame_too_large"
    kind = Kind.TOO_LARGE


class RevisionConflict(RpcError):
    """The state changed since the revision given in `if_revision`; nothing was done."""

    code = "revision_conflict"
    kind = Kind.CONFLICT


class NoSession(RpcError):
    """The server has no workspace; open one with workspace.open, tab.new or pane.split."""

    code = "no_session"
    kind = Kind.CONFLICT


class LimitExceeded(RpcError):
    """A named limit is reached; free something or ask for less."""

    code = "limit_exceeded"
    kind = Kind.LIMIT


class Unavailable(RpcError):
    """No place is left or the service is not ready; try again later."""

    code = "unavailable"
    kind = Kind.UNAVAILABLE


class Internal(RpcError):
    """Something unexpected failed; the server's log has the details under the given id."""

    code = "internal"
    kind = Kind.FAILED


class StreamRequired(RpcError):
    """The method is a stream: open a WebSocket on the same path, or use newline JSON."""

    code = "stream_required"
    kind = Kind.STREAM


def error_class(code: str) -> type[RpcError] | None:
    """Return the class of a code, or None when no class declares it."""
    return RpcError.by_code.get(code)
