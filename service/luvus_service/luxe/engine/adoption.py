"""What a session takes over from the conversation that is opened in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from luvus_service.luxe.domain.records import ModeChosen, ModelChosen, ThinkingChosen
from luvus_service.luxe.domain.values import ModelRef

if TYPE_CHECKING:
    from luvus_service.luxe.engine.session import Session
    from luvus_service.luxe.engine.world import Given


def adopt(session: Session, given: frozenset[Given]) -> None:
    """Take model, mode and level as far as the conversation says.

    What the caller has `given` counts before what was stored, and is stored with the next message.
    """
    stored, state = session.conversation.folded, session.state
    state.session_id = session.conversation.header.id
    if "thinking" not in given:
        state.thinking = stored.thinking or state.thinking
    if "mode" not in given:
        state.mode = stored.mode or state.mode
    model = None if "model" in given else stored.model
    wanted = model or session.choices.model
    found = session.models.find(wanted) if wanted is not None else None
    state.model = found or state.model or session.models.first()
    if session.conversation.started:
        _store(session, given)


def _store(session: Session, given: frozenset[Given]) -> None:
    state, later = session.state, session.conversation.later
    if "model" in given and state.model is not None:
        later(ModelChosen(ModelRef(state.model.provider, state.model.model)))
    if "thinking" in given:
        later(ThinkingChosen(state.thinking))
    if "mode" in given:
        later(ModeChosen(state.mode))
