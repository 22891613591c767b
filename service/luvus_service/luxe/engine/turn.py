"""One turn: model calls and tool calls until the model is done, cancelled or failed.

Ends exactly once, whatever happens; the transcript is valid at every moment in between.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, field

from luvus_service.luxe.domain.events import (
    ErrorShown,
    MessageCommitted,
    SteeringUpdated,
    TurnEnded,
    TurnStarted,
)
from luvus_service.luxe.domain.ports import ModelRequest, ProviderFailure
from luvus_service.luxe.domain.records import Entry, TurnMark, Used
from luvus_service.luxe.domain.store_ports import StoreFailure
from luvus_service.luxe.domain.tool_ports import Outcome, Tool
from luvus_service.luxe.domain.usage import added, priced
from luvus_service.luxe.domain.values import (
    CallUsage,
    ErrorInfo,
    Image,
    ImagePart,
    Message,
    MessageOrigin,
    ModelRef,
    TextPart,
    ToolResultPart,
    TurnEnd,
    TurnOrigin,
)
from luvus_service.luxe.engine.answer import CUT_CALL, Answer, Called
from luvus_service.luxe.engine.ids import new_id
from luvus_service.luxe.engine.model_call import ModelCall, Timing, usage_event
from luvus_service.luxe.engine.ports import TurnHost
from luvus_service.luxe.engine.tool_batch import ToolBatch
from luvus_service.luxe.engine.tool_call import Desk, Ended, ToolCall, fingerprint

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class Tally:
    """What a turn has done so far."""

    model_calls: int = 0
    counted: int = 0
    """Calls of the model, and tries of them, whose tokens the provider counted."""
    tool_calls: int = 0
    usage: CallUsage = field(default_factory=CallUsage)
    changed: set[str] = field(default_factory=set[str])
    error: ErrorInfo | None = None
    last_print: str = ""
    repeats: int = 0
    told_of_cut: bool = False
    overflowed: bool = False
    next_block: int = 0


class Turn:
    """One running turn of a session."""

    def __init__(self, host: TurnHost, origin: TurnOrigin) -> None:
        self.id = new_id("turn")
        self._host = host
        self._origin: TurnOrigin = origin
        self._tally = Tally()
        self._began = host.world.clock.monotonic()
        self.cancelling = False

    def start(self, message_id: str | None) -> None:
        """Show that the turn began; the caller runs `run` next."""
        host = self._host
        host.conversation.mark(TurnMark(self.id, "start", host.now(), self._origin))
        host.state.turn_id = self.id
        host.state.activity = "model"
        host.state.show()
        host.emit(TurnStarted(self.id, self._origin, message_id))

    async def run(self) -> None:
        """Run to the end and show it."""
        reason: TurnEnd
        try:
            reason = await self._until_done()
        except asyncio.CancelledError:
            reason = "cancelled"
        except ProviderFailure as failure:
            overflow = failure.info.code == "context_overflow"
            reason = "context_overflow" if overflow else "error"
            self._tally.error = failure.info
        except StoreFailure as failure:
            reason = "error"
            self._tally.error = ErrorInfo("session_write_failed", str(failure))
        except Exception:  # noqa: BLE001 - the supervisor of a turn: it must end, and say so
            _log.exception("turn %s failed", self.id)
            reason = "error"
            self._tally.error = ErrorInfo("internal", "Luxe failed unexpectedly; see its log.")
        self._finish(reason)

    async def _until_done(self) -> TurnEnd:
        while True:
            reason = await self._steps()
            await self._host.conversation.log.sync()
            # What was steered while the disk was waited for belongs to this turn.
            if reason != "end_turn" or not self._host.state.steering:
                return reason

    async def _steps(self) -> TurnEnd:
        while True:
            self._deliver_steering()
            if self._tally.model_calls >= self._host.choices.max_model_calls:
                return "max_steps"
            try:
                answer, message = await self._call_model()
            except ProviderFailure as failure:
                if failure.info.code != "context_overflow" or self._tally.overflowed:
                    raise
                self._tally.overflowed = True
                if not await self._host.after_overflow(self.id):
                    raise
                continue
            calls = answer.calls()
            if answer.reason == "refusal":
                return "refusal"
            if answer.reason == "content_filter":
                raise ProviderFailure(
                    "content_filter", "the provider's filter stopped the answer", provider=""
                )
            cut = answer.reason == "max_tokens" and answer.cut_call()
            if calls and message is not None:
                await self._run_calls(calls, message)
                if cut:
                    self._tell_of_cut()
            elif answer.reason == "max_tokens" and not (cut and self._tell_of_cut()):
                return "max_tokens"
            elif answer.reason != "max_tokens" and not self._host.state.steering:
                return "end_turn"

    def _tell_of_cut(self) -> bool:
        if self._tally.told_of_cut:
            return False
        self._tally.told_of_cut = True
        self._commit(CUT_CALL, "engine")
        return True

    def _deliver_steering(self) -> None:
        state = self._host.state
        if not state.steering:
            return
        texts, state.steering = state.steering, []
        for steered in texts:
            self._commit(steered.text, "steering")
        self._host.emit(SteeringUpdated(()))
        state.show()

    def _commit(self, text: str, origin: MessageOrigin) -> None:
        host = self._host
        message = Message(
            new_id("msg"), "user", (TextPart(text),), host.now(), self.id, origin=origin
        )
        host.conversation.add(Entry(message))
        host.emit(MessageCommitted(message))

    async def _call_model(self) -> tuple[Answer, Message | None]:
        host, tally = self._host, self._tally
        await host.before_model_call(self.id)
        provider, request = host.request()
        answer = Answer(host.emit, self.id, tally.next_block, host.conversation.call_ids)
        tally.model_calls += 1
        counted: list[tuple[CallUsage, Timing]] = []
        call = ModelCall(
            host.outbox,
            host.world.clock,
            host.world.random,
            host.state.act,
            lambda usage, timing: counted.append((usage, timing)),
        )
        interrupted = True
        try:
            await call.run_bounded(provider, request, answer, self.id)
            interrupted = False
        finally:
            tally.next_block = answer.next_block
            message = self._commit_answer(request, answer, interrupted=interrupted)
            for usage, timing in counted:
                self._count(request, usage, timing)
        host.context_changed(answer.usage)
        return answer, message

    def _count(self, request: ModelRequest, usage: CallUsage, timing: Timing) -> None:
        host, tally = self._host, self._tally
        usage = priced(usage, request.model.pricing)
        tally.usage = added(tally.usage, usage)
        ref = ModelRef(request.model.provider, request.model.model)
        host.conversation.used(Used(ref, usage, "turn", self.id))
        index = tally.counted
        tally.counted += 1
        host.emit(usage_event(request, usage, timing, turn_id=self.id, index=index, purpose="turn"))

    def _commit_answer(
        self, request: ModelRequest, answer: Answer, *, interrupted: bool
    ) -> Message | None:
        parts, opaque = answer.parts(calls=not interrupted)
        if not parts:
            return None
        message = Message(
            id=new_id("msg"),
            role="assistant",
            parts=parts,
            created_at=self._host.now(),
            turn_id=self.id,
            model=ModelRef(request.model.provider, request.model.model),
            usage=priced(answer.usage, request.model.pricing) if answer.usage else None,
            stop_reason=answer.reason,
            interrupted=interrupted,
            origin="engine",
        )
        self._host.conversation.add(Entry(message, opaque))
        self._host.emit(MessageCommitted(message))
        return message

    async def _run_calls(self, calls: tuple[Called, ...], message: Message) -> None:
        host, tally = self._host, self._tally
        tools: dict[str, Tool] = {tool.name: tool for tool in host.tools()}
        state = host.state
        desk = Desk(state, host.prompts, host.emit, lambda: state.auto_approve, state.act)
        benches = [host.bench(called.part.call_id, self.id) for called in calls]
        batch = ToolBatch(
            [
                (
                    called,
                    ToolCall(called, tools.get(called.part.name), bench, desk, message.id),
                    called.part.name in tools and tools[called.part.name].reads_only,
                )
                for called, bench in zip(calls, benches, strict=True)
            ],
            self._repeated,
            lambda: bool(host.state.steering),
        )
        tally.tool_calls += len(calls)
        try:
            await batch.run()
        finally:
            tally.changed.update(*(bench.changed for bench in benches))
            self._commit_results(batch.results())
        if any(not reads for _, _, reads in batch.calls):
            host.project_changed()
        host.context_changed(None)

    def _repeated(self, called: Called) -> bool:
        tally = self._tally
        print_ = fingerprint(called)
        tally.repeats = tally.repeats + 1 if print_ == tally.last_print else 1
        tally.last_print = print_
        return tally.repeats >= self._host.choices.max_repeats

    def _commit_results(self, ends: list[Ended]) -> None:
        parts: list[ToolResultPart] = []
        for end in ends:
            result = end.result
            if end.outcome is not None:
                self._tally.changed.update(end.outcome.changed)
                result = self._with_images(result, end.outcome)
            parts.append(result)
        message = Message(
            new_id("msg"), "tool", tuple(parts), self._host.now(), self.id, origin="engine"
        )
        self._host.conversation.add(Entry(message))
        self._host.emit(MessageCommitted(message))

    def _with_images(self, result: ToolResultPart, outcome: Outcome) -> ToolResultPart:
        if not outcome.images:
            return result
        stored = tuple(stored_image(image, self._host.put_image) for image in outcome.images)
        return ToolResultPart(
            result.call_id, result.name, result.status, result.output, result.truncated, stored
        )

    def _finish(self, reason: TurnEnd) -> None:
        """Show the end; without an await, so that nothing comes between its frames."""
        host, tally = self._host, self._tally
        undelivered = tuple(item.text for item in host.state.steering)
        if undelivered:
            host.state.steering = []
            host.emit(SteeringUpdated(()))
        if tally.error is not None:
            host.emit(_shown_error(tally.error, self.id))
        try:
            host.conversation.mark(TurnMark(self.id, "end", host.now(), reason=reason))
        except StoreFailure:
            _log.exception("the end of turn %s could not be written", self.id)
        host.turn_over()
        host.state.turn_id = None
        host.state.activity = "idle"
        host.state.show()
        host.emit(
            TurnEnded(
                reason=reason,
                turn_id=self.id,
                duration_ms=round((host.world.clock.monotonic() - self._began) * 1000),
                model_calls=tally.model_calls,
                tool_calls=tally.tool_calls,
                usage=tally.usage,
                error=tally.error,
                undelivered_steering=undelivered,
                files_changed=len(tally.changed),
            )
        )


def stored_image(image: Image, put: Callable[[Image], tuple[str, int]]) -> ImagePart:
    """Store a picture and return the part that refers to it."""
    sha256, size = put(image)
    return ImagePart(image.mime, size, sha256, image.name)


def _shown_error(error: ErrorInfo, turn_id: str) -> ErrorShown:
    hints = {
        "auth": "Check the provider's key.",
        "quota_exhausted": "Check the provider's plan, or select another model.",
        "context_overflow": "Compact the conversation or start a new session.",
        "stream_interrupted": "Use retry to send the last message again.",
        "model_not_found": "Select another model.",
    }
    return ErrorShown(
        error.code,
        error.message,
        error.retryable,
        error.status,
        error.provider,
        turn_id,
        hints.get(error.code),
    )
