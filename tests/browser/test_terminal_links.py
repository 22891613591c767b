"""Links on a screen: where they lead, and what they may not do."""

from __future__ import annotations

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.conftest import open_terminal, screen_has, without_webgl
from tests.support.live import LiveServer


@pytest.fixture(autouse=True)
def _without_webgl(context: BrowserContext) -> None:
    without_webgl(context)


def point_at(page: Page, text: str) -> tuple[float, float]:
    """Move the mouse to a link on the screen, and return where it is."""
    row = page.locator(".xterm-rows > div", has_text=text).last.bounding_box()
    assert row is not None
    x, y = row["x"] + 20, row["y"] + 6
    page.mouse.move(x - 4, y)
    page.mouse.move(x, y)
    expect(page.locator(".xterm-cursor-pointer")).to_have_count(1)
    return x, y


def test_a_link_opens_in_a_tab_that_knows_nothing_of_this_one(
    page: Page, context: BrowserContext
) -> None:
    context.route("http://example.test/**", lambda route: route.fulfill(body="there"))
    open_terminal(page)
    page.keyboard.type("clear; echo http://exam''ple.test/a\n")
    screen_has(page, "\n$")
    x, y = point_at(page, "http://example.test/a")

    with context.expect_page() as opened:
        page.mouse.click(x, y)

    opened.value.wait_for_load_state()
    assert opened.value.url == "http://example.test/a"
    assert opened.value.evaluate("[window.opener, document.referrer]") == [None, ""]


def test_a_link_with_a_text_of_its_own_says_where_it_leads_and_opens_as_any_other(
    page: Page, context: BrowserContext
) -> None:
    context.route("http://example.test/**", lambda route: route.fulfill(body="there"))
    open_terminal(page)
    page.keyboard.type(hyperlink("http://example.test/b"))
    screen_has(page, "pressme\n$")
    x, y = point_at(page, "pressme")
    expect(page.locator(".xterm")).to_have_attribute("title", "http://example.test/b")

    with context.expect_page() as opened:
        page.mouse.click(x, y)

    opened.value.wait_for_load_state()
    assert opened.value.url == "http://example.test/b"
    assert opened.value.evaluate("[window.opener, document.referrer]") == [None, ""]


@pytest.mark.parametrize(
    "address", ["javascript:document.title=1", "file:///etc/passwd", "data:text/html,x", "ssh://a"]
)
def test_a_link_that_opens_no_page_opens_nothing_and_says_so(
    page: Page, context: BrowserContext, live: LiveServer, address: str
) -> None:
    open_terminal(page)
    page.keyboard.type(hyperlink(address))
    screen_has(page, "pressme\n$")
    x, y = point_at(page, "pressme")

    page.mouse.click(x, y)

    expect(page.locator(".toasts li")).to_contain_text(f"A link to {address} is not opened")
    assert len(context.pages) == 1
    assert page.title() == "Luvus"


def hyperlink(address: str) -> str:
    """Return a command that writes a link, whose text the command itself does not hold."""
    return rf"clear; printf '\033]8;;{address}\007press''me\033]8;;\007\n'" + "\n"
