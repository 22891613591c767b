"""What somebody does who uses the page for the first time, and no mouse."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import CHROMIUM, FLAGS, WAIT_MS, log_in, open_terminal
from tests.support.live import LiveServer

MENU = Path(__file__).with_name("menu.py")


def report(live: LiveServer, status: str) -> None:
    live.call("agent.report", {"pane": "1", "source": "test", "agent": "claude", "status": status})


def test_a_menu_that_is_walked_by_arrows_is_answered_by_the_number_of_its_entry(
    page: Page, live: LiveServer
) -> None:
    live.call("pane.run", {"pane": "1", "command": f"python3 {MENU}"})
    live.wait_text("1", "never")
    report(live, "blocked")
    expect(page.locator(".attention .answers button")).to_have_text(
        ["1 once", "2 always", "3 never", "esc", "open pane"]
    )
    page.keyboard.press("Space")
    expect(page.locator("tr.peek .answers button")).to_have_count(4)

    page.keyboard.press("3")

    live.wait_text("1", "took never")


def test_the_field_for_a_prompt_has_the_focus_each_time_it_opens(
    page: Page, live: LiveServer
) -> None:
    report(live, "idle")
    expect(page.locator(".agents tbody tr").first).to_contain_text("idle")
    field = page.get_by_role("textbox", name="Prompt for claude")

    for _ in range(2):
        page.keyboard.press("p")
        expect(field).to_be_focused()
        page.keyboard.press("Escape")
        expect(field).to_have_count(0)


def test_what_is_typed_after_the_chord_never_reaches_the_terminal(
    page: Page, live: LiveServer
) -> None:
    open_terminal(page)

    page.keyboard.press("Control+.")
    page.keyboard.type("show the pane as")
    page.keyboard.press("Enter")

    expect(page.locator(".reading")).to_be_visible()
    assert "show" not in live.call("pane.read", {"pane": "1"})["text"]


def test_the_chord_and_enter_lead_out_of_the_terminals(page: Page, live: LiveServer) -> None:
    open_terminal(page)

    page.keyboard.press("Control+.")
    expect(page.get_by_role("option").first).to_have_text(re.compile("Overview"))
    page.keyboard.press("Enter")

    expect(page.locator(".agents tbody tr").first).to_be_visible()


def test_a_browser_is_logged_out_from_the_palette(page: Page, live: LiveServer) -> None:
    page.keyboard.press("Control+k")
    page.keyboard.type("log out")
    page.keyboard.press("Enter")

    expect(page).to_have_url(re.compile("/login$"))
    assert live.call("web.sessions")["browsers"] == []


def test_how_to_learn_what_an_agent_costs_is_said_until_it_is_hidden(
    page: Page, live: LiveServer
) -> None:
    hint = page.get_by_text("luvus integration install claude --confirm")
    report(live, "idle")
    expect(hint).to_be_visible()

    page.get_by_role("button", name="hide").press("Enter")
    page.reload()
    expect(page.locator(".agents tbody tr").first).to_contain_text("idle")

    expect(hint).to_have_count(0)


def test_a_page_that_was_left_no_longer_decides_the_size_of_the_terminals(
    chromium: Browser, live: LiveServer
) -> None:
    # Only a browser that keeps pages which were left shows it.
    keeping = chromium.browser_type.launch(
        executable_path=CHROMIUM,
        headless=True,
        args=FLAGS,
        ignore_default_args=["--disable-back-forward-cache"],
    )
    with keeping:
        context = keeping.new_context(viewport={"width": 1280, "height": 800})
        context.set_default_timeout(WAIT_MS)
        left = context.new_page()
        log_in(left, live)
        open_terminal(left)
        left.goto("about:blank")

        page = context.new_page()
        log_in(page, live)
        open_terminal(page)

        expect(page.get_by_text("by another window")).to_have_count(0)
        left.go_back()
        expect(left.get_by_text("by another window")).to_be_visible()
