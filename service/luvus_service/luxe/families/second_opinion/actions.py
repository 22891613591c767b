"""A second opinion on the uncommitted changes."""

from __future__ import annotations

from luvus_service.luxe.domain.session_events import ReviewFinished, ReviewStarted
from luvus_service.luxe.engine.second_opinion import SecondOpinion
from luvus_service.luxe.engine.session import Session
from luvus_service.luxe.families.second_opinion.models import RequestReview
from luvus_service.rpc.frames import action, group


@group("second_opinion", events=(ReviewStarted, ReviewFinished))
class SecondOpinionActions:
    """Let another model call look at the work."""

    def __init__(self, session: Session, opinion: SecondOpinion) -> None:
        self._session = session
        self._opinion = opinion

    @action("request_review", needs="idle")
    def request_review(self, content: RequestReview | None) -> None:
        """Ask for a second opinion; on `fix` its findings become the next turn."""
        self._session.callable_model()
        focus = content.focus if content is not None else None
        self._session.aside(self._opinion.run(focus), "second opinion")
