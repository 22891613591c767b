"""The live session: owns the transcript, the running turn and every task; ends them all.

Everything happens on one event loop, and nothing awaits between looking at the state and changing
it.
"""

from __future__ import annotations

import asyncio
import base64
import logging
from collections.abc import Callable, Sequence
from typing import Literal

from luvus_service.luxe.domain.events import MessageCommitted, Steered, SteeringUpdated
from luvus_service.luxe.domain.limits import CANCEL_S, CLOSE_S, STEERING
from luvus_service.luxe.domain.permissions import Grant, decide
from luvus_service.luxe.domain.ports import ModelRequest, Provider, ProviderFailure
from luvus_service.luxe.domain.records import Entry, ModelChosen, SessionHeader
from luvus_service.luxe.domain.session_events import (
    ActionRejected,
    Notice,
)
from luvus_service.luxe.domain.tool_ports import Tool
from luvus_service.luxe.domain.transcript import last_user
from luvus_service.luxe.domain.values import (
    CallUsage,
    Image,
    ImagePart,
    Message,
    MessageOrigin,
    Model,
    ModelRef,
    Part,
    TextPart,
    TurnOrigin,
)
from luvus_service.luxe.engine.context import given, offered, schemas, system_texts
from luvus_service.luxe.engine.conversation import Conversation
from luvus_service.luxe.engine.gauge import Gauge
from luvus_service.luxe.engine.ids import new_id, timestamp, uuid7
from luvus_service.luxe.engine.incoming import Picture
from luvus_service.luxe.engine.outbox import Outbox
from luvus_service.luxe.engine.prompts import Asking, Prompts
from luvus_service.luxe.engine.state import State
from luvus_service.luxe.engine.tasks import Tasks, ended
from luvus_service.luxe.engine.turn import Turn
from luvus_service.luxe.engine.workbench import Bench, Ledger
from luvus_service.luxe.engine.world import Choices, World
from luvus_service.rpc.refusals import Refused

_log = logging.getLogger(__name__)


