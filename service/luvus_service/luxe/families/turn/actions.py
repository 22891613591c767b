"""Turns: one at a time; a message starts one, and it ends exactly once."""

from __future__ import annotations

from luvus_service.luxe.domain.events import (
    ErrorShown,
    MessageCommitted,
    ProviderRetrying,
    SteeringUpdated,
    ThinkingDelta,
    TokenDelta,
    ToolActivityUpdated,
    ToolCallComposing,
    ToolCompleted,
    ToolEnded,
    ToolProgress,
    ToolStarted,
    TranscriptRewound,
    TurnEnded,
    TurnStarted,
    TurnUsage,
)
from luvus_service.luxe.domain.transcript import ends_with_answer
from luvus_service.luxe.engine.incoming import check_text, checked_pictures
from luvus_service.luxe.engine.session import Session
from luvus_service.luxe.engine.turns import Turns
from luvus_service.luxe.families.turn.models import (
    EditResend,
    SteerTurn,
    SubmitUserMessage,
)
from luvus_service.rpc.frames import action, group
from luvus_service.rpc.refusals import Refused

EVENTS = (
    TurnStarted,
    TokenDelta,
    ThinkingDelta,
    ToolCallComposing,
    MessageCommitted,
    ToolStarted,
    ToolProgress,
    ToolCompleted,
    ToolEnded,
    ToolActivityUpdated,
    ProviderRetrying,
    TurnUsage,
    TurnEnded,
    ErrorShown,
    SteeringUpdated,
    TranscriptRewound,
)


@group("turn", events=EVENTS)
class TurnActions:
    """Start turns, steer them, stop them, and run them again."""

    def __init__(self, session: Session, turns: Turns) -> None:
        self._session = session
        self._turns = turns

    @action("submit_user_message", needs="idle")
    def submit(self, content: SubmitUserMessage) -> None:
        """Start a turn with a message."""
        check_text(content.text, empty=bool(content.images))
        pictures = checked_pictures([item.image() for item in content.images])
        self._turns.submit(content.text, pictures)

    @action("steer_turn")
    def steer(self, content: SteerTurn) -> None:
        """Reach the running turn between tool calls; with no turn running, start one."""
        check_text(content.text)
        self._turns.steer(content.text)

    @action("withdraw_steering")
    def withdraw(self) -> None:
        """Drop the steering messages not delivered yet."""
        self._turns.withdraw()

    @action("cancel", needs="turn")
    def cancel(self) -> None:
        """Stop the turn."""
        self._session.cancel()

    @action("edit_resend", needs="idle")
    def edit_resend(self, content: EditResend) -> None:
        """Replace the last message and send it again; files stay as they are."""
        check_text(content.text, empty=True)
        images = content.images
        pictures = None if images is None else checked_pictures([item.image() for item in images])
        self._turns.resend(content.text, pictures)

    @action("retry", needs="idle")
    def retry(self) -> None:
        """Send the last message again."""
        self._turns.replayed("retry")

    @action("regenerate", needs="idle")
    def regenerate(self) -> None:
        """Replace the last answer."""
        if not ends_with_answer(self._session.conversation.entries):
            raise Refused("not_found", "the last message is not a finished answer")
        self._turns.replayed("regenerate")
