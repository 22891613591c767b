"""The talk with one agent: its conversation, its turns, and who must hear of changes.

The one writer of the conversation. Knows the session through `PaneAgent` and nothing of HTTP.
"""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal, NamedTuple, TypeAlias

from luvus_client.agentapi.conversation import Conversation
from luvus_client.agentapi.pane import NoAgent, PaneAgent
from luvus_client.errors import ClientError
from luvus_client.feed import Event, Resync

REFRESH_S = 0.2
"""Between two looks at a screen that keeps changing."""
START_S = 3.0
"""How long to look for a sign that the agent began; clients wait five seconds for the answer."""
UNREAD_S = 0.15
"""How old a new screen is at most when the session has told the agent's state from it."""
UNREAD_LOOKS = 3
EVENTS = ("pane.agent_status_changed", "pane.closed", "terminal.output_ready")
_BEGUN = ("working", "blocked")

Word: TypeAlias = Literal["stable", "running"]


class Status(NamedTuple):
    """What the contract tells of an agent."""

    agent: str
    word: Word


class NotReady(Exception):
    """The agent takes no message now; nothing was sent."""


@dataclass(slots=True)
class Turn:
    """A message on its way, until the agent is done with it."""

    text: str
    before: str = ""
    sent: bool = False
    """Whether what happens now can come of it."""
    said: bool = False
    """Whether the conversation has it; screens until then are still of the time before it."""
    news: asyncio.Future[None] = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )
    """Done when the agent began, failed when the message was refused."""


class Talk:
    """The talk with one agent; its tasks belong to the group of its server."""

    def __init__(self, agent: PaneAgent, screen: str, group: asyncio.TaskGroup) -> None:
        self._agent = agent
        self._group = group
        self._turn: Turn | None = None
        self._reading = asyncio.Lock()
        self._dirty = asyncio.Event()
        self._dirty.set()
        self._output_at = 0.0
        self.conversation = Conversation(screen, _now())
        self.shown: Status | None = None
        """The status as it was told last."""
        self.bell = asyncio.Event()
        """Set at the next change, and then replaced: take it before looking."""

    async def status(self) -> Status:
        """Return the status now: `stable` only when a message would be accepted.

        Raises:
            NoAgent: There is no agent.
            ClientError: The session cannot be asked.
        """
        await self._until_read()
        state = await self._agent.state()
        # The turn is looked at last: one that began during the question counts.
        ready = state.ready and self._turn is None
        return Status(state.agent, "stable" if ready else "running")

    async def refresh(self) -> None:
        """Look at the agent's screen and status, and tell of what changed.

        Raises:
            ClientError: The session cannot be asked.
        """
        # One look at a time, so that an older screen never replaces a newer one.
        async with self._reading:
            screen = await self._agent.screen()
            changed = False
            if self._turn is None or self._turn.said:
                changed = self.conversation.show(screen, _now())
            try:
                status = await self.status()
            except NoAgent:
                status = Status(self.shown.agent if self.shown else "", "running")
        if status != self.shown:
            self.shown = status
            changed = True
        if changed:
            self._ring()

    async def say(self, text: str) -> None:
        """Submit a message; return when the agent began, or has had time to.

        Raises:
            NotReady: The agent works or asks something, or another message is on its way.
            NoAgent: There is no agent.
            ClientError: The session refused, or cannot be reached.
        """
        if self._turn is not None:
            raise NotReady("the agent is still at the message before; nothing was sent")
        # Taken before the first wait, so that of two messages at once only one is sent.
        self._turn = turn = Turn(text)
        try:
            state = await self._agent.state()
            if not state.ready:
                raise NotReady(f"{state.why}; nothing was sent")
            turn.before = await self._agent.screen()
        except BaseException:
            self._turn = None
            raise
        turn.sent = True
        self._group.create_task(self._carry(turn))
        try:
            await asyncio.wait_for(turn.news, START_S)
        except TimeoutError:
            # It was sent. An error would make the client send it again.
            self._began(turn)

    async def type(self, text: str) -> None:
        """Type characters to the agent as they are."""
        await self._agent.keys(text)

    def notice(self, item: Event | Resync) -> bool:
        """Take an event of the session; return whether the pane is still there."""
        if isinstance(item, Resync):
            self._dirty.set()
            return True
        if self._agent.pane not in (item.data.get("pane"), item.data.get("pane_id")):
            return True
        if item.name == "pane.closed":
            return False
        turn = self._turn
        if turn is not None and turn.sent and item.data.get("status") in _BEGUN:
            self._began(turn)
        if item.name == "terminal.output_ready":
            self._output_at = asyncio.get_running_loop().time()
        self._dirty.set()
        return True

    async def _until_read(self) -> None:
        # A dialog that has just appeared is not in the state yet, and would refuse a message.
        for _ in range(UNREAD_LOOKS):
            left = self._output_at + UNREAD_S - asyncio.get_running_loop().time()
            if left <= 0:
                return
            await asyncio.sleep(left)

    async def keep_fresh(self) -> None:
        """Look again whenever something changed; runs until it is cancelled."""
        while True:
            await self._dirty.wait()
            self._dirty.clear()
            # What cannot be read now is read after the next event.
            with contextlib.suppress(ClientError):
                await self.refresh()
            await asyncio.sleep(REFRESH_S)

    async def _carry(self, turn: Turn) -> None:
        try:
            await self._agent.prompt(turn.text)
            self._began(turn)
            # The answer is complete before anybody hears that the agent is done.
            await self.refresh()
        except ClientError as error:
            if not turn.news.done():
                turn.news.set_exception(error)
        finally:
            self._turn = None
            self._dirty.set()

    def _began(self, turn: Turn) -> None:
        if not turn.said:
            turn.said = True
            self.conversation.say(turn.text, turn.before, _now())
            self._ring()
        if not turn.news.done():
            turn.news.set_result(None)

    def _ring(self) -> None:
        self.bell.set()
        self.bell = asyncio.Event()


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