class Session:
    """One conversation with one client."""

    def __init__(
        self,
        world: World,
        choices: Choices,
        conversation: Conversation | None = None,
        session_id: str | None = None,
    ) -> None:
        """Without a conversation a new one of this id begins."""
        self.world = world
        self.choices = choices
        self.outbox = Outbox()
        self.tasks = Tasks()
        self.state = State(choices, world.rules, self.emit)
        self.prompts = Prompts(self.emit, self.state.show, self.now, self._grant)
        self.state.permissions = lambda: self.prompts.permissions
        self.state.questions = lambda: self.prompts.questions
        self.conversation = conversation or self.fresh(session_id)
        self.files = Ledger()
        self.gauge = Gauge(self)
        self.project_changed: Callable[[], None] = lambda: None
        self.turn: Turn | None = None
        self._turn_task: asyncio.Task[None] | None = None
        self.switching = False
        """Whether another session is being opened, which excludes turns."""
        self._closing = False
        self._closer: asyncio.Task[None] | None = None
        self._at_close: list[Callable[[], None]] = []

    # What the dispatcher asks

    @property
    def running(self) -> bool:
        """Whether a turn is running, or something that excludes one."""
        return self.turn is not None or self.switching

    @property
    def closing(self) -> bool:
        """Whether the session is shutting down."""
        return self._closing

    @property
    def read_only(self) -> bool:
        """Whether nothing may be changed."""
        return self.state.read_only

    @property
    def github_writes(self) -> bool:
        """Whether the client may publish to GitHub."""
        return self.choices.github_writes

    def reject(self, kind: str | None, reason: str, code: str, request_id: str | None) -> None:
        """Answer that a frame was refused."""
        self.emit(ActionRejected(kind, reason, code, request_id))

    # Frames and time

    def emit(self, event: object) -> None:
        """Send an event."""
        self.outbox.put(event)

    def now(self) -> str:
        """Return the time as a timestamp."""
        return timestamp(self.world.clock.time())

    def notice(self, level: Literal["info", "warning"], code: str, message: str) -> None:
        """Show something that ends nothing."""
        self.emit(Notice(level, code, message))

    # Life

    def open(self) -> None:
        """Take over the conversation that is in place and show the state; `ready` was sent."""
        self.adopt()
        self.state.show()

    def adopt(self) -> None:
        """Take model, mode and level from the conversation, as far as it says."""
        folded, state = self.conversation.folded, self.state
        state.session_id = self.conversation.header.id
        state.thinking = folded.thinking or state.thinking
        state.mode = folded.mode or state.mode
        wanted = folded.model or self.choices.model
        found = self.model(wanted) if wanted is not None else None
        state.model = found or state.model or self._first_model()

    def fresh(self, session_id: str | None = None) -> Conversation:
        """Return a new conversation, which is not on the disk before its first message."""
        return Conversation(self.world.store.create(self._header(session_id)))

    def when_closing(self, call: Callable[[], None]) -> None:
        """Call this once when the session begins to close."""
        self._at_close.append(call)

    def shut(self) -> None:
        """Begin to close; `outbox` ends when it is done. A second time does nothing."""
        if self._closing:
            return
        self._closing = True
        self.prompts.closing = True
        for call in self._at_close:
            call()
        loop = asyncio.get_running_loop()
        self._closer = loop.create_task(self._close(), name="close")

    async def closed(self) -> None:
        """Wait until the session has closed."""
        self.shut()
        if self._closer is not None:
            await self._closer

    async def _close(self) -> None:
        try:
            async with asyncio.timeout(CLOSE_S):
                await self._stop_turn()
                await self.tasks.end(CANCEL_S)
                await self.world.toolbox.close()
                for provider in self.world.providers:
                    await provider.close()
                await self.conversation.log.sync()
        except TimeoutError:
            _log.error("closing took longer than %.0f s; what is left is given up", CLOSE_S)
        finally:
            self.state.close()
            self.conversation.log.close()
            self.outbox.close()

    # Turns

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
        model = self.callable_model()
        if pictures and not model.supports_images:
            raise Refused("invalid_field", f"field `images` must be empty: {model.name} takes none")
        turn = Turn(self, origin)
        parts: list[Part] = [TextPart(text)] if text else []
        parts += [self._stored(picture) for picture in pictures]
        self.begin_with(turn, tuple(parts), message_origin)

    def begin_with(self, turn: Turn, parts: tuple[Part, ...], origin: MessageOrigin) -> None:
        """Commit a user message of these parts and start the turn."""
        message = Message(new_id("msg"), "user", parts, self.now(), turn.id, origin=origin)
        if not self.conversation.entries and self.state.model is not None:
            model = self.state.model
            self.conversation.record(ModelChosen(ModelRef(model.provider, model.model)))
            self.conversation.folded.model = ModelRef(model.provider, model.model)
        self.conversation.add(Entry(message))
        self.emit(MessageCommitted(message))
        self.begin(turn, message.id)

    def begin(self, turn: Turn, message_id: str | None) -> None:
        """Start a turn over the transcript as it is."""
        self.turn = turn
        turn.start(message_id)
        self._turn_task = self.tasks.start(turn.run(), turn.id)

    def turn_over(self) -> None:
        """Take note that the turn ends now."""
        self.turn = None
        self._turn_task = None
        self.gauge.turn_over()
        self.project_changed()

    def steer(self, text: str) -> None:
        """Queue a text for the running turn, or start one.

        Raises:
            Refused: Too many wait already.
        """
        if self.turn is None:
            if self.switching:
                raise Refused("busy", "another session is being opened")
            self.submit(text, ())
            return
        if len(self.state.steering) >= STEERING:
            raise Refused("invalid_field", f"field `text` comes after {STEERING} that still wait")
        self.state.steering.append(Steered(new_id("steer"), text))
        self.show_steering()

    def withdraw(self) -> None:
        """Forget the steering texts not delivered yet."""
        self.state.steering = []
        self.show_steering()

    def show_steering(self) -> None:
        """Send what waits."""
        self.emit(SteeringUpdated(tuple(self.state.steering)))
        self.state.show()

    def cancel(self) -> None:
        """Stop the turn; a second time does nothing."""
        turn, task = self.turn, self._turn_task
        if turn is None or task is None or turn.cancelling:
            return
        turn.cancelling = True
        self.state.activity = "cancelling"
        self.state.show()
        task.cancel()

    def replayed(self, cause: Literal["retry", "regenerate"]) -> None:
        """Take back what followed the last user message, and run it again.

        Raises:
            Refused: There is no such message, or no model.
        """
        index = last_user(self.conversation.entries)
        if index is None:
            raise Refused("not_found", "there is no user message yet")
        self.callable_model()
        self.gauge.rewind(self.conversation.entries[index].message.id, cause)
        self.begin(Turn(self, cause), self.conversation.entries[index].message.id)

    def resend(self, text: str, pictures: Sequence[Picture] | None) -> None:
        """Replace the last user message and run it; None keeps its pictures.

        Raises:
            Refused: There is no such message, or no model.
        """
        entries = self.conversation.entries
        index = last_user(entries)
        if index is None:
            raise Refused("not_found", "there is no user message yet")
        model = self.callable_model()
        old = [part for part in entries[index].message.parts if isinstance(part, ImagePart)]
        if pictures is not None:
            old = [self._stored(picture) for picture in pictures]
        if old and not model.supports_images:
            raise Refused("invalid_field", f"field `images` must be empty: {model.name} takes none")
        if not text and not old:
            raise Refused("invalid_field", "field `text` must not be empty")
        before = entries[index - 1].message.id if index else None
        self.gauge.rewind(before, "edit_resend")
        parts: tuple[Part, ...] = (TextPart(text), *old) if text else tuple(old)
        self.begin_with(Turn(self, "edit_resend"), parts, "client")

    # Models

    def model(self, ref: ModelRef) -> Model | None:
        """Return a known model."""
        return next(
            (m for m in self._models() if (m.provider, m.model) == (ref.provider, ref.model)), None
        )

    def provider(self, name: str) -> Provider | None:
        """Return a configured provider."""
        return next((p for p in self.world.providers if p.name == name), None)

    def callable_model(self) -> Model:
        """Return the selected model if it can be called.

        Raises:
            Refused: There is none, or its credential is missing.
        """
        model = self.state.model
        if model is None:
            raise Refused("not_found", "no model is set up; set a provider's key and restart Luxe")
        provider = self.provider(model.provider)
        missing = provider.missing_credential() if provider is not None else None
        if missing is not None:
            raise Refused("not_found", f"{model.provider} has no credential; set {missing}")
        return model

    def request(self) -> tuple[Provider, ModelRequest]:
        """Return the next call of the selected model."""
        model = self.state.model
        provider = self.provider(model.provider) if model is not None else None
        if model is None or provider is None:
            raise ProviderFailure("model_not_found", "no model is selected", provider="")
        folded = self.conversation.folded
        request = ModelRequest(
            model=model,
            system=system_texts(self.choices.cwd, self.state.mode, self.world.instructions()),
            messages=given(
                folded.entries,
                folded.compacted,
                self.conversation.log.image,
                images=model.supports_images,
            ),
            tools=schemas(self.tools()),
            thinking=self.state.thinking,
            cache_key=self.state.session_id,
        )
        return provider, request

    # Tools

    def tools(self) -> Sequence[Tool]:
        """Return the tools of the present mode."""
        tools = self.world.toolbox.tools()
        return offered(tools, self.state.mode, read_only=self.state.read_only)

    def bench(self, call_id: str, turn_id: str) -> Bench:
        """Return the workbench of a call."""
        return Bench(
            self.world,
            self.state,
            self.prompts,
            self.conversation,
            self.files,
            self.emit,
            self.project_changed,
            call_id,
            turn_id,
        )

    def put_image(self, image: Image) -> tuple[str, int]:
        """Store a picture; return its SHA-256 and size."""
        data = base64.b64decode(image.data)
        return self.conversation.log.put_image(data), len(data)

    def files_changed(self, paths: set[str]) -> None:
        """Show the project again."""
        if paths:
            self.project_changed()

    async def before_model_call(self, turn_id: str) -> None:
        """Make room in the context window when it is needed."""
        await self.gauge.make_room(turn_id)

    def context_changed(self, reported: CallUsage | None) -> None:
        """Show how full the context window is."""
        self.gauge.show(reported)

    def approve_open(self) -> None:
        """Settle what auto-approve now settles."""

        def allowed(asking: Asking) -> bool:
            return decide(asking.units, self.state.policy()).verdict != "deny"

        self.prompts.approve(allowed, "auto_approve")

    # Inside

    def _grant(self, grants: Sequence[Grant], stored: bool) -> None:
        self.state.grant(grants)
        if stored and (fault := self.world.rules.save(grants)) is not None:
            self.notice("warning", "permission_not_saved", fault)

        def allowed(asking: Asking) -> bool:
            return decide(asking.units, self.state.policy()).verdict == "allow"

        # The prompt being answered is settled by its own reply, right after this.
        asyncio.get_running_loop().call_soon(self.prompts.approve, allowed, "rule")

    async def _stop_turn(self) -> None:
        task = self._turn_task
        if task is None:
            return
        self.cancel()
        await ended({task}, CANCEL_S)

    def _header(self, session_id: str | None) -> SessionHeader:
        worktree = self.choices.worktree
        return SessionHeader(
            id=session_id or uuid7(),
            created_at=self.now(),
            cwd=self.choices.cwd,
            project_key=self.choices.project_key,
            luxe_version=self.choices.luxe_version,
            worktree={"path": worktree.path, "branch": worktree.branch, "base": worktree.base}
            if worktree
            else None,
        )

    def _models(self) -> list[Model]:
        return [model for provider in self.world.providers for model in provider.models()]

    def _first_model(self) -> Model | None:
        for provider in self.world.providers:
            if provider.missing_credential() is None and provider.models():
                return provider.models()[0]
        return None

    def _stored(self, picture: Picture) -> ImagePart:
        sha256 = self.conversation.log.put_image(picture.data)
        return ImagePart(picture.mime, len(picture.data), sha256, picture.name)
