"""The dashboard as a whole: off until asked for, then on one loopback port until it is stopped."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from luvus_web.app import Site
from luvus_web.asgi import App
from luvus_web.browsers import Browser, Browsers
from luvus_web.guard import Guard
from luvus_web.origins import LOOPBACK, Origins
from luvus_web.pages import Pages
from luvus_web.saved import Saved, forget, load, save

PORT = 8717
"""Tried first when no port is asked for, so that the address stays the same."""
BACKLOG = 64


class Running(Protocol):
    """A server on a socket."""

    async def start(self) -> None:
        """Begin to accept."""
        ...

    async def stop(self) -> None:
        """End every connection and close the socket."""
        ...


class Grants(Protocol):
    """Makes the credentials with which browsers call the service."""

    def grant(self, *, read_only: bool) -> tuple[str, str] | None:
        """Return the id and the secret of a new credential; None when there are too many."""
        ...

    def withdraw(self, grant_id: str) -> None:
        """End a credential now."""
        ...


class PortTaken(Exception):
    """The port cannot be listened on; the text says why."""


class Dashboard:
    """Serves the pages and the service's app to logged-in browsers."""

    def __init__(
        self,
        inner: App,
        grants: Grants,
        *,
        serve: Callable[[App, socket.socket], Running],
        state: Path,
        now: Callable[[], float],
        about: Callable[[], Mapping[str, object]],
        folder: Path | None = None,
    ) -> None:
        """`serve` runs an app on a bound TCP socket; `state` is where logins are kept."""
        self._inner = inner
        self._grants = grants
        self._serve = serve
        self._state = state
        self._now = now
        self._about = about
        self._folder = folder or Path(__file__).parent / "static"
        self._granted: dict[str, tuple[str, str]] = {}
        self._browsers = Browsers(now, on_ended=self._ended, on_change=self._save)
        self._running: Running | None = None
        # One start or stop at a time: a port is free only once a stop is over.
        self._turn = asyncio.Lock()
        self._origins = Origins(0)
        self._address = LOOPBACK[0]

    @property
    def url(self) -> str | None:
        """The address of the first page; None while the dashboard is off."""
        return None if self._running is None else self._origins.url(self._address)

    async def start(self, address: str, port: int | None) -> None:
        """Listen, unless it does already.

        Raises:
            PortTaken: The port is used by another program.
            ValueError: The address is no loopback literal.
        """
        if address not in LOOPBACK:
            raise ValueError(f"{address!r} is not one of {', '.join(LOOPBACK)}")
        async with self._turn:
            if self._running is not None:
                return
            sock = _bind(address, port)
            self._address = address
            self._origins = Origins(sock.getsockname()[1])
            self._running = running = self._serve(self._app(), sock)
            await running.start()
            self._save()

    async def resume(self) -> None:
        """Go on where an earlier process was, when it was on."""
        saved = load(self._state)
        if saved is None or saved.address not in LOOPBACK:
            return
        self._browsers.restore(saved.browsers)
        # Another program may have the port by now; then the page has to be asked for again.
        with suppress(PortTaken):
            await self.start(saved.address, saved.port)

    async def stop(self) -> None:
        """Log every browser out, stop listening and forget that it was on."""
        self._browsers.end()
        await self.close()
        if self._running is None:
            forget(self._state)

    async def close(self) -> None:
        """Stop listening; a new process may resume."""
        async with self._turn:
            running, self._running = self._running, None
            if running is not None:
                await running.stop()

    def link(self, *, read_only: bool) -> str:
        """Return a login link, good once and for a minute.

        The secret stands behind `#`: browsers send that part to nobody and it gets into no log.
        """
        return f"{self.url}/login#{self._browsers.issue(read_only=read_only)}"

    def browsers(self) -> tuple[Browser, ...]:
        """Return who is logged in."""
        return self._browsers.list()

    def revoke(self, browser_id: str) -> bool:
        """Log a browser out now; False when none has this id."""
        return self._browsers.revoke(browser_id)

    def _app(self) -> App:
        site = Site(
            self._inner,
            self._browsers,
            Pages(self._folder),
            # Cookies know no ports: two sessions of one machine must not log each other out.
            cookie=f"luvus_{self._origins.port}",
            token_of=self._token_of,
            about=self._about,
            now=self._now,
        )
        return Guard(site, self._origins)

    def _token_of(self, browser: Browser) -> str | None:
        granted = self._granted.get(browser.id) or self._grants.grant(read_only=browser.read_only)
        if granted is None:
            return None
        self._granted[browser.id] = granted
        return granted[1]

    def _ended(self, browser_id: str) -> None:
        granted = self._granted.pop(browser_id, None)
        if granted is not None:
            self._grants.withdraw(granted[0])

    def _save(self) -> None:
        if self._running is not None:
            browsers = self._browsers.list()
            save(self._state, Saved(self._address, self._origins.port, browsers))


def _bind(address: str, port: int | None) -> socket.socket:
    wanted = (PORT, 0) if port is None else (port,)
    fault: OSError | None = None
    for number in wanted:
        sock = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET)
        try:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            sock.bind((address, number))
            sock.listen(BACKLOG)
            sock.setblocking(False)
        except OSError as error:
            sock.close()
            fault = error
        else:
            return sock
    raise PortTaken(f"port {port} of {address} cannot be listened on: {fault}")
