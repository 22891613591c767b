"""Bells, desktop notifications and titles of one program: gathered, so that a flood is few events.

Owns its timer. The first signal is told at once, what comes within a second of it together.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from luvus_service.uhp.domain.agents.titles import session_title
from luvus_service.uhp.domain.ports import Fed

GAP_S = 1.0
"""Between two times that signals of one terminal are told."""
NOTIFICATIONS = 4
"""Notifications told at one time; further ones are counted only."""


@dataclass(frozen=True, slots=True)
class Signals:
    """What a program signalled since the last time."""

    bells: int = 0
    notifications: tuple[tuple[str, str], ...] = ()
    """(title, body) of each."""
    dropped: int = 0
    """Notifications beyond the limit."""
    retitled: bool = False
    """Whether what the program says that it is about has changed."""


class SignalPacer:
    """Gathers the signals of one terminal and calls `publish` with them."""

    def __init__(self, publish: Callable[[Signals], None]) -> None:
        self._publish = publish
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None
        self._last = float("-inf")
        self._bells = 0
        self._notifications: list[tuple[str, str]] = []
        self._dropped = 0
        self._told: str | None = None
        self.title: str | None = None
        """What the program says that it is about."""

    def begin(self, title: str | None) -> None:
        """Take the title that a terminal has already."""
        self.title = self._told = session_title(title)

    def take(self, fed: Fed) -> None:
        """Take what a piece of output did."""
        self._bells += fed.bells
        room = NOTIFICATIONS - len(self._notifications)
        self._notifications += fed.notifications[:room]
        self._dropped += max(0, len(fed.notifications) - room)
        if fed.title is not None:
            self.title = session_title(fed.title)
        if self._timer is None and self._anything():
            due = self._last + GAP_S
            if self._loop.time() >= due:
                self._tell()
            else:
                self._timer = self._loop.call_at(due, self._due)

    def close(self) -> None:
        """Tell nothing more."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _anything(self) -> bool:
        noted = self._bells or self._notifications or self._dropped
        return bool(noted) or self.title != self._told

    def _due(self) -> None:
        self._timer = None
        # A title that turned back to what it was is no change.
        if self._anything():
            self._tell()

    def _tell(self) -> None:
        self._last = self._loop.time()
        signals = Signals(
            self._bells, tuple(self._notifications), self._dropped, self.title != self._told
        )
        self._bells = self._dropped = 0
        self._notifications.clear()
        self._told = self.title
        self._publish(signals)
