"""The agent sessions of the server: bounded in number, each with any number of viewers.

A session lives until it is closed, whoever looks at it; one that was open when the last server
ended is loaded once somebody looks at it or acts.
"""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from luvus_service.adapters.session_files import FileStore
from luvus_service.luxe.domain.limits import CLOSE_S, SESSIONS_PAGE
from luvus_service.luxe.domain.records import SessionSummary
from luvus_service.luxe.domain.values import Model
from luvus_service.luxe_wiring.asked import checked, wish_of
from luvus_service.luxe_wiring.channels import Channel
from luvus_service.luxe_wiring.keeper import Keeper
from luvus_service.luxe_wiring.linked import entered
from luvus_service.luxe_wiring.models import selectable
from luvus_service.luxe_wiring.opening import Opener
from luvus_service.luxe_wiring.register import Dormant, Register
from luvus_service.luxe_wiring.roster import Roster
from luvus_service.luxe_wiring.waking import woken
from luvus_service.luxe_wiring.words import EXIT_SESSION, StartFault
from luvus_service.rpc.frame_lines import event_line
from luvus_service.rpc.refusals import Refused

_log = logging.getLogger(__name__)

SESSIONS: Final = 32
STOP_SLACK_S: Final = 1.0


class HostedSessions:
    """All agent sessions of the server."""

    def __init__(self, opener: Opener, roster: Roster, register: Register, keeper: Keeper) -> None:
        self._opener = opener
        self._roster = roster
        self._register = register
        self._keeper = keeper
        self._runs: dict[Channel, asyncio.Task[None]] = {}
        self._waking: dict[Dormant, asyncio.Task[Channel]] = {}
        self._opening = 0
        self._stopping = False

    async def open(self, content: Any) -> bytes:
        """Open a session and return its `ready` as a line, once the next server would have it too.

        Raises:
            Refused: The wish does not fit, or the session cannot be opened.
        """
        wish = await asyncio.to_thread(wish_of, checked(content))
        self._check_running()
        if len(self._register) + self._opening >= SESSIONS:
            raise Refused("busy", f"{SESSIONS} agent sessions are open; close one")
        self._opening += 1
        try:
            name = content.get("worktree")
            if name is not None:
                wish = await entered(wish, self._opener.home, name or None)
            opened = await self._opener.open(wish)
        except StartFault as fault:
            raise _refusal(fault) from None
        finally:
            self._opening -= 1
        channel = Channel(opened, self._changed)
        self._register.add(channel)
        self._begin(channel)
        failed = await self._keeper.settled() if channel.kept() is not None else None
        if failed is not None:
            text = f"this session will not be listed after a restart of the server: {failed}"
            opened.session.notice("warning", "session_not_kept", text)
        return event_line(opened.ready)

    async def find(self, session_id: str) -> Channel:
        """Return a session, loaded if it was not yet.

        Raises:
            Refused: There is none of this id, or it cannot be loaded.
        """
        found = self._register.find(session_id)
        if isinstance(found, Channel):
            return found
        assert isinstance(found, Dormant)
        self._check_running()
        waking = self._waking.get(found)
        if waking is None:
            loop = asyncio.get_running_loop()
            waking = loop.create_task(self._wake(found), name=f"agent session {found.id} wakes")
            self._waking[found] = waking
            waking.add_done_callback(lambda _: self._waking.pop(found, None))
        # Whoever asked first may leave: the others wait for the same.
        return await asyncio.shield(waking)

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
        """Close a session and return when it has closed, for the next server too.

        Raises:
            Refused: There is none of this id.
        """
        found = self._register.find(session_id)
        if isinstance(found, Dormant) and found not in self._waking:
            self._register.drop(found)
            self._roster.changed()
            await self._keeper.settled()
            return
        channel = await self.find(session_id)
        channel.opened.frames.shut()
        await channel.ended.wait()

    async def close(self) -> None:
        """Close all sessions, at most within the bound of closing one."""
        self._stopping = True
        if self._waking:
            await asyncio.wait(set(self._waking.values()), timeout=STOP_SLACK_S)
        runs = set(self._runs.values())
        for channel in tuple(self._runs):
            channel.opened.frames.shut()
        if not runs:
            return
        _, left = await asyncio.wait(runs, timeout=CLOSE_S + STOP_SLACK_S)
        for run in left:
            _log.error("%s did not close in time", run.get_name())
            run.cancel()

    def _check_running(self) -> None:
        if self._stopping:
            raise Refused("closing", "the server is shutting down")

    async def _wake(self, dormant: Dormant) -> Channel:
        now_ms = round(time.time() * 1000)
        try:
            found = await woken(self._opener, dormant.kept(), now_ms)
        except StartFault as fault:
            dormant.fail(str(fault), now_ms)
            self._changed()
            raise _refusal(fault) from None
        channel = Channel(found.opened, self._changed, found.kept)
        self._register.replace(dormant, channel)
        self._begin(channel)
        for code, text in found.notices:
            found.opened.session.notice("warning", code, text)
        return channel

    def _begin(self, channel: Channel) -> None:
        channel.opened.begin()
        loop = asyncio.get_running_loop()
        run = loop.create_task(self._run(channel), name=f"agent session {channel.id}")
        self._runs[channel] = run
        run.add_done_callback(lambda _: self._gone(channel))
        self._changed()

    async def _run(self, channel: Channel) -> None:
        try:
            await channel.run()
        finally:
            self._register.drop(channel)
            # Whoever reads of its end can rely on it: the next server does not have it.
            await self._keeper.settled()
            channel.finish()

    def _gone(self, channel: Channel) -> None:
        run = self._runs.pop(channel, None)
        self._roster.changed()
        if run is not None and not run.cancelled() and (fault := run.exception()) is not None:
            _log.error("an agent session failed", exc_info=fault)

    def _changed(self) -> None:
        self._roster.changed()
        self._keeper.changed()


def _refusal(fault: StartFault) -> Refused:
    held = fault.code == EXIT_SESSION and "another Luxe process" in str(fault)
    return Refused("locked" if held else "not_found", str(fault))
