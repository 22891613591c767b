"""One call of a model: tried again only while nothing of its answer was passed on."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from luvus_service.luxe.domain.events import ProviderRetrying, TurnUsage
from luvus_service.luxe.domain.limits import CANCEL_S, PROVIDER_TRIES
from luvus_service.luxe.domain.ports import (
    AllowanceRead,
    BlockDelta,
    BlockEnded,
    BlockStarted,
    Clock,
    Delta,
    ModelRequest,
    Provider,
    ProviderFailure,
    TokensCounted,
)
from luvus_service.luxe.domain.session_events import PlanUsageShown
from luvus_service.luxe.domain.values import Activity, CallPurpose, CallUsage
from luvus_service.luxe.engine.answer import Answer
from luvus_service.luxe.engine.ids import timestamp
from luvus_service.luxe.engine.outbox import Outbox
from luvus_service.luxe.engine.retries import wait_before_retry
from luvus_service.luxe.engine.tasks import ended


@dataclass(frozen=True, slots=True)
class Timing:
    """When a call began and first answered, in milliseconds."""

    duration_ms: int
    first_token_ms: int | None


class ModelCall:
    """Calls a model once for its caller, however many tries it takes."""

    def __init__(
        self,
        outbox: Outbox,
        clock: Clock,
        random: Callable[[], float],
        show: Callable[[Activity], None],
        count: Callable[[CallUsage, Timing], None],
    ) -> None:
        """`count` is told what each try used that the provider counted, whatever came of it."""
        self._count = count
        self._outbox = outbox
        self._clock = clock
        self._random = random
        self._show = show
        self._first: float | None = None

    async def run(self, provider: Provider, request: ModelRequest, answer: Answer) -> None:
        """Fill `answer`; on cancellation and failure it holds what came until then.

        Raises:
            ProviderFailure: It was given up.
        """
        tries = 0
        while True:
            tries += 1
            try:
                await self._try(provider, request, answer)
            except ProviderFailure as failure:
                wait = None if answer.begun else wait_before_retry(failure, tries, self._random)
                if wait is None:
                    raise
                answer.usage = None
                await self._pause(failure, request, tries, wait)
            else:
                return

    async def _try(self, provider: Provider, request: ModelRequest, answer: Answer) -> None:
        began = self._clock.monotonic()
        self._first = None
        try:
            await self._read(provider, request, answer)
        finally:
            if answer.usage is not None:
                self._count(answer.usage, self._timing(began))

    def _timing(self, began: float) -> Timing:
        first = None if self._first is None else _ms(self._first - began)
        return Timing(_ms(self._clock.monotonic() - began), first)

    async def run_bounded(
        self, provider: Provider, request: ModelRequest, answer: Answer, name: str
    ) -> None:
        """Do as `run` does; a provider that does not let go does not hold up a cancellation.

        Raises:
            ProviderFailure: It was given up.
        """
        loop = asyncio.get_running_loop()
        task = loop.create_task(self.run(provider, request, answer), name=f"{name} model")
        try:
            await asyncio.wait({task})
        finally:
            if not task.done():
                answer.silence()
            # A failure that came together with the cancellation is taken note of there.
            await ended({task}, CANCEL_S)
        task.result()

    async def _read(self, provider: Provider, request: ModelRequest, answer: Answer) -> None:
        self._show("model")
        stream = provider.answer(request)
        try:
            async for delta in stream:
                self._take(delta, answer)
                await self._outbox.room()
        finally:
            close = getattr(stream, "aclose", None)
            if close is not None:
                await close()
        if answer.reason is None:
            raise ProviderFailure(
                "stream_interrupted",
                f"{provider.name} stopped in the middle of its answer",
                provider=provider.name,
                retryable=True,
            )

    def _take(self, delta: Delta, answer: Answer) -> None:
        if isinstance(delta, BlockDelta):
            answer.extend(delta)
        elif isinstance(delta, BlockStarted):
            if self._first is None:
                self._first = self._clock.monotonic()
            answer.start(delta)
        elif isinstance(delta, BlockEnded):
            answer.end(delta)
        elif isinstance(delta, TokensCounted):
            answer.usage = delta.usage
        elif isinstance(delta, AllowanceRead):
            plan = delta.plan
            self._outbox.put(
                PlanUsageShown(
                    plan.provider, plan.plan, plan.windows, plan.credits, plan.updated_at
                )
            )
        else:
            answer.reason = delta.reason

    async def _pause(
        self, failure: ProviderFailure, request: ModelRequest, tries: int, wait: float
    ) -> None:
        self._show("retry_wait")
        self._outbox.put(
            ProviderRetrying(
                provider=request.model.provider,
                model=request.model.model,
                attempt=tries + 1,
                max_attempts=PROVIDER_TRIES,
                delay_ms=_ms(wait),
                status=failure.info.status,
                reason=failure.info.message,
                retry_at=timestamp(self._clock.time() + wait),
            )
        )
        await asyncio.sleep(wait)


def usage_event(
    request: ModelRequest,
    usage: CallUsage,
    timing: Timing,
    *,
    turn_id: str | None,
    index: int,
    purpose: CallPurpose,
) -> TurnUsage:
    """Return the event for a finished call."""
    return TurnUsage(
        prompt_tokens=usage.prompt_tokens,
        completion_tokens=usage.completion_tokens,
        cached_prompt_tokens=usage.cached_prompt_tokens,
        cache_write_tokens=usage.cache_write_tokens,
        reasoning_tokens=usage.reasoning_tokens,
        total_tokens=usage.total_tokens,
        cost_usd=usage.cost_usd,
        cost_source=usage.cost_source,
        turn_id=turn_id,
        provider=request.model.provider,
        model=request.model.model,
        call_index=index,
        purpose=purpose,
        duration_ms=timing.duration_ms,
        first_token_ms=timing.first_token_ms,
    )


def _ms(seconds: float) -> int:
    return max(0, round(seconds * 1000))
