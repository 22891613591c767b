"""The overview, the rail and the figures: kept true by events, used by keys alone."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import log_in
from tests.browser.test_access import violations
from tests.support.live import LiveServer

ROWS = ".agents tbody tr:not(.peek)"


def report(live: LiveServer, pane: str, status: str, agent: str = "claude") -> None:
    live.call("agent.report", {"pane": pane, "source": "t", "agent": agent, "status": status})


def use(live: LiveServer, pane: str, tokens: int, cost: float, at: int = 1) -> None:
    none = dict.fromkeys(("tokens_out", "cache_read", "cache_write"), 0)
    usage = {**none, "tokens_in": tokens, "cost": cost, "updated_at": at}
    session = {"pane": pane, "agent": "claude", "session_id": f"s{pane}", "usage": usage}
    live.call("pane.report_session", session)


def named(live: LiveServer, name: str) -> str:
    pane = str(live.call("pane.split", {"focus": False})["pane"])
    live.call("agent.name", {"pane": pane, "name": name})
    return pane


def fail(live: LiveServer, name: str) -> None:
    pane = named(live, name)
    report(live, pane, "working")
    use(live, pane, 45_000, 0.12)
    with live.stream("events.subscribe") as events:
        events.line()
        live.call("pane.run", {"pane": pane, "command": "echo out of me''mory; exit 3"})
        events.until("pane.closed", pane=pane)


def test_who_needs_somebody_stands_first_then_who_works_longest(
    page: Page, live: LiveServer
) -> None:
    for name, status in (
        ("rests", "idle"),
        ("first", "working"),
        ("second", "working"),
        ("ready", "done"),
        ("asks", "blocked"),
    ):
        report(live, named(live, name), status)
    fail(live, "broken")

    names = ["asks", "broken", "first", "second", "ready", "rests", "shell"]
    expect(page.locator(f"{ROWS} td.agent strong")).to_have_text(names)
    expect(page.locator(ROWS).nth(1)).to_contain_text("✕ failed")


def test_the_time_in_a_state_is_the_server_s_also_after_a_reload(
    page: Page, live: LiveServer
) -> None:
    report(live, "1", "blocked")
    since = page.locator(f"{ROWS} td.doing time")
    page.reload()
    expect(since).to_be_visible()

    (workspace,) = live.call("session.snapshot")["workspaces"]
    at = workspace["tabs"][0]["panes"][0]["agent_status_since_ms"]

    def shown() -> float:
        told = since.get_attribute("datetime")
        assert told is not None
        return datetime.fromisoformat(told).timestamp() * 1000

    assert shown() == at
    page.reload()
    expect(since).to_be_visible()
    assert shown() == at
    assert since.get_attribute("title")


def test_figures_arrive_as_events_and_a_quiet_page_asks_nothing(
    page: Page, live: LiveServer
) -> None:
    report(live, "1", "working")
    use(live, "1", 88_000, 0.84)
    row = page.locator(ROWS).first
    expect(row).to_contain_text("88k")
    expect(row).to_contain_text("$0.84")
    expect(row.get_by_role("img", name="0 tokens in the last hour")).to_be_visible()

    use(live, "1", 310_000, 1.10, at=2)

    expect(row).to_contain_text("310k")
    expect(row.get_by_role("img", name="222k tokens in the last hour")).to_be_visible()
    expect(page.locator(".rail .spending")).to_contain_text("$1.10")
    expect(page.locator(".chart h2")).to_contain_text("222k")
    asked: list[str] = []
    # What follows from the last event comes within the gap between two announcements.
    page.wait_for_timeout(1_500)
    page.on("request", lambda request: asked.append(request.url))
    page.wait_for_timeout(4_000)
    assert asked == []


def test_what_an_agent_is_about_and_where_is_seen_as_soon_as_it_says_so(
    page: Page, live: LiveServer
) -> None:
    report(live, "1", "working")
    title = r"printf '\033]2;\342\234\263 Fix the login\007'"
    live.call("pane.run", {"pane": "1", "command": title})
    expect(page.locator(ROWS).first.locator(".title")).to_have_text(" Fix the login")

    live.call("workspace.report_metadata", {"workspace": 0, "branch": "fix-login"})

    expect(page.locator(ROWS).first).to_contain_text("⎇ fix-login")
    expect(page.locator(".rail")).to_contain_text("⎇ fix-login")


def test_a_pane_that_failed_is_found_read_and_put_away_by_keys(
    page: Page, live: LiveServer
) -> None:
    fail(live, "broken")
    expect(page.locator(".attention li.failed")).to_contain_text("code 3")
    assert page.title() == "(1) Luvus"
    row = page.locator(ROWS).first
    expect(row).to_contain_text("broken")
    expect(row).to_contain_text("$0.12")

    page.keyboard.press("Space")
    expect(page.locator(".agents tr.peek")).to_contain_text("out of memory")
    page.keyboard.press("x")

    expect(page.get_by_text("broken")).to_have_count(0)
    expect(page.get_by_text("Nobody needs you")).to_be_visible()
    page.reload()
    expect(page.locator(ROWS)).to_have_count(1)


def test_a_prompt_reaches_the_agent_of_the_marked_row(page: Page, live: LiveServer) -> None:
    pane = named(live, "scribe")
    live.call("pane.run", {"pane": pane, "command": "cat > said"})
    report(live, pane, "idle")
    expect(page.locator(ROWS).first).to_contain_text("scribe")

    page.keyboard.press("k")
    page.keyboard.press("p")
    expect(page.get_by_role("textbox", name="Prompt for scribe")).to_be_focused()
    page.keyboard.type("write the jokes, please")
    page.keyboard.press("Enter")

    expect(page.get_by_role("textbox")).to_have_count(0)
    live.wait_text(pane, "write the jokes, please")


def test_the_rail_folds_a_workspace_and_says_what_matters_most_in_it(
    page: Page, live: LiveServer
) -> None:
    report(live, "1", "working")
    report(live, named(live, "asks"), "blocked")
    rail = page.get_by_role("complementary", name="Workspaces")
    place = rail.get_by_role("button", expanded=True)
    expect(rail.get_by_role("button", name="asks")).to_be_visible()

    place.focus()
    page.keyboard.press("Enter")

    folded = rail.get_by_role("button", expanded=False)
    expect(folded).to_contain_text("▲")
    expect(folded).to_contain_text("2")
    expect(rail.get_by_role("button", name="asks")).to_have_count(0)
    page.reload()
    expect(rail.get_by_role("button", expanded=False)).to_be_visible()


def test_a_budget_is_shown_as_soon_as_it_is_set_and_says_when_it_is_spent(
    page: Page, live: LiveServer
) -> None:
    use(live, "1", 1_000, 1.5)
    spending = page.locator(".spending")
    expect(spending).to_contain_text("$1.50")

    live.call("config.patch", {"patch": {"mission_budget": 2}})

    expect(spending).to_contain_text("of $2.00")
    expect(page.get_by_role("meter", name="Budget used")).to_have_attribute("aria-valuenow", "75")
    use(live, "1", 2_000, 2.5, at=2)
    expect(spending).to_contain_text("over budget")


def test_an_answer_is_given_once_and_again_when_nothing_came_of_it(
    page: Page, live: LiveServer
) -> None:
    # Takes keys and shows nothing of them.
    deaf = r"printf 'Go on? [y/n] '; stty -icanon -echo; cat > got"
    live.call("pane.run", {"pane": "1", "command": deaf})
    live.wait_text("1", "Go on? [y/n] ")
    report(live, "1", "blocked")
    yes = page.locator(".attention .answers").get_by_role("button", name="y yes")

    yes.click()

    expect(yes).to_be_disabled()
    expect(yes).to_be_enabled(timeout=8_000)
    assert (live.folder / "got").read_bytes() == b"y"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280, 2560])
def test_a_full_overview_fits_every_window_and_has_no_violation(
    chromium: Browser, live: LiveServer, width: int, scheme: Any
) -> None:
    use(live, "1", 88_000, 0.84)
    report(live, "1", "blocked")
    report(live, named(live, "a-very-long-name-for-one-agent"), "working")
    fail(live, "broken")
    live.call("config.patch", {"patch": {"mission_budget": 1}})
    context = chromium.new_context(
        color_scheme=scheme, viewport={"width": width, "height": 900}, reduced_motion="reduce"
    )
    page = context.new_page()
    log_in(page, live)
    page.wait_for_selector(".attention li.failed")
    page.keyboard.press("Space")
    page.wait_for_selector(".agents tr.peek pre")

    wide = page.evaluate("document.documentElement.scrollWidth")

    assert wide <= width
    assert violations(page) == []
    page.keyboard.press("b")
    page.wait_for_selector("dialog.rings")
    assert violations(page) == []
    context.close()
