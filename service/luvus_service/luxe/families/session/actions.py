"""The session itself: its handshake, its transcript, the list of sessions, its end."""

from __future__ import annotations

from collections.abc import Callable

from luvus_service.luxe.domain.handshake import Ready
from luvus_service.luxe.domain.session_events import (
    ActionRejected,
    Notice,
    PlanUsageShown,
    SessionLoaded,
    SessionsRefreshed,
    SessionUsage,
)
from luvus_service.luxe.engine.sessions import Sessions
from luvus_service.luxe.families.session.models import RefreshSessions
from luvus_service.rpc.frames import action, group

EVENTS = (
    Ready,
    SessionLoaded,
    SessionsRefreshed,
    SessionUsage,
    PlanUsageShown,
    Notice,
    ActionRejected,
)


@group("session", events=EVENTS)
class SessionActions:
    """Begin, resume, list and close sessions."""

    def __init__(self, sessions: Sessions, close: Callable[[], None]) -> None:
        self._sessions = sessions
        self._close = close

    @action("new_session", needs="idle")
    async def new_session(self) -> None:
        """Start a new session."""
        await self._sessions.new()

    @action("load_session", needs="idle")
    async def load_session(self, content: str) -> None:
        """Resume a session of this directory."""
        await self._sessions.load(content)

    @action("refresh_sessions")
    async def refresh_sessions(self, content: RefreshSessions | None) -> None:
        """List the sessions of this directory, newest first."""
        asked = content or RefreshSessions()
        await self._sessions.refresh(asked.limit, asked.cursor)

    @action("close")
    def close(self) -> None:
        """Shut down, stopping a turn in flight; the stream ends after it."""
        self._close()
