"""What the connections of one server share: the app, the counters, the tasks and the deadlines."""

from __future__ import annotations

import asyncio
import enum
import socket
from collections.abc import Callable, Coroutine
from typing import Any, Protocol

from luvus_bridge.asgi import App
from luvus_bridge.expiry import Expiry
from luvus_bridge.limits import Limits
from luvus_bridge.stats import BridgeStats


class Phase(enum.Enum):
    """Where a connection is in its life."""

    WAITING = enum.auto()
    """For its first frame."""
    CALLING = enum.auto()
    """The app runs; whether it is a stream is not known or it is none."""
    STREAMING = enum.auto()
    FLUSHING = enum.auto()
    """All is written, the kernel has not taken all of it."""
    DRAINING = enum.auto()
    """The client has the end of what we send; what it still sends is dropped."""
    CLOSED = enum.auto()


class Member(Protocol):
    """What the server and the deadlines may do to a connection."""

    phase: Phase

    def first_frame_is_late(self) -> None: ...
    def reply_is_unread(self) -> None: ...
    def look_for_hang_up(self) -> None: ...
    def tell_gone(self) -> None: ...
    def close_idle(self) -> None: ...
    def cut(self) -> None: ...
    def wake(self) -> None: ...


class Shared:
    """What the connections of one server have in common."""

    def __init__(
        self,
        app: App,
        authorize: Callable[[socket.socket], bool],
        limits: Limits,
        stats: BridgeStats,
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        self.app = app
        self.authorize = authorize
        self.limits = limits
        self.stats = stats
        self.loop = loop
        self.stopping = False
        self.emptied = asyncio.Event()
        """Set when the last connection of a stopping server has ended."""
        self.connections: set[Member] = set()
        self.tasks: dict[asyncio.Task[None], Member] = {}
        self.first_frames: Expiry[Member] = Expiry(
            loop, limits.first_frame_s, lambda each: each.first_frame_is_late()
        )
        self.unread_replies: Expiry[Member] = Expiry(
            loop, limits.reply_write_s, lambda each: each.reply_is_unread()
        )
        self.draining: Expiry[Member] = Expiry(loop, limits.drain_s, lambda each: each.cut())
        self.hang_ups: Expiry[Member] = Expiry(
            loop, limits.hang_up_check_s, lambda each: each.look_for_hang_up()
        )

    def spawn(self, work: Coroutine[Any, Any, None], connection: Member) -> None:
        """Run the call of a connection; the server waits for it when it stops."""
        task = self.loop.create_task(work)
        self.tasks[task] = connection
        task.add_done_callback(self.tasks.pop)

    def forget(self, connection: Member) -> None:
        """Take out a connection that has ended."""
        self.connections.discard(connection)
        if self.stopping and not self.connections:
            self.emptied.set()

    def close(self) -> None:
        """Stop all deadlines."""
        for expiry in (self.first_frames, self.unread_replies, self.draining, self.hang_ups):
            expiry.close()
