"""What the engine needs of a dashboard: a port like those of `ports`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class LoggedIn:
    """A browser that is logged in to the dashboard."""

    id: str
    agent: str
    """What it calls itself."""
    read_only: bool
    since: int
    """Unix seconds."""
    expires: int
    streams: int


class DashboardFailed(Exception):
    """The dashboard cannot be served; the text says why, for people."""


class Dashboard(Protocol):
    """Serves the session to browsers, once it is asked to."""

    @property
    def url(self) -> str | None:
        """The address of its first page; None while it is off."""
        ...

    async def start(self, address: str, port: int | None) -> None:
        """Listen, unless it does already; None as port is the usual one or another free one.

        Raises:
            DashboardFailed: The port cannot be used.
        """
        ...

    async def stop(self) -> None:
        """Log every browser out and stop listening, in a task of its own."""
        ...

    def link(self, *, read_only: bool) -> str:
        """Return an address that logs one browser in, once and within a minute."""
        ...

    def browsers(self) -> tuple[LoggedIn, ...]:
        """Return who is logged in."""
        ...

    def revoke(self, browser_id: str) -> bool:
        """Log a browser out and end its streams; False when none has this id."""
        ...


class NoDashboard:
    """Stands in where no dashboard was introduced."""

    url: str | None = None

    async def start(self, address: str, port: int | None) -> None:
        """Refuse."""
        raise DashboardFailed("this server was built without a dashboard")

    async def stop(self) -> None:
        """Do nothing."""

    def link(self, *, read_only: bool) -> str:
        """Refuse."""
        raise DashboardFailed("this server was built without a dashboard")

    def browsers(self) -> tuple[LoggedIn, ...]:
        """Return nobody."""
        return ()

    def revoke(self, browser_id: str) -> bool:
        """Find nobody."""
        return False
