"""The way in, as a browser goes it."""

from __future__ import annotations

from playwright.sync_api import BrowserContext, Page, expect

from tests.support.live import LiveServer


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


def test_a_browser_that_is_logged_out_is_told_and_shows_what_it_knew(
    page: Page, live: LiveServer
) -> None:
    (browser,) = live.call("web.sessions")["browsers"]

    live.call("web.revoke", {"browser": browser["browser"]})

    expect(page.get_by_role("link", name="log in")).to_be_visible()
    expect(page.locator(".agents tbody tr")).to_have_count(1)


def test_another_site_s_form_cannot_use_the_cookie(page: Page, live: LiveServer) -> None:
    url = live.call("web.status")["url"]
    before = live.call("tab.list")["tabs"]
    foreign = page.context.new_page()
    foreign.route("http://evil.test/**", lambda route: route.fulfill(body="<p>evil</p>"))
    foreign.route(
        "http://evil.test/", lambda route: route.fulfill(body=form(url), content_type="text/html")
    )

    foreign.goto("http://evil.test/")
    foreign.click("button")
    foreign.wait_for_load_state()

    assert live.call("tab.list")["tabs"] == before
    foreign.close()


def form(url: str) -> str:
    return f"""<!doctype html>
    <form method="post" enctype="text/plain" action="{url}/uhp/v1/tab.new">
    <input name='{{"a":"' value='"}}'><button>go</button></form>"""
