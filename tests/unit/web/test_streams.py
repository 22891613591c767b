"""A browser's requests: with whose rights they run, how many there may be, and how they end."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from luvus_web.asgi import App
from luvus_web.browsers import BROWSER_S, Browser, Browsers
from luvus_web.streams import LOGGED_OUT, STREAMS, run_as
from tests.support.asked import OWN, Exchange, Recorder, request, web_socket


@pytest.fixture
def browser() -> Browser:
    """A logged-in browser."""
    browsers = Browsers(lambda: 1000.0)
    entered = browsers.redeem(browsers.issue(read_only=False), "")
    assert entered is not None
    return entered[0]


class Endless:
    """An app that begins to answer and never ends."""

    def __init__(self) -> None:
        self.began = asyncio.Event()
        self.cancelled = False

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Send the beginning of an answer, then wait."""
        if scope["type"] == "websocket":
            await send({"type": "websocket.accept"})
        elif scope["path"] != "/slow":
            await send({"type": "http.response.start", "status": 200, "headers": []})
            await send({"type": "http.response.body", "body": b"a", "more_body": True})
        self.began.set()
        try:
            await asyncio.Event().wait()
        finally:
            self.cancelled = True


async def run(
    browser: Browser, inner: App, exchange: Exchange, left_s: float = BROWSER_S
) -> Exchange:
    """Run a request as a browser whose login has some time left."""
    scope, receive = exchange.scope, exchange.given.get
    await run_as(browser, "token", inner, scope, receive, exchange.send, left_s=left_s)
    return exchange


async def ended(browser: Browser, exchange: Exchange) -> Exchange:
    """Return what is sent of an endless answer when its browser is logged out in the middle."""
    inner = Endless()

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await run_as(browser, "token", inner, scope, receive, send, left_s=BROWSER_S)

    running = asyncio.create_task(exchange.run(app))
    await asyncio.wait_for(inner.began.wait(), 5)
    assert browser.streams == 1
    browser.ended.set()
    await asyncio.wait_for(running, 5)
    assert inner.cancelled
    assert browser.streams == 0
    return exchange


async def test_the_inner_app_sees_the_browser_s_token_and_never_its_cookie(
    browser: Browser,
) -> None:
    inner = Recorder()
    headers = {**OWN, "cookie": "luvus_8717=secret", "authorization": "Bearer chosen"}
    exchange = request("POST", "/uhp/v1/ping", headers)

    await run(browser, inner, exchange)

    (scope,) = inner.seen
    expected = [(name.encode(), value.encode()) for name, value in OWN.items()]
    assert scope["headers"] == [*expected, (b"authorization", b"Bearer token")]


async def test_a_web_socket_ends_with_its_login(browser: Browser) -> None:
    exchange = await ended(browser, web_socket("/uhp/v1/events.subscribe"))

    assert exchange.sent[-1] == {"type": "websocket.close", "code": LOGGED_OUT}


async def test_server_sent_events_end_with_their_login(browser: Browser) -> None:
    exchange = await ended(browser, request("GET", "/uhp/v1/events"))

    assert exchange.sent[-1] == {"type": "http.response.body", "body": b"", "more_body": False}


async def test_what_is_open_ends_when_the_time_of_its_login_is_over(browser: Browser) -> None:
    socket = await run(browser, Endless(), web_socket("/uhp/v1/view.pane"), left_s=0.01)
    events = await run(browser, Endless(), request("GET", "/uhp/v1/events"), left_s=0.01)
    call = await run(browser, Endless(), request("POST", "/slow"), left_s=0.01)

    assert socket.sent[-1] == {"type": "websocket.close", "code": LOGGED_OUT}
    assert events.sent[-1] == {"type": "http.response.body", "body": b"", "more_body": False}
    assert call.status == 401
    assert browser.streams == 0


async def test_a_call_that_is_not_answered_yet_is_refused_at_the_end_of_its_login(
    browser: Browser,
) -> None:
    exchange = await ended(browser, request("POST", "/slow"))

    assert exchange.status == 401


@pytest.mark.parametrize("kind", ["http", "websocket"])
async def test_one_browser_has_so_many_requests_open_and_no_more(
    browser: Browser, kind: str
) -> None:
    inner = Recorder()
    exchange = web_socket("/uhp/v1/x") if kind == "websocket" else request("GET", "/uhp/v1/x")
    browser.streams = STREAMS

    await run(browser, inner, exchange)

    assert inner.seen == []
    assert browser.streams == STREAMS
    assert exchange.status == 429 or exchange.sent[-1]["code"] == 1013


async def test_a_fault_of_the_inner_app_is_its_caller_s_to_see(browser: Browser) -> None:
    async def broken(scope: Any, receive: Any, send: Any) -> None:
        raise ZeroDivisionError

    exchange = request("GET", "/uhp/v1/x")

    with pytest.raises(ZeroDivisionError):
        await run(browser, broken, exchange)
    assert browser.streams == 0
