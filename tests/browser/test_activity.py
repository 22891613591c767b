"""What happened, what rang, and who is told."""

from __future__ import annotations

import re

from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.conftest import log_in
from tests.support.live import LiveServer

LINES = ".timeline li"
# The far side of a browser's notifications is the desktop: here they are kept instead.
DESKTOP = """
window.told = [];
window.Notification = class {
  static permission = "granted";
  constructor(title, options) { window.told.push([title, options.body]); window.notice = this; }
  close() {}
};
"""
HIDDEN = "Object.defineProperty(document, 'hidden', { get: () => true });"


def report(live: LiveServer, pane: str, status: str) -> None:
    live.call("agent.report", {"pane": pane, "source": "t", "agent": "claude", "status": status})


def notify(live: LiveServer, pane: str, text: str) -> None:
    live.call("pane.run", {"pane": pane, "command": rf"printf '\033]777;notify;Build;{text}\007'"})


def test_events_are_sentences_with_names_exact_times_and_a_link(
    page: Page, live: LiveServer
) -> None:
    pane = str(live.call("pane.split")["pane"])
    live.call("agent.name", {"pane": pane, "name": "rev"})
    page.keyboard.press("g")
    page.keyboard.press("a")
    report(live, pane, "working")
    expect(page.locator(LINES).filter(has_text="rev is working.")).to_have_count(1)
    report(live, pane, "blocked")

    line = page.locator(LINES).filter(has_text="rev needs you.")
    expect(line.locator("time")).to_have_attribute("title", re.compile(r"\d:\d\d:\d\d"))
    link = line.get_by_role("link", name=f"pane {pane}")
    link.focus()
    page.keyboard.press("Enter")

    expect(page.locator(".xterm-helper-textarea:focus")).to_have_count(1)
    assert page.url.endswith(f"/terminals/{pane}")


def test_the_timeline_is_filtered_by_kind_and_by_workspace(page: Page, live: LiveServer) -> None:
    (live.home / "other").mkdir()
    page.keyboard.press("g")
    page.keyboard.press("a")
    live.call("workspace.open", {"path": str(live.home / "other"), "focus": True})
    expect(page.get_by_text("Workspace other was opened.")).to_be_visible()
    report(live, "1", "working")
    report(live, "2", "working")
    expect(page.locator(LINES).filter(has_text="is working")).to_have_count(2)

    page.get_by_role("combobox", name="workspace").select_option("other")
    expect(page.locator(LINES).filter(has_text="is working")).to_have_count(1)
    page.get_by_role("checkbox", name="agents").uncheck()

    expect(page.locator(LINES).filter(has_text="is working")).to_have_count(0)
    expect(page.get_by_text("Workspace other was opened.")).to_be_visible()


def test_a_gap_is_drawn_as_one_and_says_how_long_nothing_was_known(
    page: Page, live: LiveServer
) -> None:
    report(live, "1", "working")
    page.keyboard.press("g")
    page.keyboard.press("a")
    expect(page.locator(LINES).filter(has_text="is working")).to_have_count(1)

    live.kill()
    live.start()

    expect(page.locator(f"{LINES}.gap")).to_contain_text("The server was started again")
    expect(page.locator(f"{LINES}.gap")).to_contain_text("missing.")


def test_what_rang_is_counted_listed_and_leads_to_its_pane_by_keys(
    page: Page, live: LiveServer
) -> None:
    pane = str(live.call("pane.split")["pane"])
    live.call("agent.name", {"pane": pane, "name": "rev"})
    report(live, pane, "working")
    expect(page.locator(".agents tbody tr").first).to_contain_text("rev")
    live.call("pane.run", {"pane": pane, "command": r"printf '\a'"})
    expect(page.get_by_role("button", name="1 rang")).to_be_visible()
    notify(live, pane, "all green")

    expect(page.locator(".toasts li")).to_contain_text("rev: Build: all green")
    expect(page.get_by_role("button", name="2 rang")).to_be_visible()
    page.keyboard.press("b")
    entries = page.get_by_role("dialog", name="What rang").get_by_role("listitem")
    expect(entries).to_have_count(2)
    expect(entries.first).to_contain_text("Build: all green")
    expect(entries.last).to_contain_text("rang the bell")
    expect(entries.first.get_by_role("button")).to_be_focused()
    page.keyboard.press("Enter")

    expect(page.locator(".xterm-helper-textarea:focus")).to_have_count(1)
    assert page.url.endswith(f"/terminals/{pane}")
    expect(page.get_by_role("button", name="Nothing new rang")).to_be_visible()


def test_a_bell_of_the_pane_that_is_looked_at_is_not_listed(page: Page, live: LiveServer) -> None:
    page.goto(page.url + "terminals/1")
    page.wait_for_selector(".pane:not(.stale) .xterm-screen")

    page.keyboard.type(r"printf '\a'; echo ra''ng" + "\n")
    live.wait_text("1", "rang\n")
    notify(live, "1", "done")

    expect(page.get_by_role("button", name="1 rang")).to_be_visible()


def test_a_page_that_nobody_sees_tells_the_desktop_and_wears_the_number_in_its_title(
    context: BrowserContext, live: LiveServer
) -> None:
    page = context.new_page()
    page.add_init_script(DESKTOP + HIDDEN)
    log_in(page, live)
    report(live, "1", "working")
    expect(page.locator(".agents tbody tr").first).to_contain_text("claude")

    report(live, "1", "blocked")
    page.wait_for_function("() => document.title === '(1) Luvus'")
    notify(live, "1", "ready")
    page.wait_for_function("() => window.told.length === 2")

    workspace = live.home.name
    assert page.evaluate("window.told") == [
        ["claude needs you", workspace],
        ["claude", "Build: ready"],
    ]
    expect(page.locator(".toasts li")).to_have_count(0)
    page.evaluate("window.notice.onclick()")
    page.wait_for_url("**/terminals/1")


def test_a_browser_that_lets_no_page_notify_goes_on_all_the_same(
    page: Page, live: LiveServer
) -> None:
    page.add_init_script("""window.Notification = class {
      static permission = "granted";
      constructor() { throw new TypeError("Illegal constructor"); }
    };""")
    page.add_init_script(HIDDEN)
    page.reload()
    expect(page.locator(".agents tbody tr")).to_have_count(1)

    report(live, "1", "blocked")

    expect(page.locator(".agents tbody tr").first).to_contain_text("blocked")
    expect(page).to_have_title("(1) Luvus")
