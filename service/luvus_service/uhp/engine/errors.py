"""The errors of the live session, and how refusals of the pure rules become them."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from luvus_service.rpc.errors import (
    InvalidParams,
    InvalidRequest,
    Kind,
    LimitExceeded,
    NoSession,
    RpcError,
)
from luvus_service.uhp.domain.errors import DomainError


class NotFound(RpcError):
    """No live workspace, tab or pane has this id or position."""

    code = "not_found"
    kind = Kind.NOT_FOUND


class SpawnFailed(RpcError):
    """The shell or command could not be started; the message has the system's reason."""

    code = "spawn_failed"
    kind = Kind.FAILED


class SendFailed(RpcError):
    """The input was not accepted: the pane's input queue is full or the program is gone."""

    code = "send_failed"
    kind = Kind.UNAVAILABLE


class ResyncRequired(RpcError):
    """Events were missed and cannot be replayed; take a new snapshot, then subscribe again."""

    code = "resync_required"
    kind = Kind.CONFLICT


class CursorAhead(InvalidParams):
    """The cursor is newer than the server's sequence; carries the server's."""


class NameInUse(RpcError):
    """Another live pane has this name."""

    code = "name_in_use"
    kind = Kind.CONFLICT


class RefusedParams(InvalidParams):
    """A parameter does not fit the method; nothing was begun."""

    def __init__(self, message: str, **extra: Any) -> None:
        """Add the evidence that nothing was begun."""
        super().__init__(message, **{"dispatch": "not_started", **extra})


class StaleServer(RpcError):
    """The server has been started again since; read the inventory and begin anew."""

    code = "stale_server"
    kind = Kind.CONFLICT


class StaleTerminal(RpcError):
    """No terminal of this id lives any more."""

    code = "stale_terminal"
    kind = Kind.NOT_FOUND


class StaleRoute(RpcError):
    """The terminal lives, but in another pane; read the inventory."""

    code = "stale_route"
    kind = Kind.CONFLICT


class TerminalNotReady(RpcError):
    """The pane is there and its program is not started yet; try again in a moment."""

    code = "terminal_not_ready"
    kind = Kind.UNAVAILABLE


class ProcessMismatch(RpcError):
    """The terminal's first process is not the one in `expected_root`."""

    code = "process_mismatch"
    kind = Kind.CONFLICT


class TerminalGone(RpcError):
    """The terminal was closed while the call waited for it."""

    code = "terminal_gone"
    kind = Kind.NOT_FOUND


class CreateFailed(RpcError):
    """No terminal came to be; with `dispatch` started a program ran and was ended again."""

    code = "create_failed"
    kind = Kind.FAILED


class ControlConflict(RpcError):
    """Another connection controls the terminal already; wait until it closes."""

    code = "control_conflict"
    kind = Kind.CONFLICT


class Timeout(RpcError):
    """What was waited for did not happen in time."""

    code = "timeout"
    kind = Kind.TIMEOUT


class InputTooLarge(RpcError):
    """The text or file is larger than one input may be; send it in parts."""

    code = "input_too_large"
    kind = Kind.TOO_LARGE


class CaptureTooLarge(RpcError):
    """The text does not fit into one answer; ask for fewer lines, or without `ansi`."""

    code = "capture_too_large"
    kind = Kind.TOO_LARGE


class UnsupportedCapability(RpcError):
    """The server does not offer this action."""

    code = "unsupported_capability"
    kind = Kind.INVALID


_OF_CODE: dict[str, type[RpcError]] = {
    cls.code: cls for cls in (NotFound, InvalidRequest, NoSession, LimitExceeded, NameInUse)
}


@contextmanager
def refusals() -> Generator[None]:
    """Turn a refusal of the pure rules into the error of the same code."""
    try:
        yield
    except DomainError as error:
        known = _OF_CODE.get(error.code)
        if known is None:
            raise
        raise known(error.message) from error
