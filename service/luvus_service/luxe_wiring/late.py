"""The agent sessions of a server that may never have one: imported with the first use."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

from luvus_service.luxe_wiring.keeper import Keeper
from luvus_service.luxe_wiring.kept import GONE
from luvus_service.luxe_wiring.register import Register
from luvus_service.luxe_wiring.roster import Roster, Watcher
from luvus_service.rpc.refusals import Refused
from luvus_service.settings import Settings
from luvus_service.uhp.domain.storage import Store

if TYPE_CHECKING:
    from luvus_service.luxe_wiring.channels import Channel
    from luvus_service.luxe_wiring.hosted import HostedSessions


class LateAgents:
    """Stands for the sessions until there is one."""

    def __init__(self, settings: Settings, store: Store) -> None:
        self._settings = settings
        self._hosted: HostedSessions | None = None
        self._roster = Roster()
        self._register = Register()
        self._keeper = Keeper(store, self._register.kept)
        self._looking: asyncio.Task[None] | None = None
        self.leaving = False
        """Whether the server ends, and its sessions with it for now."""

    async def restore(self) -> None:
        """List the sessions that were open when the last server ended; load none."""
        found, last = await self._keeper.read()
        now_ms = _now_ms()
        for place, kept in found.items():
            self._register.bring_back(place, kept.back(now_ms))
        self._register.begin_after(last)

    def look_over(self) -> None:
        """See which of them could not be loaded, and which stopped during a turn."""
        if self._register.dormant():
            loop = asyncio.get_running_loop()
            self._looking = loop.create_task(self._look_over(), name="agent sessions are seen to")

    async def open(self, content: Any) -> bytes:
        """Open a session and return its first frame.

        Raises:
            Refused: The wish does not fit, or the session cannot be opened.
        """
        return await (await self._loaded()).open(content)

    async def find(self, session_id: str) -> Channel:
        """Return a session, loaded if it was not yet.

        Raises:
            Refused: There is none of this id, or it cannot be loaded.
        """
        self._register.find(session_id)
        return await (await self._loaded()).find(session_id)

    def listed(self) -> Sequence[object]:
        """Return all sessions."""
        return self._register.listed()

    def watch(self) -> Watcher:
        """Return the list as a stream: whole now, and whole after every change.

        Raises:
            Refused: Too many watch it.
        """
        return self._roster.watch(self.listed)

    async def stored(self, cwd: str) -> Sequence[object]:
        """Return the newest sessions of a folder that are on the disk.

        Raises:
            Refused: The folder is not absolute.
        """
        return await (await self._loaded()).stored(cwd)

    async def models(self) -> Sequence[object]:
        """Return the models that can be selected."""
        return await (await self._loaded()).models()

    async def end(self, session_id: str) -> None:
        """Close a session.

        Raises:
            Refused: There is none of this id.
        """
        self._register.find(session_id)
        await (await self._loaded()).end(session_id)

    async def close(self) -> None:
        """End all sessions and let everybody go; the next server has the sessions again."""
        self.leaving = True
        await self._keeper.freeze()
        self._roster.close()
        if self._looking is not None:
            self._looking.cancel()
            await asyncio.wait({self._looking})
        if self._hosted is not None:
            await self._hosted.close()
        await self._keeper.close()

    async def _look_over(self) -> None:
        from luvus_service.adapters.session_files import FileStore
        from luvus_service.luxe_wiring.places import luxe_home

        files = FileStore(luxe_home(self._settings) / "sessions")
        for dormant in self._register.dormant():
            kept = dormant.kept()
            file = await files.examined(kept.row.session_id)
            if file.open_turn:
                dormant.cut(_now_ms())
            if file.missing and kept.started:
                dormant.fail(GONE, _now_ms())
            elif file.fault is not None and not file.missing:
                dormant.fail(file.fault, _now_ms())
        self._roster.changed()

    async def _loaded(self) -> HostedSessions:
        if self._hosted is None:
            # It takes long, and the server's terminals go on meanwhile.
            await asyncio.to_thread(import_module, "luvus_service.luxe_wiring.hosted")
        if self.leaving:
            raise Refused("closing", "the server is shutting down")
        if self._hosted is None:
            self._hosted = self._made()
        return self._hosted

    def _made(self) -> HostedSessions:
        from luvus_service.luxe_wiring.configuration import configuration
        from luvus_service.luxe_wiring.hosted import HostedSessions
        from luvus_service.luxe_wiring.opening import Opener
        from luvus_service.luxe_wiring.places import luxe_home
        from luvus_service.luxe_wiring.words import StartFault

        try:
            configured = configuration(luxe_home(self._settings))
        except StartFault as fault:
            raise Refused("failed", str(fault)) from None
        opener = Opener(self._settings, configured=configured)
        return HostedSessions(opener, self._roster, self._register, self._keeper)


def _now_ms() -> int:
    return round(time.time() * 1000)
