"""The dashboard's ASGI app: login, pages, and the service's methods for who is logged in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from http.cookies import CookieError, SimpleCookie
from typing import cast

import orjson

from luvus_web.asgi import (
    App,
    Gone,
    Receive,
    Scope,
    Send,
    TooLarge,
    answer_json,
    body_of,
    header,
    refuse,
)
from luvus_web.browsers import BROWSER_S, Browser, Browsers
from luvus_web.guard import SAFE
from luvus_web.pages import Pages
from luvus_web.streams import LOGIN_ENDED, run_as

SERVED = ("/uhp/v1/", "/luxe/v2/")
"""Below these the service's own app answers, with the rights of the browser."""
LOGIN_BYTES = 1024
"""The largest body of a login."""
FAILURES = 20
"""Wrong tickets in a minute that are answered one by one; a good ticket always works."""
_MINUTE_S = 60.0
_COOKIE_CHARACTERS = 64


class Site:
    """Everything behind the guard."""

    def __init__(
        self,
        inner: App,
        browsers: Browsers,
        pages: Pages,
        *,
        cookie: str,
        token_of: Callable[[Browser], str | None],
        about: Callable[[], Mapping[str, object]],
        now: Callable[[], float],
    ) -> None:
        """`token_of` gives the credential that stands for a browser towards `inner`."""
        self._inner = inner
        self._browsers = browsers
        self._pages = pages
        self._cookie = cookie
        self._token_of = token_of
        self._about = about
        self._now = now
        self._failures: list[float] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request or WebSocket."""
        path: str = scope["path"]
        if path.startswith(SERVED):
            await self._served(scope, receive, send)
        elif scope["type"] == "websocket":
            await refuse(scope, receive, send, 404, "there is no stream here")
        elif scope["method"] in SAFE:
            await self._page(path, scope, receive, send)
        elif scope["method"] == "POST" and path == "/login":
            await self._login(scope, receive, send)
        elif scope["method"] == "POST" and path == "/logout":
            await self._logout(scope, send)
        else:
            await refuse(scope, receive, send, 405, "nothing here takes such a request")

    async def _served(self, scope: Scope, receive: Receive, send: Send) -> None:
        browser = self._browser(scope)
        if browser is None:
            if scope["type"] == "websocket":
                await refuse(scope, receive, send, 401, "not logged in")
            else:
                await answer_json(send, 401, LOGIN_ENDED)
            return
        token = self._token_of(browser)
        if token is None:
            message = "no credential is left for this browser; log another one out"
            await refuse(scope, receive, send, 503, message)
            return
        left_s = browser.expires - self._now()
        await run_as(browser, token, self._inner, scope, receive, send, left_s=left_s)

    async def _page(self, path: str, scope: Scope, receive: Receive, send: Send) -> None:
        name = path.lstrip("/")
        if name == "login":
            await self._pages.show("login.html", scope, receive, send)
        elif name == "session":
            await self._session(scope, send)
        elif name in self._pages and name != "index.html":
            await self._pages.show(name, scope, receive, send)
        elif "." in name.rpartition("/")[2]:
            await refuse(scope, receive, send, 404, "there is no such page")
        elif "index.html" not in self._pages:
            await refuse(scope, receive, send, 503, "the pages are not built; run `make web`")
        elif self._browser(scope) is None:
            await self._pages.show("login.html", scope, receive, send, status=401)
        else:
            # Every place of the page has an address of its own; the page itself finds it.
            await self._pages.show("index.html", scope, receive, send)

    async def _session(self, scope: Scope, send: Send) -> None:
        browser = self._browser(scope)
        if browser is None:
            await answer_json(send, 401, LOGIN_ENDED)
            return
        about = {"browser": browser.id, "read_only": browser.read_only, **self._about()}
        await answer_json(send, 200, about)

    async def _login(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            found: object = orjson.loads(await body_of(receive, LOGIN_BYTES))
        except TooLarge:
            await refuse(scope, receive, send, 413, f"a login has at most {LOGIN_BYTES} bytes")
            return
        except Gone:
            return
        except orjson.JSONDecodeError:
            found = None
        ticket = cast("dict[str, object]", found).get("ticket") if isinstance(found, dict) else None
        agent = header(scope, b"user-agent") or ""
        entered = self._browsers.redeem(ticket, agent) if isinstance(ticket, str) else None
        if entered is None:
            status, message = self._failed()
            await answer_json(send, status, {"code": "forbidden", "message": message})
            return
        _, cookie = entered
        headers = ((b"set-cookie", self._set_cookie(cookie, BROWSER_S)),)
        await answer_json(send, 200, {"type": "ok"}, headers)

    def _failed(self) -> tuple[int, str]:
        now = self._now()
        self._failures = [at for at in self._failures if now - at < _MINUTE_S][-FAILURES:]
        if len(self._failures) >= FAILURES:
            return 429, "too many wrong links; wait a minute, then run `luvus web` again"
        self._failures.append(now)
        return 403, "this login link was used already or is older than a minute; run `luvus web`"

    async def _logout(self, scope: Scope, send: Send) -> None:
        browser = self._browser(scope)
        headers = ((b"set-cookie", self._set_cookie("", 0)),)
        await answer_json(send, 200, {"type": "ok"}, headers)
        if browser is not None:
            self._browsers.revoke(browser.id)

    def _browser(self, scope: Scope) -> Browser | None:
        raw = header(scope, b"cookie")
        if raw is None:
            return None
        try:
            morsel = SimpleCookie(raw).get(self._cookie)
        except CookieError:
            return None
        if morsel is None or not 0 < len(morsel.value) <= _COOKIE_CHARACTERS:
            return None
        return self._browsers.find(morsel.value)

    def _set_cookie(self, value: str, lasts_s: int) -> bytes:
        # Not `Secure`: the address is plain HTTP on the loopback, and some browsers drop it there.
        attributes = f"Path=/; Max-Age={lasts_s}; HttpOnly; SameSite=Strict"
        return f"{self._cookie}={value}; {attributes}".encode()
