"""The way in, as a browser goes it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from luvus_service.asgi.server import HttpServer
from luvus_web.browsers import TICKET_S
from luvus_web.dashboard import Dashboard
from tests.support.asked import Recorder
from tests.support.live import LiveServer

WAIT_S = 10.0


class NoGrants:
    """Gives nobody a credential."""

    def grant(self, *, read_only: bool) -> None:
        """Return none."""

    def withdraw(self, grant_id: str) -> None:
        """Have nothing to take back."""


class Clocked:
    """A dashboard without a service behind it, whose clock a test moves."""

    def __init__(self, folder: Path) -> None:
        self.now = 1000.0
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self.dashboard = asyncio.run_coroutine_threadsafe(self._start(folder), self._loop).result(
            WAIT_S
        )

    def close(self) -> None:
        """Stop listening and end the thread."""
        stopped = asyncio.run_coroutine_threadsafe(self.dashboard.close(), self._loop)
        stopped.result(WAIT_S)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(WAIT_S)
        self._loop.close()

    async def _start(self, folder: Path) -> Dashboard:
        dashboard = Dashboard(
            Recorder(),
            NoGrants(),
            serve=lambda app, sock: HttpServer(app, sock, authorize=lambda _: True, grace_s=1),
            state=folder / "web.json",
            now=lambda: self.now,
            about=dict,
        )
        await dashboard.start("127.0.0.1", 0)
        return dashboard


@pytest.fixture
def clocked(tmp_path: Path) -> Iterator[Clocked]:
    clocked = Clocked(tmp_path)
    yield clocked
    clocked.close()


def test_a_link_logs_in_and_leaves_no_secret_in_the_address_or_the_history(
    page: Page, live: LiveServer
) -> None:
    assert page.url == live.call("web.status")["url"] + "/"
    assert page.evaluate("document.cookie") == ""

    page.go_back()

    assert "#" not in page.url


def test_a_link_that_was_used_says_so_and_lets_nobody_in(
    context: BrowserContext, live: LiveServer
) -> None:
    link = live.call("web.start")["link"]
    context.new_page().goto(link)
    other = context.browser
    assert other is not None
    second = other.new_context().new_page()

    second.goto(link)

    expect(second.get_by_text("was used already")).to_be_visible()
    second.context.close()


def test_a_link_opened_where_the_way_in_is_shown_already_logs_in(
    context: BrowserContext, live: LiveServer
) -> None:
    page = context.new_page()
    page.goto(live.call("web.start")["link"] + "x")
    expect(page.get_by_text("was used already")).to_be_visible()

    page.goto(live.call("web.start")["link"])

    expect(page.locator(".agents tbody tr")).to_have_count(1)


def test_a_link_that_is_older_than_a_minute_says_so_and_lets_nobody_in(
    context: BrowserContext, clocked: Clocked
) -> None:
    page = context.new_page()
    link = clocked.dashboard.link(read_only=False)
    clocked.now += TICKET_S

    page.goto(link)

    expect(page.get_by_text("older than a minute")).to_be_visible()
    expect(page.get_by_text("luvus web", exact=True)).to_be_visible()
    assert "#" not in page.url
    assert context.cookies() == []
    assert clocked.dashboard.browsers() == ()


def test_a_browser_that_is_logged_out_is_told_and_shows_what_it_knew(
    page: Page, live: LiveServer
) -> None:
    (browser,) = live.call("web.sessions")["browsers"]

    live.call("web.revoke", {"browser": browser["browser"]})

    expect(page.get_by_role("link", name="log in")).to_be_visible()
    expect(page.locator(".agents tbody tr")).to_have_count(1)


@pytest.mark.parametrize("path", ["/uhp/v1/tab.new", "/luxe/v2/sessions", "/login", "/logout"])
@pytest.mark.parametrize("origin", ["http://evil.test", "http://127.0.0.1:1"])
def test_another_site_s_form_cannot_use_the_cookie(
    page: Page, live: LiveServer, origin: str, path: str
) -> None:
    url = live.call("web.status")["url"]
    before = live.call("tab.list")["tabs"]
    foreign = page.context.new_page()
    body = form(url + path)
    # Another port of this machine is the same site: a browser sends the cookie along.
    foreign.route(f"{origin}/**", lambda route: route.fulfill(body=body, content_type="text/html"))
    foreign.goto(f"{origin}/")

    with foreign.expect_response(url + path) as answered:
        foreign.click("button")

    assert answered.value.status == 403
    assert live.call("tab.list")["tabs"] == before
    assert len(live.call("web.sessions")["browsers"]) == 1
    expect(page.get_by_role("status")).to_have_text("● live")
    foreign.close()


def form(action: str) -> str:
    return f"""<!doctype html>
    <form method="post" enctype="text/plain" action="{action}">
    <input name='{{"a":"' value='"}}'><button>go</button></form>"""
