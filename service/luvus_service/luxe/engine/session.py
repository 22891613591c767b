"""The live session: owns the transcript, the running turn and every task; ends them all.

Everything happens on one event loop, and nothing awaits between looking at the state and changing
it.
"""

from __future__ import annotations

import asyncio
import base64
import logging
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, Literal

from luvus_service.luxe.domain.limits import CANCEL_S, CLOSE_S
from luvus_service.luxe.domain.permissions import Grant, decide
from luvus_service.luxe.domain.ports import ModelRequest, Provider, ProviderFailure
from luvus_service.luxe.domain.records import SessionHeader
from luvus_service.luxe.domain.session_events import ActionRejected, Notice
from luvus_service.luxe.domain.store_ports import StoreFailure
from luvus_service.luxe.domain.tool_ports import Tool
from luvus_service.luxe.domain.values import CallUsage, Image, Model, ModelRef
from luvus_service.luxe.engine.adoption import adopt
from luvus_service.luxe.engine.compaction import Compactor
from luvus_service.luxe.engine.context import Lens, offered, schemas, system_texts
from luvus_service.luxe.engine.conversation import Conversation
from luvus_service.luxe.engine.gauge import Gauge
from luvus_service.luxe.engine.ids import timestamp, uuid7
from luvus_service.luxe.engine.models import Models
from luvus_service.luxe.engine.outbox import Outbox
from luvus_service.luxe.engine.prompts import Asking, Prompts, SettledBy
from luvus_service.luxe.engine.state import State
from luvus_service.luxe.engine.sub_agent import SubAgents
from luvus_service.luxe.engine.tasks import Tasks, ended
from luvus_service.luxe.engine.turn import Turn
from luvus_service.luxe.engine.workbench import Bench, Ledger
from luvus_service.luxe.engine.world import Choices, Given, World

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
        self.models = Models(world.providers)
        self.outbox = Outbox()
        self.tasks = Tasks()
        self.state = State(choices, world.rules, self.emit)
        self.prompts = Prompts(self.emit, self.state.show, self.now, self._grant)
        self.state.permissions = lambda: self.prompts.permissions
        self.state.questions = lambda: self.prompts.questions
        self.conversation = conversation or self.fresh(session_id)
        self.files = Ledger()
        self.told: set[str] = set()
        """Instruction files that came with results of this conversation."""
        self._lens = Lens()
        self.gauge = Gauge(self)
        self.compactor = Compactor(self)
        self.delegates = SubAgents(self)
        self.project_changed: Callable[[], None] = lambda: None
        self.after_turn: Callable[[], None] = lambda: None
        self.created: Callable[[], None] = lambda: None
        """Called when the open session got its first message, and with it a file."""
        self.turn: Turn | None = None
        self._turn_task: asyncio.Task[None] | None = None
        self._aside: asyncio.Task[Any] | None = None
        self.discovery: asyncio.Task[Any] | None = None
        """Asks for the models of endpoints, when none was known at the start."""
        self.after_aside: Callable[[], None] | None = None
        """What follows once a compaction or review is over."""
        self.switching = False
        """Whether another session is being opened, which excludes turns."""
        self._closing = False
        self._closer: asyncio.Task[None] | None = None
        self._at_close: list[Callable[[], None]] = []

    # What the dispatcher asks

    @property
    def running(self) -> bool:
        """Whether a turn is running, or something that excludes one."""
        return self.turn is not None or self.switching or self._aside is not None

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
        self.adopt(self.choices.given)
        self.world.start()
        self.state.show()
        _ = self.tasks.start(self.world.warm(), "warm")
        if self.state.model is None and self.models.askable():
            self.discovery = self.tasks.start(self._first_model(), "models")

    def adopt(self, given: frozenset[Given] = frozenset()) -> None:
        """Take model, mode and level from the conversation, what was `given` before it."""
        self._lens.forget()
        adopt(self, given)

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
        self.after_turn()

    def aside(self, work: Coroutine[Any, Any, Any], name: str) -> None:
        """Run something that excludes turns and that `cancel` stops."""

        async def run() -> None:
            try:
                await work
            finally:
                self._aside = None
                self.state.activity = "idle"
                self.state.show()
                follows, self.after_aside = self.after_aside, None
                if follows is not None and not self._closing:
                    follows()

        self._aside = self.tasks.start(run(), name)

    def cancel(self) -> None:
        """Stop the turn, or what runs instead of one; a second time does nothing."""
        # Not at once: a task that is cancelled before its first step runs none of its clean-up.
        soon = asyncio.get_running_loop().call_soon
        if self._aside is not None:
            soon(self._aside.cancel)
        turn, task = self.turn, self._turn_task
        if turn is None or task is None or turn.cancelling:
            return
        turn.cancelling = True
        self.state.activity = "cancelling"
        self.state.show()
        soon(task.cancel)

    # Models and tools

    def callable_model(self) -> Model:
        """Return the selected model if it can be called.

        Raises:
            Refused: There is none, or its credential is missing.
        """
        return self.models.callable(self.state.model)

    def request(self) -> tuple[Provider, ModelRequest]:
        """Return the next call of the selected model."""
        provider, request, _ = self.next_call()
        return provider, request

    def next_call(self) -> tuple[Provider, ModelRequest, int]:
        """Return the next call of the selected model, and the characters of its messages."""
        model = self.state.model
        provider = self.models.provider(model.provider) if model is not None else None
        if model is None or provider is None:
            raise ProviderFailure("model_not_found", self.models.nothing(), provider="")
        folded = self.conversation.folded
        seen = self._lens.seen(
            folded.entries,
            folded.compacted,
            self.conversation.log.image,
            images=model.supports_images,
        )
        request = ModelRequest(
            model=model,
            system=system_texts(self.choices.cwd, self.state.mode, self.world.instructions()),
            messages=seen.messages,
            tools=schemas(self.tools()),
            thinking=self.state.thinking,
            cache_key=self.state.session_id,
        )
        return provider, request, seen.size

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
            self.told,
            self.delegates,
        )

    def put_image(self, image: Image) -> tuple[str, int]:
        """Store a picture; return its SHA-256 and size."""
        data = base64.b64decode(image.data)
        return self.conversation.log.put_image(data), len(data)

    async def before_model_call(self, turn_id: str) -> None:
        """Have a model, and make room in its context window when that is needed."""
        if self.state.model is None and self.discovery is not None:
            await asyncio.wait({self.discovery})
        await self.compactor.when_needed(turn_id)

    async def after_overflow(self, turn_id: str) -> bool:
        """Make room because the prompt was too long; say whether to try again."""
        return await self.compactor.after_overflow(turn_id)

    def context_changed(self, reported: CallUsage | None) -> None:
        """Show how full the context window is."""
        self.gauge.show(reported)

    def approve_open(self) -> None:
        """Settle what auto-approve now settles."""
        self._approve("auto_approve", "allow", "ask")

    def approve_allowed(self) -> None:
        """Settle the open prompts of what may now run without asking."""
        self._approve("rule", "allow")

    def _approve(self, by: SettledBy, *verdicts: str) -> None:
        def fits(asking: Asking) -> bool:
            return decide(asking.units, self.state.policy()).verdict in verdicts

        self.prompts.approve(fits, by)

    # Inside

    async def _first_model(self) -> None:
        """Take the first model that an endpoint lists, unless one was chosen meanwhile."""
        found = await self.models.first_discovered()
        if self.state.model is not None or found is None:
            return
        self.state.model = found
        if self.conversation.entries:
            try:
                self.conversation.choose(ModelRef(found.provider, found.model))
            except StoreFailure as failure:
                self.notice("warning", "not_recorded", str(failure))
        self.state.show()
        self.gauge.show(None)

    def _grant(self, grants: Sequence[Grant], stored: bool) -> None:
        self.state.grant(grants)
        if stored and (fault := self.world.rules.save(grants)) is not None:
            self.notice("warning", "permission_not_saved", fault)
        # The prompt being answered is settled by its own reply, right after this.
        asyncio.get_running_loop().call_soon(self.approve_allowed)

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
