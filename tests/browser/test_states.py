"""What the page shows when there is nothing, not yet anything, or nothing any more."""

from __future__ import annotations

import json

from playwright.sync_api import BrowserContext, Page, Route, expect

from tests.support.live import LiveServer

SNAPSHOT = "**/session.snapshot"
GREETING = "**/uhp.capabilities"


def test_without_an_agent_the_page_says_how_to_start_one_and_copies_the_command(
    page: Page, live: LiveServer
) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    command = "luvus agent start reviewer --kind claude"
    button = page.get_by_role("button", name=f"Copy {command}")

    button.focus()
    page.keyboard.press("Enter")

    expect(page.locator(".toasts li")).to_have_text(f"Copied: {command}")
    assert page.evaluate("navigator.clipboard.readText()") == command
    live.call("agent.report", {"pane": "1", "source": "t", "agent": "claude", "status": "idle"})
    expect(button).to_have_count(0)


def test_a_session_without_panes_says_how_to_open_one(page: Page) -> None:
    def emptied(route: Route) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, body=json.dumps({**answer.json(), "workspaces": []}))

    page.route(SNAPSHOT, emptied)
    page.reload()

    expect(page.get_by_text("No pane is open.")).to_be_visible()
    expect(page.get_by_role("button", name="Copy luvus tab new")).to_be_visible()
    page.unroute_all(behavior="ignoreErrors")


def test_until_the_session_was_read_the_page_says_so(page: Page) -> None:
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route(SNAPSHOT, hold)
    with page.expect_request(SNAPSHOT):
        page.reload()
    expect(page.get_by_text("Reading the session…")).to_be_visible()

    for route in held:
        route.continue_()

    expect(page.locator(".agents tbody tr")).to_have_count(1)


def test_a_session_that_cannot_be_read_says_why_and_is_read_again_on_demand(page: Page) -> None:
    why = {"code": "internal_error", "message": "the disk is full"}
    page.route(SNAPSHOT, lambda route: route.fulfill(status=500, json=why))
    page.reload()
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("The session cannot be read: the disk is full")
    page.unroute(SNAPSHOT)

    alert.get_by_role("button", name="read again").focus()
    page.keyboard.press("Enter")

    expect(page.locator(".agents tbody tr")).to_have_count(1)


def test_a_lost_server_dims_the_page_counts_the_seconds_and_heals_by_itself(
    page: Page, live: LiveServer, context: BrowserContext
) -> None:
    live.call("agent.report", {"pane": "1", "source": "t", "agent": "claude", "status": "working"})
    expect(page.locator(".agents tbody tr")).to_contain_text("claude")
    # A server that was killed is there again at once; here the page cannot reach it for a while.
    page.route(GREETING, lambda route: route.abort())
    live.kill()

    status = page.get_by_role("status")
    expect(status).to_contain_text("no connection for 2s")
    expect(page.locator("main")).to_have_css("opacity", "0.55")
    expect(page.locator(".agents tbody tr")).to_contain_text("claude")
    live.start()
    page.unroute(GREETING)

    expect(status).to_have_text("● live")
    expect(page.locator("main")).to_have_css("opacity", "1")
    assert len(context.pages) == 1


def test_a_page_whose_server_does_not_answer_says_so_and_tries_again(page: Page) -> None:
    page.route("**/session", lambda route: route.abort())
    page.reload()
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("The page could not start")
    page.unroute("**/session")

    alert.get_by_role("button", name="try again").click()

    expect(page.locator(".agents tbody tr")).to_have_count(1)


def test_a_part_that_cannot_be_loaded_says_so_where_it_would_be(page: Page) -> None:
    part = "**/assets/terminals-*.js"
    page.route(part, lambda route: route.abort())
    page.keyboard.press("g")
    page.keyboard.press("t")
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("This part of the page could not be loaded")
    page.unroute(part)

    alert.get_by_role("button", name="load the page again").click()

    expect(page.locator(".pane .xterm-screen")).to_be_visible()
