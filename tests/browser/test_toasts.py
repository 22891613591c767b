"""Short words about what became of something: where they stand, and how long."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.support.live import LiveServer

COMMAND = "luvus agent start reviewer --kind claude"


@pytest.fixture
def toast(page: Page) -> Locator:
    """A toast, on a page whose clock a test moves."""
    page.context.grant_permissions(["clipboard-write"])
    page.clock.install()
    page.reload()
    page.get_by_role("button", name=f"Copy {COMMAND}").click()
    toast = page.locator(".toasts li")
    expect(toast).to_have_text(f"Copied: {COMMAND}")
    return toast


def test_a_toast_goes_by_itself(page: Page, toast: Locator) -> None:
    page.clock.run_for(12_000)

    expect(toast).to_have_count(0)


def test_a_toast_stays_while_somebody_is_at_it(page: Page, toast: Locator) -> None:
    toast.hover()
    page.clock.run_for(60_000)
    expect(toast).to_be_visible()

    page.mouse.move(0, 0)
    page.clock.run_for(12_000)

    expect(toast).to_have_count(0)


def test_what_happens_while_a_dialog_is_open_is_said_over_it(page: Page, live: LiveServer) -> None:
    page.keyboard.press("g")
    page.keyboard.press("t")
    expect(page.locator(".pane .xterm-screen")).to_be_visible()
    page.keyboard.press("Control+.")
    expect(page.get_by_role("dialog", name="Find")).to_be_visible()
    page.evaluate("""() => { window.opened = []; document.querySelector('.toasts')
        .addEventListener('toggle', (event) => window.opened.push(event.newState)); }""")

    blocked = {"pane": "1", "source": "t", "agent": "claude", "status": "blocked"}
    live.call("agent.report", blocked)

    expect(page.locator(".toasts:popover-open li")).to_contain_text("claude needs you")
    page.wait_for_function("window.opened.at(-1) === 'open'")
    expect(page.get_by_role("dialog", name="Find")).to_be_visible()
