"""The caller's side of one call or stream, as a handler sees it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextvars import ContextVar
from typing import Final, Protocol

from luvus_service.rpc.errors import InvalidRequest, RevisionConflict
from luvus_service.rpc.models import Result
from luvus_service.rpc.scopes import OWNER, Scope
from luvus_service.rpc.wording import shown


class Call:
    """One call: what the caller may do, and whether it is still there."""

    __slots__ = ("_gone", "scopes")

    def __init__(self, scopes: frozenset[Scope] = OWNER) -> None:
        self.scopes = scopes
        self._gone: asyncio.Event | None = None

    @property
    def gone(self) -> asyncio.Event:
        """Set once the caller has hung up; only long waits look at it."""
        if self._gone is None:
            self._gone = asyncio.Event()
        return self._gone


class StreamClosed(Exception):
    """The other side of a stream has gone."""


class Stream(Protocol):
    """A connection that became a stream: one acknowledgement, then frames both ways."""

    scopes: frozenset[Scope]

    async def acknowledge(self, result: Result) -> None:
        """Send the acknowledgement; exactly once, before anything else."""
        ...

    async def send(self, frame: bytes) -> None:
        """Send one frame: a JSON object without a newline.

        Raises:
            StreamClosed: Nobody is there any more.
        """
        ...

    def incoming(self) -> AsyncIterator[bytes]:
        """Yield the frames the client sends, until it hangs up."""
        ...

    def allowed(self) -> bool:
        """Say whether the caller's token is still valid and covers the stream's method.

        Asked for every action of a stream: a token may expire or be revoked meanwhile.
        """
        ...


UNGUARDED: Final = object()
"""In place of an `if_revision` for a call that has none; null is one, and never holds."""

_expected: ContextVar[object] = ContextVar("expected_revision", default=UNGUARDED)


def expect_revision(expected: object) -> None:
    """Remember the `if_revision` of the call that runs in this context, or `UNGUARDED`."""
    _expected.set(expected)


def check_revision(actual: int) -> None:
    """Refuse when the call in this context was made for another revision.

    The dispatcher checks before the handler runs; whoever awaited something meanwhile checks again
    right before it changes state.

    Raises:
        RevisionConflict: State changed since; carries `expected` and `actual`.
    """
    require_revision(_expected.get(), actual)


def require_revision(expected: object, actual: int) -> None:
    """Refuse when an `if_revision` is not the actual revision.

    Raises:
        RevisionConflict: It is another, or no number; carries `expected` and `actual`.
    """
    if expected is UNGUARDED:
        return
    if isinstance(expected, bool) or not isinstance(expected, int) or expected != actual:
        raise RevisionConflict(
            f"the session is at revision {actual}, not {shown(expected)}; "
            "read it again, then retry",
            expected=expected,
            actual=actual,
        )


def refuse_revision_on_read(method: str) -> InvalidRequest:
    """Return the error for `if_revision` on a method that changes nothing."""
    return InvalidRequest(f"{method} only reads; if_revision guards changes, leave it out")
