"""Takes each inbound line to its action, or answers why not; knows no action.

Never blocks: handlers that wait run as tasks of their own, the others run in the order of their
frames.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Any, Protocol

from pydantic import ValidationError

from luvus_service.rpc.frame_lines import Frame, read_frame, request_id_of
from luvus_service.rpc.frames import Actions, ActionSpec, BoundAction
from luvus_service.rpc.refusals import REASON_CHARS, Refused, content_refusal

_log = logging.getLogger(__name__)

WAITING = 32
"""Handlers that may wait at once; further ones are refused as busy."""

_UNEXPECTED = Refused("failed", "Luxe failed unexpectedly; see its log")


class Gate(Protocol):
    """What the session allows at this moment."""

    @property
    def running(self) -> bool:
        """Whether a turn is running, or something that excludes one."""
        ...

    @property
    def closing(self) -> bool:
        """Whether the session is shutting down."""
        ...

    @property
    def read_only(self) -> bool:
        """Whether nothing may be changed."""
        ...

    @property
    def github_writes(self) -> bool:
        """Whether the client may publish to GitHub."""
        ...


Reject = Callable[[str | None, str, str, str | None], None]
"""Called with kind, reason, code and request id."""
Start = Callable[[Coroutine[Any, Any, Any], str], object]
"""Runs a handler that waits, as a task with an owner."""


class FrameDispatcher:
    """Runs actions."""

    def __init__(
        self,
        actions: Actions,
        gate: Gate,
        reject: Reject,
        start: Start,
        refusal_of: Callable[[Exception], Refused | None] = lambda _error: None,
    ) -> None:
        """`refusal_of` says which failures are no mistake of ours, in words for people."""
        self._refusal_of = refusal_of
        self._actions = actions
        self._gate = gate
        self._reject = reject
        self._start = start
        self._waiting = 0

    def deliver(self, line: bytes) -> None:
        """Do what a line asks for; every line that does nothing is answered."""
        frame: Frame | None = None
        try:
            frame = read_frame(line)
            if frame is not None:
                self._act(frame)
        except Refused as refused:
            self.refuse(frame, refused)
        except Exception as error:  # noqa: BLE001 - one frame must never end the session
            self.refuse(frame, self._failure("a frame", error))

    async def perform(self, kind: str, content: Any) -> None:
        """Do one action and return when it is done, for a caller that waits for that.

        Raises:
            Refused: It was refused, and nothing happened.
        """
        try:
            await self._perform(kind, content)
        except Refused as refused:
            # The reason is the one that a frame would have been answered with.
            raise Refused(refused.code, _reason(kind, refused)) from None
        except Exception as error:  # noqa: BLE001 - as in `deliver`
            failure = self._failure(kind, error)
            raise Refused(failure.code, _reason(kind, failure)) from None

    async def _perform(self, kind: str, content: Any) -> None:
        bound = self._actions.find(kind)
        arguments = _content(bound, content)
        check(bound.spec, self._gate)
        if not bound.spec.waits:
            bound.handler(*arguments)
            return
        self._take_place()
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        # A caller that goes away must not stop half of an action.
        self._start(self._into(done, bound.handler(*arguments), kind), kind)
        await asyncio.shield(done)

    def refuse(self, frame: Frame | None, refused: Refused) -> None:
        """Answer that a frame was refused."""
        kind = frame.kind if frame is not None else None
        request_id = request_id_of(frame.content) if frame is not None else None
        self._reject(kind, _reason(kind, refused), refused.code, request_id)

    def _act(self, frame: Frame) -> None:
        bound = self._actions.find(frame.kind)
        arguments = _content(bound, frame.content)
        check(bound.spec, self._gate)
        if not bound.spec.waits:
            bound.handler(*arguments)
            return
        self._take_place()
        self._start(self._wait(frame, bound.handler(*arguments)), frame.kind)

    def _failure(self, what: str, error: Exception) -> Refused:
        refused = self._refusal_of(error)
        if refused is None:
            _log.error("%s failed", what, exc_info=error)
            return _UNEXPECTED
        _log.warning("%s failed: %s", what, error)
        return refused

    def _take_place(self) -> None:
        if self._waiting >= WAITING:
            raise Refused("busy", f"{WAITING} actions are under way; wait for their answers")
        self._waiting += 1

    async def _wait(self, frame: Frame, work: Coroutine[Any, Any, Any]) -> None:
        try:
            await work
        except Refused as refused:
            self.refuse(frame, refused)
        except Exception as error:  # noqa: BLE001 - as above
            self.refuse(frame, self._failure(frame.kind, error))
        finally:
            self._waiting -= 1

    async def _into(
        self, done: asyncio.Future[None], work: Coroutine[Any, Any, Any], kind: str
    ) -> None:
        try:
            await work
        except Refused as refused:
            _settle(done, refused)
        except asyncio.CancelledError:
            _settle(done, Refused("closing", "Luxe is shutting down"))
            raise
        except Exception as error:  # noqa: BLE001 - the outermost place an action can fail in
            _settle(done, self._failure(kind, error))
        else:
            _settle(done, None)
        finally:
            self._waiting -= 1


def _reason(kind: str | None, refused: Refused) -> str:
    named = kind is not None and refused.code != "unknown_action"
    return (f"{kind}: {refused.reason}" if named else refused.reason)[:REASON_CHARS]


def _settle(done: asyncio.Future[None], refused: Refused | None) -> None:
    if done.done():
        return
    if refused is None:
        done.set_result(None)
    else:
        done.set_exception(refused)
        # Whoever asked may have gone.
        done.exception()


def check(spec: ActionSpec, gate: Gate) -> None:
    """Refuse what the session does not allow now.

    Raises:
        Refused: It is closing, read-only, busy or idle, or the flag is missing.
    """
    if gate.closing:
        raise Refused("closing", "Luxe is shutting down")
    if spec.writes_github and not gate.github_writes:
        raise Refused("github_writes_off", "GitHub writes are off; start Luxe with --github-writes")
    if (spec.changes or spec.writes_github) and gate.read_only:
        raise Refused("read_only", "this session is read-only")
    if spec.needs == "idle" and gate.running:
        raise Refused("busy", "a turn is running")
    if spec.needs == "turn" and not gate.running:
        raise Refused("idle", "no turn is running")


def _content(bound: BoundAction, content: Any) -> tuple[Any, ...]:
    if bound.adapter is None:
        return ()
    try:
        return (bound.adapter.validate_python(content, strict=True),)
    except ValidationError as error:
        raise content_refusal(error) from None
