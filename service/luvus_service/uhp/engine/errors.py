"""The errors of the live session, and how refusals of the pure rules become them."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

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


_OF_CODE: dict[str, type[RpcError]] = {
    cls.code: cls for cls in (NotFound, InvalidRequest, NoSession, LimitExceeded, NameInUse)
}


@contextmanager
def refusals() -> Generator[None]:
    """Turn a refusal of the pure rules into the error of the same code."""
    try:
        yield
    except DomainError as error:
        raise _OF_CODE[error.code](error.message) from error
