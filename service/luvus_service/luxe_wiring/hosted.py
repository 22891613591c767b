"""The agent sessions of the server: bounded in number, each with any number of viewers.

A session lives until it is closed or the server stops, whoever looks at it.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from luvus_service.adapters.session_files import FileStore
from luvus_service.luxe.domain.limits import CLOSE_S, SESSIONS_PAGE
from luvus_service.luxe.domain.records import SessionSummary
from luvus_service.luxe.domain.values import Model, ThinkingLevel
from luvus_service.luxe_wiring.linked import entered
from luvus_service.luxe_wiring.models import selectable
from luvus_service.luxe_wiring.opening import Opened, Opener
from luvus_service.luxe_wiring.roster import Roster
from luvus_service.luxe_wiring.standing import SessionRow, SessionShown, Standing
from luvus_service.luxe_wiring.wish import Wish
from luvus_service.luxe_wiring.words import EXIT_SESSION, StartFault
from luvus_service.rpc.frame_lines import event_line
from luvus_service.rpc.refusals import Refused, content_refusal

_log = logging.getLogger(__name__)

SESSIONS: Final = 32
VIEWERS: Final = 16
"""Of one session."""
VIEWER_BYTES: Final = 32 * 1024 * 1024
"""Waiting for one viewer; one that falls further behind is let go and may come back."""
TAIL_BYTES: Final = 2 * 1024 * 1024
"""Of the message that is being written, for viewers that come in the middle of it."""
STOP_SLACK_S: Final = 1.0

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
_COMMITTED: Final = b'{"kind":"message_committed"'
_TURN_STARTED: Final = b'{"kind":"turn_started"'
_TURN_ENDED: Final = b'{"kind":"turn_ended"'
_SWITCHED: Final = b'{"kind":"session_loaded"'


class SessionWish(BaseModel):
    """What a client asks for when it opens a session."""

    model_config = ConfigDict(strict=True, extra="ignore")

    cwd: str | None = Field(
        None,
        min_length=1,
        max_length=4096,
        description="The project folder, absolute; a resumed session has its own.",
    )
    model: str | None = Field(None, min_length=1, max_length=256, description="provider/model.")
    thinking: ThinkingLevel | None = None
    mode: Literal["build", "plan"] | None = Field(None, description="Build, if nothing is resumed.")
    permission_mode: Literal["ask", "accept_edits", "read_only", "yolo"] | None = None
    read_only: bool = False
    auto_approve: bool = False
    github_writes: bool = False
    trust_project: bool = False
    no_session: bool = Field(False, description="Keep the session in memory only.")
    add_dirs: list[str] = Field(default_factory=list[str], max_length=16)
    resume: str | None = Field(None, min_length=8, max_length=64)
    continue_last: bool = Field(False, description="Resume the newest session of the folder.")
    worktree: str | None = Field(
        None, max_length=64, description="A linked worktree of this name; empty for a new name."
    )


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
        self._channel.viewers.discard(self)
        self._channel.changed()
        self._arrived.set()


class Channel:
    """One session of the server and those who look at it."""

    def __init__(self, opened: Opened, changed: Callable[[], None]) -> None:
        """`changed` is called when what a list shows of it may have changed."""
        self.opened = opened
        self.changed = changed
        self.first_id = opened.ready.session_id
        """Of the session it was opened with, which finds it too."""
        self.viewers: set[Viewer] = set()
        self._standing = Standing(opened.session)
        self._turn: bytes | None = None
        self._tail: deque[bytes] = deque()
        self._tail_bytes = 0

    @property
    def id(self) -> str:
        """The id of the session that is open in it now."""
        return self.opened.session.state.session_id or self.first_id

    async def run(self) -> None:
        """Carry the session's lines to its viewers until it has closed."""
        try:
            async for line in self.opened.frames.lines():
                self._spread(line)
        finally:
            for viewer in tuple(self.viewers):
                viewer.shut()

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
        viewer = Viewer(self, [*before, *self._tail])
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

    def row(self) -> SessionRow:
        """Return what a list shows."""
        return self._standing.row(self.id, len(self.viewers))

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


