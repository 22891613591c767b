"""A model call beside the turn's own: counted whatever comes of it, and shown only by its cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from luvus_service.luxe.domain.ports import ModelRequest, Provider
from luvus_service.luxe.domain.records import Used
from luvus_service.luxe.domain.usage import added, priced
from luvus_service.luxe.domain.values import CallPurpose, CallUsage, ModelRef
from luvus_service.luxe.engine.answer import Answer
from luvus_service.luxe.engine.model_call import ModelCall, Timing, usage_event

if TYPE_CHECKING:
    from luvus_service.luxe.engine.session import Session


class AsideCalls:
    """Calls models for one purpose."""

    def __init__(self, session: Session, purpose: CallPurpose, turn_id: str | None = None) -> None:
        self._session = session
        self._purpose: CallPurpose = purpose
        self._turn_id = turn_id
        self._counted = 0
        self.usage: CallUsage | None = None
        """What all its calls used; None when no provider counted."""

    async def run(self, provider: Provider, request: ModelRequest) -> Answer:
        """Call the model once and return its answer.

        Raises:
            ProviderFailure: The call was given up.
        """
        world = self._session.world

        def count(usage: CallUsage, timing: Timing) -> None:
            self._count(request, usage, timing)

        answer = Answer(lambda _event: None, self._turn_id or "", 0)
        call = ModelCall(
            self._session.outbox, world.clock, world.random, lambda _activity: None, count
        )
        await call.run_bounded(provider, request, answer, self._purpose)
        return answer

    def _count(self, request: ModelRequest, usage: CallUsage, timing: Timing) -> None:
        session = self._session
        usage = priced(usage, request.model.pricing)
        self.usage = added(self.usage or CallUsage(), usage)
        ref = ModelRef(request.model.provider, request.model.model)
        session.conversation.used(Used(ref, usage, self._purpose, self._turn_id))
        session.emit(
            usage_event(
                request,
                usage,
                timing,
                turn_id=self._turn_id,
                index=self._counted,
                purpose=self._purpose,
            )
        )
        self._counted += 1
