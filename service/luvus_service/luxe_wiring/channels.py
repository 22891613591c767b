"""One agent session of the server, and those who look at it.

A viewer begins with everything that a late one must know; the session goes on without any.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable
from typing import Any, Final

from luvus_service.luxe_wiring.kept import Kept, lasting
from luvus_service.luxe_wiring.opening import Opened
from luvus_service.luxe_wiring.rows import SessionRow
from luvus_service.luxe_wiring.standing import SessionShown, Standing
from luvus_service.rpc.refusals import Refused

VIEWERS: Final = 16
"""Of one session."""
VIEWER_BYTES: Final = 32 * 1024 * 1024
"""Waiting for one viewer; one that falls further behind is let go and may come back."""
TAIL_BYTES: Final = 2 * 1024 * 1024
"""Of the message that is being written, for viewers that come in the middle of it."""
UNHEARD: Final = 32
"""Notices that wait for the first viewer; the oldest go first."""
CLOSE: Final = "close"

_STREAMED: Final = tuple(
    b'{"kind":"%s"' % kind
    for kind in (
        b"token_delta",
        b"thinking_delta",
        b"tool_call_composing",
        b"tool_started",
        b"tool_activity_updated",
        b"tool_progress",
        b"tool_completed",
        b"tool_ended",
    )
)
_NOTICE: Final = b'{"kind":"notice"'
_COMMITTED: Final = b'{"kind":"message_committed"'
_TURN_STARTED: Final = b'{"kind":"turn_started"'
_TURN_ENDED: Final = b'{"kind":"turn_ended"'
_SWITCHED: Final = b'{"kind":"session_loaded"'


class Viewer:
    """One client of a session: the session's lines from now on, after what came before."""

    def __init__(self, channel: Channel, before: list[bytes]) -> None:
        self._channel = channel
        self._waiting = deque(before)
        self._bytes = sum(map(len, before))
        self._arrived = asyncio.Event()
        self._left = False

    def put(self, line: bytes) -> None:
        """Add a line; a viewer that reads nothing for too long is let go."""
        self._bytes += len(line)
        if self._bytes > VIEWER_BYTES:
            self._waiting.clear()
            self.shut()
            return
        self._waiting.append(line)
        self._arrived.set()

    def deliver(self, line: bytes) -> None:
        """Take one inbound line."""
        self._channel.opened.frames.deliver(line)

    def deliver_too_long(self, limit: int) -> None:
        """Answer a line that was left out."""
        self._channel.opened.frames.deliver_too_long(limit)

    async def lines(self) -> AsyncIterator[bytes]:
        """Yield the lines until the session has closed or the viewer leaves."""
        while True:
            while self._waiting:
                line = self._waiting.popleft()
                self._bytes -= len(line)
                yield line
            if self._left:
                return
            self._arrived.clear()
            await self._arrived.wait()

    def shut(self) -> None:
        """Leave; the session goes on."""
        self._left = True
        self._channel.leave(self)
        self._arrived.set()


class Channel:
    """One session of the server and those who look at it."""

    def __init__(
        self, opened: Opened, changed: Callable[[], None], before: Kept | None = None
    ) -> None:
        """`changed` is called when its row may have changed; `before` is of one that comes back."""
        self.opened = opened
        self.changed = changed
        self.first_id = opened.ready.session_id if before is None else before.first_id
        """Of the session it was opened with, which finds it too."""
        self.viewers: set[Viewer] = set()
        self.ended = asyncio.Event()
        """It has closed, and the list of open sessions on the disk says so."""
        self._standing = Standing(opened.session, before.row if before is not None else None)
        self._unheard: deque[bytes] = deque(maxlen=UNHEARD)
        self._turn: bytes | None = None
        self._tail: deque[bytes] = deque()
        self._tail_bytes = 0

    @property
    def id(self) -> str:
        """The id of the session that is open in it now."""
        return self.opened.session.state.session_id or self.first_id

    async def run(self) -> None:
        """Carry the session's lines to its viewers until it has closed."""
        async for line in self.opened.frames.lines():
            self._spread(line)

    def finish(self) -> None:
        """Let everybody go; nobody comes any more."""
        self.ended.set()
        for viewer in tuple(self.viewers):
            viewer.shut()

    def leave(self, viewer: Viewer) -> None:
        """Forget a viewer."""
        self.viewers.discard(viewer)
        self.changed()

    def attach(self) -> Viewer:
        """Return a new viewer.

        Raises:
            Refused: There are too many, or the session is closing.
        """
        session = self.opened.session
        if session.closing:
            raise Refused("closing", "this session is closing")
        if len(self.viewers) >= VIEWERS:
            raise Refused("busy", f"{VIEWERS} clients look at this session; close one")
        # What waits is older than the snapshot and belongs to the viewers before.
        for line in self.opened.frames.flush():
            self._spread(line)
        before = self.opened.frames.snapshot(self.opened.ready)
        if self._turn is not None:
            before.append(self._turn)
        viewer = Viewer(self, [*before, *self._tail, *self._unheard])
        self._unheard.clear()
        self.viewers.add(viewer)
        self.changed()
        session.project_changed()
        return viewer

    async def perform(self, kind: str, content: Any) -> None:
        """Do one action and return when it is done.

        Raises:
            Refused: It was refused, and nothing happened.
        """
        await self.opened.frames.perform(kind, content)
        if kind == CLOSE:
            await self.ended.wait()

    def row(self) -> SessionRow:
        """Return what a list shows."""
        return self._standing.row(self.id, len(self.viewers))

    def kept(self) -> Kept | None:
        """Return what is to be remembered of it; None of a session in memory only."""
        session, wish = self.opened.session, self.opened.wish
        if wish.no_session:
            return None
        worktree = session.choices.worktree
        return Kept(
            row=lasting(self.row()),
            first_id=self.first_id,
            started=session.conversation.started,
            thinking=session.state.thinking,
            bound=session.choices.read_only,
            add_dirs=wish.add_dirs,
            github_writes=session.choices.github_writes,
            auto_approve=session.state.auto_approve,
            trusted_once=wish.trust_project,
            worktree=(worktree.path, worktree.branch, worktree.base) if worktree else None,
        )

    def shown(self) -> SessionShown:
        """Return what a list shows, and what waits for an answer."""
        return self._standing.shown(self.id, len(self.viewers))

    def picture(self, sha256: str) -> bytes:
        """Return a picture of the transcript.

        Raises:
            Refused: There is none of this digest.
        """
        found = self.opened.session.conversation.log.image(sha256)
        if found is None:
            raise Refused("not_found", f"the session has no picture {sha256[:64]!r}")
        return found

    def _spread(self, line: bytes) -> None:
        if self._standing.note(line):
            self.changed()
        if not self.viewers and line.startswith(_NOTICE):
            self._unheard.append(line)
        for viewer in tuple(self.viewers):
            viewer.put(line)
        if line.startswith(_STREAMED):
            self._tail.append(line)
            self._tail_bytes += len(line)
            while self._tail_bytes > TAIL_BYTES:
                self._tail_bytes -= len(self._tail.popleft())
        elif line.startswith((_COMMITTED, _TURN_ENDED, _SWITCHED)):
            self._tail.clear()
            self._tail_bytes = 0
            if not line.startswith(_COMMITTED):
                self._turn = None
        elif line.startswith(_TURN_STARTED):
            self._turn = line
