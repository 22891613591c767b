"""How turns begin: with a message, by steering, or over a transcript that was cut back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from luvus_service.luxe.domain.events import MessageCommitted, Steered, SteeringUpdated
from luvus_service.luxe.domain.limits import STEERING
from luvus_service.luxe.domain.records import Entry
from luvus_service.luxe.domain.store_ports import StoreFailure
from luvus_service.luxe.domain.transcript import last_user
from luvus_service.luxe.domain.values import (
    ImagePart,
    Message,
    MessageOrigin,
    Model,
    ModelRef,
    Part,
    TextPart,
    TurnOrigin,
)
from luvus_service.luxe.engine.ids import new_id
from luvus_service.luxe.engine.incoming import Picture
from luvus_service.luxe.engine.session import Session
from luvus_service.luxe.engine.turn import Turn
from luvus_service.rpc.refusals import Refused


class Turns:
    """Begins the turns of a session."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def submit(
        self,
        text: str,
        pictures: Sequence[Picture],
        origin: TurnOrigin = "client",
        message_origin: MessageOrigin = "client",
    ) -> None:
        """Commit a message and start its turn.

        Raises:
            Refused: No model can be called, or it takes no pictures.
        """
        model = self._model()
        if pictures and model is not None and not model.supports_images:
            raise Refused("invalid_field", f"field `images` must be empty: {model.name} takes none")
        turn = Turn(self._session, origin)
        parts: list[Part] = [TextPart(text)] if text else []
        parts += [self._stored(picture) for picture in pictures]
        self._begin_with(turn, tuple(parts), message_origin)

    def _model(self) -> Model | None:
        """Return the model of the turn about to begin; None when it waits for its list first."""
        session = self._session
        waits = session.discovery is not None and not session.discovery.done()
        return None if session.state.model is None and waits else session.callable_model()

    def _begin_with(self, turn: Turn, parts: tuple[Part, ...], origin: MessageOrigin) -> None:
        """Commit a user message of these parts and start the turn."""
        message = Message(new_id("msg"), "user", parts, self._session.now(), turn.id, origin=origin)
        created = not self._session.conversation.started
        if not self._session.conversation.entries and self._session.state.model is not None:
            model = self._session.state.model
            self._session.conversation.choose(ModelRef(model.provider, model.model))
        try:
            self._session.conversation.add(Entry(message))
        except StoreFailure as failure:
            raise Refused("failed", str(failure)) from failure
        self._session.emit(MessageCommitted(message))
        if created:
            self._session.created()
        self._session.begin(turn, message.id)

    def steer(self, text: str) -> None:
        """Queue a text for the running turn, or start one.

        Raises:
            Refused: Too many wait already.
        """
        if self._session.turn is None:
            if self._session.running:
                raise Refused("busy", "a compaction, a review or a change of session is running")
            self.submit(text, ())
            return
        if len(self._session.state.steering) >= STEERING:
            raise Refused("invalid_field", f"field `text` comes after {STEERING} that still wait")
        self._session.state.steering.append(Steered(new_id("steer"), text))
        self._show_steering()

    def withdraw(self) -> None:
        """Forget the steering texts not delivered yet."""
        self._session.state.steering = []
        self._show_steering()

    def _show_steering(self) -> None:
        """Send what waits."""
        self._session.emit(SteeringUpdated(tuple(self._session.state.steering)))
        self._session.state.show()

    def replayed(self, cause: Literal["retry", "regenerate"]) -> None:
        """Take back what followed the last user message, and run it again.

        Raises:
            Refused: There is no such message, or no model.
        """
        index = last_user(self._session.conversation.entries)
        if index is None:
            raise Refused("not_found", "there is no user message yet")
        self._session.callable_model()
        self._session.gauge.rewind(self._session.conversation.entries[index].message.id, cause)
        self._session.begin(
            Turn(self._session, cause), self._session.conversation.entries[index].message.id
        )

    def resend(self, text: str, pictures: Sequence[Picture] | None) -> None:
        """Replace the last user message and run it; None keeps its pictures.

        Raises:
            Refused: There is no such message, or no model.
        """
        entries = self._session.conversation.entries
        index = last_user(entries)
        if index is None:
            raise Refused("not_found", "there is no user message yet")
        model = self._session.callable_model()
        old = [part for part in entries[index].message.parts if isinstance(part, ImagePart)]
        if pictures is not None:
            old = [self._stored(picture) for picture in pictures]
        if old and not model.supports_images:
            raise Refused("invalid_field", f"field `images` must be empty: {model.name} takes none")
        if not text and not old:
            raise Refused("invalid_field", "field `text` must not be empty")
        before = entries[index - 1].message.id if index else None
        self._session.gauge.rewind(before, "edit_resend")
        parts: tuple[Part, ...] = (TextPart(text), *old) if text else tuple(old)
        self._begin_with(Turn(self._session, "edit_resend"), parts, "client")

    def _stored(self, picture: Picture) -> ImagePart:
        sha256 = self._session.conversation.log.put_image(picture.data)
        return ImagePart(picture.mime, len(picture.data), sha256, picture.name)
