"""Login, pages and methods behind the guard, with a clock that stands still."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from luvus_web.app import FAILURES, LOGIN_BYTES, Site
from luvus_web.asgi import App, Receive, Scope, Send
from luvus_web.browsers import BROWSER_S, TICKET_S, Browser, Browsers
from luvus_web.pages import Pages
from luvus_web.streams import LOGGED_OUT
from tests.support.asked import OWN, Exchange, Recorder, ask, request, web_socket

COOKIE = "luvus_8717"


class House:
    """A site with everything around it that it needs."""

    def __init__(self, folder: Path, *, built: bool = True) -> None:
        (folder / "assets").mkdir()
        (folder / "login.html").write_text("the way in")
        (folder / "assets/a.js").write_text("script")
        if built:
            (folder / "index.html").write_text("the page")
        self.now = 1000.0
        self.inner = Recorder()
        self.tokens: dict[str, str | None] = {}
        self.browsers = Browsers(lambda: self.now)
        self.folder = folder
        self.site = self.site_of(self.inner)

    def site_of(self, inner: App) -> Site:
        """Return a site in front of a service."""
        return Site(
            inner,
            self.browsers,
            Pages(self.folder),
            cookie=COOKIE,
            token_of=self.token_of,
            about=lambda: {"session": "default"},
            now=lambda: self.now,
        )

    def token_of(self, browser: Browser) -> str | None:
        """Return a token for each browser."""
        return self.tokens.get(browser.id, f"token of {browser.id}")

    async def post(self, path: str, body: bytes, cookie: str | None = None) -> Exchange:
        """Send a request of the page."""
        return await ask(self.site, request("POST", path, self.headers(cookie), body))

    async def get(self, path: str, cookie: str | None = None) -> Exchange:
        """Ask for a path."""
        return await ask(self.site, request("GET", path, self.headers(cookie)))

    async def enter(self, *, read_only: bool = False) -> str:
        """Log in and return the cookie."""
        ticket = self.browsers.issue(read_only=read_only)
        answered = await self.post("/login", json.dumps({"ticket": ticket}).encode())
        return answered.headers["set-cookie"].partition(";")[0]

    @staticmethod
    def headers(cookie: str | None) -> dict[str, str]:
        """Return the page's headers with a cookie."""
        return dict(OWN) if cookie is None else {**OWN, "cookie": cookie}


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path)


async def test_a_link_becomes_a_cookie_out_of_reach_of_scripts_and_other_sites(
    house: House,
) -> None:
    ticket = house.browsers.issue(read_only=False)

    answered = await house.post("/login", json.dumps({"ticket": ticket}).encode())

    name, *attributes = answered.headers["set-cookie"].split("; ")
    assert answered.status == 200
    assert name.startswith(f"{COOKIE}=")
    assert attributes == ["Path=/", f"Max-Age={BROWSER_S}", "HttpOnly", "SameSite=Strict"]
    assert ticket not in answered.headers["set-cookie"]


async def test_a_link_that_was_used_already_lets_nobody_in(house: House) -> None:
    body = json.dumps({"ticket": house.browsers.issue(read_only=False)}).encode()
    await house.post("/login", body)

    again = await house.post("/login", body)

    assert again.status == 403
    assert "set-cookie" not in again.headers


async def test_a_link_that_is_older_than_a_minute_lets_nobody_in(house: House) -> None:
    body = json.dumps({"ticket": house.browsers.issue(read_only=False)}).encode()
    house.now += TICKET_S

    late = await house.post("/login", body)

    assert late.status == 403
    assert b"older than a minute" in late.body
    assert house.browsers.list() == ()


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b"null", b"{}", b'{"ticket":1}', b'{"ticket":null}', b"\xff"]
)
async def test_a_login_that_is_none_is_refused(house: House, body: bytes) -> None:
    assert (await house.post("/login", body)).status == 403


async def test_a_login_is_short(house: House) -> None:
    assert (await house.post("/login", b" " * (LOGIN_BYTES + 1))).status == 413


async def test_guessing_is_slowed_down_for_a_minute_and_a_good_link_always_works(
    house: House,
) -> None:
    for _ in range(FAILURES):
        assert (await house.post("/login", b'{"ticket":"guess"}')).status == 403

    assert (await house.post("/login", b'{"ticket":"guess"}')).status == 429
    assert (await house.enter()).startswith(COOKIE)
    house.now += 60
    assert (await house.post("/login", b'{"ticket":"guess"}')).status == 403


@pytest.mark.parametrize(
    "cookie",
    [
        None,
        "",
        "other=x",
        f"{COOKIE}=",
        f"{COOKIE}=guessed",
        f"{COOKIE}={'x' * 5000}",
        f'{COOKIE}="\x01',
        ";;;=",
    ],
)
async def test_nobody_without_the_cookie_calls_a_method_or_sees_the_page(
    house: House, cookie: str | None
) -> None:
    await house.enter()

    assert (await house.post("/uhp/v1/ping", b"{}", cookie)).status == 401
    assert (await house.get("/uhp/v1/events", cookie)).status == 401
    assert (await house.get("/session", cookie)).status == 401
    assert (await house.get("/", cookie)).body == b"the way in"
    socket = await ask(house.site, web_socket("/uhp/v1/view.pane", house.headers(cookie)))
    assert [m["type"] for m in socket.sent] == ["websocket.close"]
    assert house.inner.seen == []


