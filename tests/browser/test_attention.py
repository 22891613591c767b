"""Who needs somebody, and the answer given in place."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.browser.conftest import contents, until
from tests.support.live import LiveServer


def report(live: LiveServer, status: str) -> None:
    live.call("agent.report", {"pane": "1", "source": "test", "agent": "claude", "status": status})


def test_a_blocked_agent_is_a_card_that_goes_once_the_server_says_so(
    page: Page, live: LiveServer
) -> None:
    live.call(
        "pane.run",
        {"pane": "1", "command": "stty -icanon; printf 'Run npm test? 1 yes 2 no '; head -c1 >a"},
    )
    live.wait_text("1", "2 no")
    expect(page.get_by_text("Nobody needs you")).to_be_visible()

    report(live, "blocked")

    expect(page.get_by_text("1 needs you")).to_be_visible()
    card = page.locator(".attention li")
    expect(card).to_contain_text("Run npm test?")
    expect(page.locator(".agents tbody tr").first).to_contain_text("blocked")
    assert page.title() == "(1) Luvus"
    card.get_by_role("button", name="1", exact=True).click()
    until(page, lambda: contents(live.folder / "a"), b"1")
    expect(card).to_have_count(1)
    report(live, "working")
    expect(card).to_have_count(0)


def test_an_answer_to_a_dialog_that_has_changed_is_refused(page: Page, live: LiveServer) -> None:
    live.call("pane.run", {"pane": "1", "command": "stty -echo; printf 'first?'; cat > got"})
    live.wait_text("1", "first?")
    report(live, "blocked")
    card = page.locator(".attention li")
    expect(card).to_contain_text("first?")
    page.route("**/terminal.backend.capture", lambda route: route.abort())

    # Resizing redraws the screen, which makes it another one.
    live.call("pane.split", {"pane": "1", "direction": "down"})
    card.get_by_role("button", name="y", exact=True).click()

    expect(page.locator(".toasts li")).to_have_count(1)
    assert (live.folder / "got").read_bytes() == b""


def test_a_card_offers_what_the_dialog_asks_for_in_its_own_words(
    page: Page, live: LiveServer
) -> None:
    dialog = r"printf 'Proceed?\n> 1. Yes\n  2. No, tell it why\n'; stty -icanon; head -c1 > got"
    live.call("pane.run", {"pane": "1", "command": dialog})
    live.wait_text("1", "tell it why")
    report(live, "blocked")
    answers = page.locator(".attention .answers button")

    expect(answers).to_have_text(["1 Yes", "2 No, tell it why", "esc", "open pane"])
    answers.nth(1).click()

    live.call("wait.output", {"pane": "1", "match": "2$", "timeout_s": 5})
    assert (live.folder / "got").read_bytes() == b"2"


def test_an_opened_row_is_answered_by_the_key_of_its_dialog(page: Page, live: LiveServer) -> None:
    dialog = r"printf 'Apply? [y/n] '; stty -icanon; head -c1 > got"
    live.call("pane.run", {"pane": "1", "command": dialog})
    live.wait_text("1", "Apply? [y/n] ")
    report(live, "blocked")
    expect(page.locator(".attention li")).to_contain_text("Apply?")

    page.keyboard.press("y")
    page.keyboard.press(" ")
    expect(page.locator(".agents tr.peek")).to_contain_text("Apply?")
    assert (live.folder / "got").read_bytes() == b""
    page.keyboard.press("y")

    live.wait_text("1", "y$")
    assert (live.folder / "got").read_bytes() == b"y"
