"""How full the context window is, what it costs, and taking messages back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from luvus_service.luxe.domain.events import MessageCommitted, TranscriptRewound
from luvus_service.luxe.domain.records import Entry
from luvus_service.luxe.domain.session_events import ContextUsage, ModelUsage, SessionUsage
from luvus_service.luxe.domain.transcript import changed_paths
from luvus_service.luxe.domain.usage import added
from luvus_service.luxe.domain.values import CallUsage, Message, Model, ModelRef, TextPart
from luvus_service.luxe.engine.context import estimated_tokens, reserve
from luvus_service.luxe.engine.ids import new_id

if TYPE_CHECKING:
    from luvus_service.luxe.engine.session import Session


class Gauge:
    """Measures a session."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._reported: int | None = None
        """Tokens of the last call as the provider counted them."""
        self._exact = False
        self._estimated_then = 0
        """What we had estimated for the same call."""

    @property
    def source(self) -> Literal["reported", "estimated"]:
        """Where the present figure comes from."""
        return "reported" if self._exact else "estimated"

    def used(self) -> int:
        """Return about how many tokens the next call would send."""
        if self._session.state.model is None:
            return 0
        return self._used(self._estimate())

    def nearly_full(self) -> bool:
        """Say whether older messages should be summarised before the next call."""
        model = self._session.state.model
        return model is not None and self.used() > model.context_window - reserve(model)

    def _used(self, estimate: int) -> int:
        if self._reported is None:
            return estimate
        return max(0, self._reported + estimate - self._estimated_then)

    def _estimate(self) -> int:
        _, request, seen = self._session.next_call()
        return estimated_tokens(request, seen)

    def show(self, reported: CallUsage | None) -> None:
        """Send how full the window is; `reported` is what a call just counted."""
        model = self._session.state.model
        if model is None:
            return
        estimate = self._estimate()
        self._exact = reported is not None
        if reported is not None:
            self._reported = reported.total_tokens or (
                reported.prompt_tokens + reported.completion_tokens
            )
            self._estimated_then = estimate
        self._session.emit(self._context(model, self._used(estimate)))

    def context(self) -> ContextUsage | None:
        """Return how full the window is; None without a model."""
        model = self._session.state.model
        return None if model is None else self._context(model, self.used())

    def _context(self, model: Model, used: int) -> ContextUsage:
        window = max(1, model.context_window)
        return ContextUsage(
            used_tokens=used,
            context_window=model.context_window,
            percent=round(100 * used / window, 1),
            compact_at_tokens=max(0, model.context_window - reserve(model)),
            source=self.source,
            model=ModelRef(model.provider, model.model),
        )

    def forget(self) -> None:
        """Count from nothing again: another model, or another conversation."""
        self._reported = None
        self._estimated_then = 0

    def show_usage(self) -> None:
        """Send what the session cost."""
        self._session.emit(self.usage())

    def turn_over(self) -> None:
        """Send what the session cost, after a turn."""
        self.show_usage()

    def rewind(self, to: str | None, cause: Literal["edit_resend", "retry", "regenerate"]) -> None:
        """Take back what follows a message; the model is told which files that part changed."""
        session = self._session
        removed = session.conversation.rewind(to, cause)
        session.told.clear()
        session.emit(TranscriptRewound(to, tuple(entry.message.id for entry in removed), cause))
        self.forget()
        paths = changed_paths(removed)
        if paths:
            text = (
                "The user took back a part of this conversation. These files were changed in it "
                "and still are: " + ", ".join(paths)
            )
            note = Message(
                new_id("msg"), "system", (TextPart(text),), session.now(), origin="engine"
            )
            session.conversation.add(Entry(note))
            session.emit(MessageCommitted(note))

    def usage(self) -> SessionUsage:
        """Return what the session cost."""
        conversation = self._session.conversation
        total = CallUsage()
        models: dict[tuple[str, str], tuple[int, CallUsage]] = {}
        for record in conversation.folded.used:
            total = added(total, record.usage)
            key = (record.model.provider, record.model.model)
            calls, usage = models.get(key, (0, CallUsage()))
            models[key] = (calls + 1, added(usage, record.usage))
        return SessionUsage(
            prompt_tokens=total.prompt_tokens,
            completion_tokens=total.completion_tokens,
            cached_prompt_tokens=total.cached_prompt_tokens,
            cache_write_tokens=total.cache_write_tokens,
            reasoning_tokens=total.reasoning_tokens,
            total_tokens=total.total_tokens,
            cost_usd=total.cost_usd,
            cost_source=total.cost_source,
            calls=len(conversation.folded.used),
            turns=conversation.folded.turns,
            unpriced_calls=sum(r.usage.cost_usd is None for r in conversation.folded.used),
            by_model=tuple(
                _model_usage(provider, model, calls, usage)
                for (provider, model), (calls, usage) in models.items()
            ),
            started_at=conversation.header.created_at,
        )


def _model_usage(provider: str, model: str, calls: int, usage: CallUsage) -> ModelUsage:
    return ModelUsage(
        provider=provider,
        model=model,
        calls=calls,
        prompt_tokens=usage.prompt_tokens,
        completion_tokens=usage.completion_tokens,
        cached_prompt_tokens=usage.cached_prompt_tokens,
        cache_write_tokens=usage.cache_write_tokens,
        reasoning_tokens=usage.reasoning_tokens,
        total_tokens=usage.total_tokens,
        cost_usd=usage.cost_usd,
        cost_source=usage.cost_source,
    )
