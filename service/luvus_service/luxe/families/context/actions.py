"""The context window: what fills it, and making room in it."""

from __future__ import annotations

from luvus_service.luxe.domain.session_events import (
    CompactionDone,
    CompactionStarted,
    ContextComposition,
    ContextUsage,
)
from luvus_service.luxe.engine.composition import composed
from luvus_service.luxe.engine.session import Session
from luvus_service.luxe.families.context.models import CompactNow
from luvus_service.rpc.frames import action, group


@group("context", events=(ContextUsage, ContextComposition, CompactionStarted, CompactionDone))
class ContextActions:
    """Look at the context window and make room in it."""

    def __init__(self, session: Session) -> None:
        self._session = session

    @action("request_context_composition")
    def composition(self) -> None:
        """Show what fills the context window."""
        self._session.emit(composed(self._session))

    @action("compact_now", needs="idle")
    def compact_now(self, content: CompactNow | None) -> None:
        """Summarise the older messages now."""
        self._session.callable_model()
        focus = content.focus if content is not None else None
        self._session.aside(self._session.compactor.run("manual", focus, None), "compaction")