class HostedSessions:
    """All agent sessions of the server."""

    def __init__(self, opener: Opener, roster: Roster) -> None:
        self._opener = opener
        self._roster = roster
        self._runs: dict[Channel, asyncio.Task[None]] = {}
        self._opening = 0
        self._stopping = False

    async def open(self, content: Any) -> bytes:
        """Open a session and return its `ready` as a line.

        Raises:
            Refused: The wish does not fit, or the session cannot be opened.
        """
        wish = await asyncio.to_thread(_wish, _checked(content))
        if self._stopping:
            raise Refused("closing", "the server is shutting down")
        if len(self._runs) + self._opening >= SESSIONS:
            raise Refused("busy", f"{SESSIONS} agent sessions are open; close one")
        self._opening += 1
        try:
            name = content.get("worktree")
            if name is not None:
                wish = await entered(wish, self._opener.home, name or None)
            opened = await self._opener.open(wish)
        except StartFault as fault:
            held = fault.code == EXIT_SESSION and "another Luxe process" in str(fault)
            raise Refused("locked" if held else "not_found", str(fault)) from None
        finally:
            self._opening -= 1
        return self._add(opened)

    def find(self, session_id: str) -> Channel:
        """Return a session.

        Raises:
            Refused: There is none of this id.
        """
        by_first = {channel.first_id: channel for channel in self._runs}
        channel = {**by_first, **{channel.id: channel for channel in self._runs}}.get(session_id)
        if channel is None:
            raise Refused("not_found", f"no agent session {session_id[:64]!r} is open here")
        return channel

    def listed(self) -> list[SessionRow]:
        """Return all sessions, oldest first."""
        return [channel.row() for channel in self._runs]

    async def stored(self, cwd: str) -> Sequence[SessionSummary]:
        """Return the newest sessions of a folder that are on the disk.

        Raises:
            Refused: The folder is not absolute.
        """
        if not Path(cwd).is_absolute() or "\0" in cwd:
            raise Refused("invalid_field", f"{cwd[:200]!r} is no absolute folder")
        real = await asyncio.to_thread(os.path.realpath, cwd)
        found = await FileStore(self._opener.home / "sessions").listed(real, None)
        return found[:SESSIONS_PAGE]

    async def models(self) -> Sequence[Model]:
        """Ask every endpoint that has its credential for the models that can be selected."""
        return await selectable(self._opener)

    async def end(self, session_id: str) -> None:
        """Close a session and return when it has closed.

        Raises:
            Refused: There is none of this id.
        """
        channel = self.find(session_id)
        run = self._runs[channel]
        channel.opened.frames.shut()
        await asyncio.wait({run})

    async def close(self) -> None:
        """Close all sessions, at most within the bound of closing one."""
        self._stopping = True
        runs = set(self._runs.values())
        for channel in tuple(self._runs):
            channel.opened.frames.shut()
        if not runs:
            return
        _, left = await asyncio.wait(runs, timeout=CLOSE_S + STOP_SLACK_S)
        for run in left:
            _log.error("%s did not close in time", run.get_name())
            run.cancel()

    def _add(self, opened: Opened) -> bytes:
        channel = Channel(opened, self._roster.changed)
        opened.begin()
        loop = asyncio.get_running_loop()
        run = loop.create_task(channel.run(), name=f"agent session {channel.id}")
        self._runs[channel] = run
        run.add_done_callback(lambda _: self._gone(channel))
        self._roster.changed()
        return event_line(opened.ready)

    def _gone(self, channel: Channel) -> None:
        run = self._runs.pop(channel, None)
        self._roster.changed()
        if run is not None and not run.cancelled() and (fault := run.exception()) is not None:
            _log.error("an agent session failed", exc_info=fault)


def _checked(content: Any) -> SessionWish:
    try:
        return SessionWish.model_validate(content)
    except ValidationError as error:
        raise content_refusal(error) from None


def _wish(asked: SessionWish) -> Wish:
    if asked.cwd is None and asked.resume is None:
        raise Refused("missing_field", "missing field `cwd`")
    # The folder of a resumed session is in its file.
    cwd = asked.cwd if asked.cwd is not None else "/"
    folders = [Path(cwd), *map(Path, asked.add_dirs)]
    for folder in folders:
        if not folder.is_absolute():
            raise Refused("invalid_field", f"{str(folder)[:200]!r} is no absolute folder")
        if not folder.is_dir():
            raise Refused("not_found", f"the folder {folder} does not exist")
    if asked.resume is not None and (asked.continue_last or asked.worktree is not None):
        raise Refused("invalid_field", "field `resume` excludes continue_last and worktree")
    return Wish(
        cwd=os.path.realpath(cwd),
        model=asked.model,
        thinking=asked.thinking,
        mode=asked.mode,
        permission_mode=asked.permission_mode,
        read_only=asked.read_only,
        auto_approve=asked.auto_approve,
        github_writes=asked.github_writes,
        trust_project=asked.trust_project,
        add_dirs=tuple(os.path.realpath(folder) for folder in asked.add_dirs),
        no_session=asked.no_session,
        resume=asked.resume,
        resume_last=asked.continue_last,
    )
