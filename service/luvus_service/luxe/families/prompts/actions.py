"""Prompts: the client answers them as the user would; no answer lifts a deny."""

from __future__ import annotations

from luvus_service.luxe.domain.events import (
    PermissionRequested,
    PermissionResolved,
    QuestionAsked,
    QuestionResolved,
)
from luvus_service.luxe.engine.session import Session
from luvus_service.luxe.engine.settings import Settings
from luvus_service.luxe.families.prompts.models import AnswerQuestion, RespondPermission
from luvus_service.rpc.frames import action, group

EVENTS = (PermissionRequested, PermissionResolved, QuestionAsked, QuestionResolved)


@group("prompts", events=EVENTS)
class PromptActions:
    """Answer permission prompts and questions."""

    def __init__(self, session: Session, settings: Settings) -> None:
        self._session = session
        self._settings = settings

    @action("respond_permission")
    def respond(self, content: RespondPermission) -> None:
        """Answer a permission prompt."""
        self._session.prompts.respond(content.id, content.reply, content.message)

    @action("answer_question")
    def answer(self, content: AnswerQuestion) -> None:
        """Answer a question, or decline it."""
        reply = content.reply
        answers = None if reply == "cancelled" else tuple(reply.answered)
        self._session.prompts.answer(content.id, answers)

    @action("set_permission_auto_approve")
    def auto_approve(self, content: bool) -> None:
        """Approve every prompt for the rest of the session; deny rules still apply."""
        self._settings.auto_approve(content)