async def test_two_cookies_are_none(house: House) -> None:
    cookie = await house.enter()
    exchange = request("GET", "/session", house.headers(cookie))
    exchange.scope["headers"].append((b"cookie", cookie.encode()))

    assert (await ask(house.site, exchange)).status == 401


async def test_a_login_ends_after_a_day_on_every_way_in(house: House) -> None:
    cookie = await house.enter()
    assert (await house.post("/uhp/v1/ping", b"{}", cookie)).status == 200

    house.now += BROWSER_S

    assert (await house.post("/uhp/v1/ping", b"{}", cookie)).status == 401
    assert (await house.get("/", cookie)).status == 401


async def test_a_stream_has_no_more_time_than_its_login(house: House) -> None:
    cookie = await house.enter()
    house.now += BROWSER_S - 0.01

    async def silent(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "websocket.accept"})
        await asyncio.Event().wait()

    stream = web_socket("/uhp/v1/view.pane", house.headers(cookie))
    await asyncio.wait_for(ask(house.site_of(silent), stream), 5)

    assert stream.sent[-1] == {"type": "websocket.close", "code": LOGGED_OUT}


async def test_each_browser_calls_with_a_token_of_its_own(house: House) -> None:
    cookies = [await house.enter(), await house.enter(read_only=True)]
    for cookie in cookies:
        await house.post("/uhp/v1/ping", b"{}", cookie)

    tokens = [dict(scope["headers"])[b"authorization"] for scope in house.inner.seen]

    assert tokens == [f"Bearer token of {b.id}".encode() for b in house.browsers.list()]
    assert b"cookie" not in dict(house.inner.seen[0]["headers"])


async def test_a_browser_without_a_token_is_told_why_it_cannot_act(house: House) -> None:
    cookie = await house.enter()
    (browser,) = house.browsers.list()
    house.tokens[browser.id] = None

    answered = await house.post("/uhp/v1/ping", b"{}", cookie)

    assert answered.status == 503
    assert b"log another one out" in answered.body


async def test_a_page_knows_who_is_logged_in(house: House) -> None:
    cookie = await house.enter(read_only=True)
    (browser,) = house.browsers.list()

    answered = await house.get("/session", cookie)

    expected = {"browser": browser.id, "read_only": True, "session": "default"}
    assert json.loads(answered.body) == expected
    assert answered.headers["cache-control"] == "no-store"


async def test_logging_out_ends_the_login_its_streams_and_the_cookie(house: House) -> None:
    cookie = await house.enter()
    (browser,) = house.browsers.list()

    answered = await house.post("/logout", b"", cookie)

    assert "Max-Age=0" in answered.headers["set-cookie"]
    assert browser.ended.is_set()
    assert (await house.get("/session", cookie)).status == 401
    assert (await house.post("/logout", b"", cookie)).status == 200


async def test_every_place_of_the_page_is_the_page_and_files_are_files(house: House) -> None:
    cookie = await house.enter()

    for place in ("/", "/terminals/1", "/activity", "/index"):
        assert (await house.get(place, cookie)).body == b"the page"
    assert (await house.get("/assets/a.js")).body == b"script"
    assert (await house.get("/login")).body == b"the way in"
    assert (await house.get("/assets/b.js", cookie)).status == 404
    assert (await house.get("/index.html", cookie)).status == 404


async def test_pages_that_are_not_built_say_how_to_build_them(tmp_path: Path) -> None:
    house = House(tmp_path, built=False)

    answered = await house.get("/")

    assert answered.status == 503
    assert b"make web" in answered.body


@pytest.mark.parametrize(("method", "path"), [("POST", "/"), ("PUT", "/login"), ("DELETE", "/x")])
async def test_what_nothing_takes_is_refused(house: House, method: str, path: str) -> None:
    assert (await ask(house.site, request(method, path))).status == 405


async def test_a_stream_is_only_where_methods_are(house: House) -> None:
    cookie = await house.enter()

    answered = await ask(house.site, web_socket("/terminals/1", house.headers(cookie)))

    assert [m["type"] for m in answered.sent] == ["websocket.close"]


async def test_a_client_that_leaves_in_the_middle_of_its_login_is_let_go(house: House) -> None:
    exchange = request("POST", "/login", dict(OWN))
    exchange.given = asyncio.Queue()
    exchange.given.put_nowait({"type": "http.request", "body": b"{", "more_body": True})
    exchange.given.put_nowait({"type": "http.disconnect"})

    await ask(house.site, exchange)

    assert exchange.sent == []
