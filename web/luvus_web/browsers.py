"""Who is logged in: one-time login tickets, and the browsers they were turned into.

Only digests of secrets are kept, so neither a dump of this process nor its saved state lets anybody
in. Knows no HTTP; time comes from outside.
"""

from __future__ import annotations

import asyncio
import hashlib
import secrets
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

BROWSERS = 32
"""Browsers that may be logged in; the one that was idle longest makes room for another."""
TICKETS = 8
"""Login links that may be open; the oldest makes room for another."""
TICKET_S = 60
BROWSER_S = 86_400
"""How long a login lasts."""
AGENT_CHARACTERS = 200
"""Kept of what a browser calls itself."""


@dataclass(slots=True)
class Browser:
    """One logged-in browser."""

    id: str
    digest: bytes = field(repr=False)
    read_only: bool
    agent: str
    since: int
    """Unix seconds."""
    expires: int
    seen: float = 0.0
    streams: int = 0
    ended: asyncio.Event = field(default_factory=asyncio.Event, repr=False)
    """Set when it is logged out; every stream of it ends then."""


@dataclass(frozen=True, slots=True)
class _Ticket:
    digest: bytes
    read_only: bool
    expires: float


class Browsers:
    """The tickets and logins of one dashboard."""

    def __init__(
        self,
        now: Callable[[], float],
        *,
        on_ended: Callable[[str], None] = lambda _id: None,
        on_change: Callable[[], None] = lambda: None,
    ) -> None:
        """`on_ended` gets the id of every browser that is logged out."""
        self._now = now
        self._on_ended = on_ended
        self._on_change = on_change
        self._tickets: list[_Ticket] = []
        self._browsers: dict[str, Browser] = {}

    def issue(self, *, read_only: bool) -> str:
        """Return the secret of a new login link, good once and for `TICKET_S` seconds."""
        self._purge()
        secret = secrets.token_urlsafe(32)
        self._tickets = self._tickets[-(TICKETS - 1) :]
        self._tickets.append(_Ticket(digest(secret), read_only, self._now() + TICKET_S))
        return secret

    def redeem(self, secret: str, agent: str) -> tuple[Browser, str] | None:
        """Turn a ticket into a login and return it with its cookie; None when it is not good."""
        self._purge()
        given = digest(secret)
        found: _Ticket | None = None
        for ticket in self._tickets:
            if secrets.compare_digest(ticket.digest, given):
                found = ticket
        if found is None:
            return None
        self._tickets.remove(found)
        self._make_room()
        cookie = secrets.token_urlsafe(32)
        now = self._now()
        browser = Browser(
            id="browser_" + secrets.token_hex(16),
            digest=digest(cookie),
            read_only=found.read_only,
            agent="".join(c for c in agent if c.isprintable())[:AGENT_CHARACTERS],
            since=int(now),
            expires=int(now) + BROWSER_S,
            seen=now,
        )
        self._browsers[browser.id] = browser
        self._on_change()
        return browser, cookie

    def find(self, cookie: str) -> Browser | None:
        """Return the browser with this cookie, or None."""
        self._purge()
        given = digest(cookie)
        for browser in self._browsers.values():
            if secrets.compare_digest(browser.digest, given):
                browser.seen = self._now()
                return browser
        return None

    def list(self) -> tuple[Browser, ...]:
        """Return the logged-in browsers, oldest first."""
        self._purge()
        return tuple(self._browsers.values())

    def revoke(self, browser_id: str) -> bool:
        """Log a browser out now; False when none has this id."""
        browser = self._browsers.pop(browser_id, None)
        if browser is None:
            return False
        browser.ended.set()
        self._on_ended(browser_id)
        self._on_change()
        return True

    def end(self) -> None:
        """Log everybody out and make every link useless."""
        self._tickets.clear()
        for browser_id in tuple(self._browsers):
            self.revoke(browser_id)

    def restore(self, browsers: Iterable[Browser]) -> None:
        """Take over the logins of an earlier process."""
        self._browsers |= {b.id: b for b in browsers if b.expires > self._now()}

    def _make_room(self) -> None:
        while len(self._browsers) >= BROWSERS:
            idle = min(self._browsers.values(), key=lambda b: (b.streams > 0, b.seen))
            self.revoke(idle.id)

    def _purge(self) -> None:
        now = self._now()
        self._tickets = [t for t in self._tickets if t.expires > now]
        for browser in [b for b in self._browsers.values() if b.expires <= now]:
            self.revoke(browser.id)


def digest(secret: str) -> bytes:
    """Return what is kept of a secret."""
    return hashlib.sha256(secret.encode()).digest()
