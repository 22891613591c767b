"""What can go wrong between a client and a server, as exceptions.

A refusal by the server is a `LuvusError` of the class for its code. Everything else is a
`ConnectionFailure` or `UnsafeEndpoint`. Nothing here knows how bytes travel.
"""

from __future__ import annotations

from typing import Any, ClassVar


class ClientError(Exception):
    """The base of every error this library raises on purpose."""


class UnsafeEndpoint(ClientError):
    """The socket or a folder above it is not what a private endpoint must be."""


class BadCredential(ClientError):
    """A token, or the file or variable that should hold it, cannot be used."""


class InvalidSessionName(ClientError):
    """A session name is not one that a session can have."""


class RequestRefused(ClientError):
    """The request cannot be written as one frame of the protocol; nothing was sent."""


class ConnectionFailure(ClientError):
    """No answer was obtained from a server."""

    possibly_executed: bool = False
    """Whether the server may have carried the request out; if so, never send it again blindly."""


class NotRunning(ConnectionFailure):
    """No server accepts connections at the endpoint."""


class ServerChanged(ConnectionFailure):
    """Another server stands at the endpoint than the one first talked to."""


class ConnectionLost(ConnectionFailure):
    """The connection ended before the whole answer arrived."""

    def __init__(self, message: str, *, possibly_executed: bool) -> None:
        super().__init__(message)
        self.possibly_executed = possibly_executed


class AnswerTimeout(ConnectionLost):
    """The answer did not arrive in time."""


class BadAnswer(ConnectionLost):
    """What arrived is no answer of this protocol."""


_BY_CODE: dict[str, type[LuvusError]] = {}


class LuvusError(ClientError):
    """The server refused a request; `code` says why, `data` holds what else it told."""

    of_code: ClassVar[str] = ""

    def __init__(self, code: str, message: str, data: dict[str, Any] | None = None) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message
        self.data = data or {}

    def __init_subclass__(cls) -> None:
        if cls.of_code in _BY_CODE:
            raise TypeError(f"two classes for the error code {cls.of_code!r}")
        _BY_CODE[cls.of_code] = cls


def error_of(error: dict[str, Any]) -> LuvusError:
    """Make the exception for an error object; a code without its own class is a `LuvusError`."""
    code = str(error.get("code", "internal"))
    extra = {key: value for key, value in error.items() if key not in ("code", "message")}
    kind = _BY_CODE.get(code, LuvusError)
    return kind(code, str(error.get("message", "")), extra)


class InvalidRequest(LuvusError):
    """The request does not fit its method."""

    of_code = "invalid_request"


class InvalidParams(LuvusError):
    """The parameters do not fit their method."""

    of_code = "invalid_params"


class BadRequest(LuvusError):
    """A text that must say something is empty or unknown."""

    of_code = "bad_request"


class NotFound(LuvusError):
    """Nothing has the given id or name."""

    of_code = "not_found"


class NoSession(LuvusError):
    """The server has no workspace to act in."""

    of_code = "no_session"


class Forbidden(LuvusError):
    """The token is unknown, expired, or does not cover the method."""

    of_code = "forbidden"


class AuthorizationDenied(LuvusError):
    """A token was sent where only the local owner may act."""

    of_code = "authorization_denied"


class ConfirmationRequired(LuvusError):
    """The method changes the machine and needs `confirm=True`."""

    of_code = "confirmation_required"


class FrameTooLarge(LuvusError):
    """The request is larger than one frame may be."""

    of_code = "frame_too_large"


class ServerBusy(LuvusError):
    """The server has no free connection; trying again later is safe."""

    of_code = "server_busy"


class Busy(LuvusError):
    """The server cannot take this work now."""

    of_code = "busy"


class Unavailable(LuvusError):
    """What the method needs has no room left or is not there."""

    of_code = "unavailable"


class RevisionConflict(LuvusError):
    """The state changed since the revision the request was made for."""

    of_code = "revision_conflict"


class ResyncRequired(LuvusError):
    """Events were lost; take a new snapshot."""

    of_code = "resync_required"


class Timeout(LuvusError):
    """What was waited for did not happen in time."""

    of_code = "timeout"


class LimitExceeded(LuvusError):
    """A limit of the server is reached."""

    of_code = "limit_exceeded"


class Conflict(LuvusError):
    """The request contradicts the present state."""

    of_code = "conflict"


class SpawnFailed(LuvusError):
    """A program or shell could not be started."""

    of_code = "spawn_failed"


class SendFailed(LuvusError):
    """Input was not accepted by the terminal."""

    of_code = "send_failed"


class LeaseConflict(LuvusError):
    """Another task holds a lease on the paths."""

    of_code = "lease_conflict"


class UnsupportedAgent(LuvusError):
    """The agent cannot do what was asked."""

    of_code = "unsupported_agent"


class PersistenceFailed(LuvusError):
    """The change could not be written down; inspect the state before trying again."""

    of_code = "persistence_failed"


class Internal(LuvusError):
    """The server made a mistake."""

    of_code = "internal"
