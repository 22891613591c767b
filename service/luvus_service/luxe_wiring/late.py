"""The agent sessions of a server that may never have one: imported with the first use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from luvus_service.luxe_wiring.roster import Roster, Watcher
from luvus_service.rpc.refusals import Refused
from luvus_service.settings import Settings

if TYPE_CHECKING:
    from luvus_service.luxe_wiring.hosted import Channel, HostedSessions


class LateAgents:
    """Stands for the sessions until there is one."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._hosted: HostedSessions | None = None
        self._roster = Roster()

    async def open(self, content: Any) -> bytes:
        """Open a session and return its first frame.

        Raises:
            Refused: The wish does not fit, or the session cannot be opened.
        """
        return await self._needed().open(content)

    def find(self, session_id: str) -> Channel:
        """Return a session.

        Raises:
            Refused: There is none of this id.
        """
        if self._hosted is None:
            raise Refused("not_found", f"no agent session {session_id[:64]!r} is open here")
        return self._hosted.find(session_id)

    def listed(self) -> Sequence[object]:
        """Return all sessions."""
        return self._hosted.listed() if self._hosted is not None else ()

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
        return await self._needed().stored(cwd)

    async def models(self) -> Sequence[object]:
        """Return the models that can be selected."""
        return await self._needed().models()

    async def end(self, session_id: str) -> None:
        """Close a session.

        Raises:
            Refused: There is none of this id.
        """
        self.find(session_id)
        assert self._hosted is not None
        await self._hosted.end(session_id)

    async def close(self) -> None:
        """Close all sessions and let everybody go who watches them."""
        self._roster.close()
        if self._hosted is not None:
            await self._hosted.close()

    def _needed(self) -> HostedSessions:
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
        return HostedSessions(Opener(self._settings, configured=configured), self._roster)
