"""Terminals when much is asked of them: floods, slow networks, many panes, several browsers."""

from __future__ import annotations

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.conftest import log_in, open_terminal
from tests.support.live import LiveServer

WATCH = """() => { window.longest = 0; let last = performance.now();
    const tick = () => { const now = performance.now();
      window.longest = Math.max(window.longest, now - last); last = now;
      requestAnimationFrame(tick); };
    requestAnimationFrame(tick); }"""
FLOOD = "yes $(printf %079d 0) | head -c 50000000; echo fl''ooded"
SLOW = {"offline": False, "latency": 300, "downloadThroughput": 50_000, "uploadThroughput": 20_000}
"""A bad mobile network: 300 ms there and back, 50 kB/s."""
LONGEST_MS = 2000
"""Between two frames, also on a machine that does much else; a page that froze takes longer."""


def grid(panes: list[int], axis: int) -> dict[str, object]:
    """Return a layout in which all panes have about the same size."""
    if len(panes) == 1:
        return {"Leaf": panes[0]}
    half = len(panes) // 2
    a, b = grid(panes[:half], 1 - axis), grid(panes[half:], 1 - axis)
    return {"Split": {"axis": axis, "ratio": half / len(panes), "a": a, "b": b}}


def flooded(live: LiveServer, pane: str = "1") -> bool:
    """Say whether the flood of a pane has ended."""
    wait = {"pane": pane, "match": "flooded", "timeout_s": 8}
    return any(live.call("wait.output", wait)["matched"] for _ in range(10))


@pytest.mark.timeout(180)
def test_the_page_answers_while_a_pane_pours(page: Page, live: LiveServer) -> None:
    live.call("pane.split")
    open_terminal(page, "2")
    expect(page.locator(".pane")).to_have_count(2)
    page.evaluate(WATCH)

    live.call("pane.run", {"pane": "1", "command": FLOOD})
    page.keyboard.type("echo a''nswers\n")
    live.wait_text("2", "answers")
    page.keyboard.press("Control+.")
    expect(page.get_by_role("combobox")).to_be_focused()
    page.keyboard.press("Escape")
    assert flooded(live)

    page.locator('section[aria-label^="Pane 1:"] textarea').focus()
    page.keyboard.type("echo st''ill\n")
    live.wait_text("1", "still")

    assert page.evaluate("window.longest") < LONGEST_MS
    expect(page.locator(".pane:not(.stale)")).to_have_count(2)


@pytest.mark.timeout(180)
def test_on_a_slow_network_typing_arrives_in_order_and_a_flood_leaves_no_backlog(
    page: Page, live: LiveServer
) -> None:
    open_terminal(page)
    devtools = page.context.new_cdp_session(page)
    devtools.send("Network.enable")
    devtools.send("Network.emulateNetworkConditions", SLOW)

    page.keyboard.type("cat > got\n")
    text = "the quick brown fox jumps over the lazy dog"
    page.keyboard.type(text + "\n")
    page.keyboard.press("Control+d")
    page.keyboard.type("echo ty''ped\n")
    live.wait_text("1", "typed")
    live.call("pane.run", {"pane": "1", "command": FLOOD})
    assert flooded(live)
    page.keyboard.type("echo still''here\n")

    live.wait_text("1", "stillhere")
    assert (live.folder / "got").read_text() == text + "\n"
    page.get_by_role("button", name="Show as text").click()
    expect(page.get_by_role("document", name="Text of shell 1")).to_contain_text(
        "stillhere", timeout=10_000
    )


def test_a_network_that_is_gone_is_said_and_found_again(page: Page, live: LiveServer) -> None:
    open_terminal(page)
    devtools = page.context.new_cdp_session(page)
    devtools.send("Network.enable")

    live.kill()
    expect(page.get_by_role("status")).to_contain_text("no connection")
    expect(page.locator(".pane.stale")).to_have_count(1)
    page.keyboard.type("echo lost\n")
    live.start()
    expect(page.get_by_role("status")).to_have_text("● live")
    page.wait_for_selector(".pane:not(.stale)")
    page.keyboard.type("echo fo''und\n")

    live.wait_text("1", "found")
    assert "lost" not in live.call("pane.read", {"pane": "1"})["text"]


@pytest.mark.timeout(180)
def test_fifty_panes_are_drawn_and_each_of_them_is_live(page: Page, live: LiveServer) -> None:
    panes = ["1"]
    for _ in range(49):
        split = {"pane": panes[-1], "direction": "right", "focus": False}
        panes.append(live.call("pane.split", split)["pane"])
    live.call("layout.apply", {"tree": grid([int(pane) for pane in panes], 0)})
    page.set_viewport_size({"width": 2560, "height": 1400})
    page.goto(page.url + "terminals/1")
    expect(page.locator(".pane:not(.stale)")).to_have_count(50, timeout=60_000)
    page.wait_for_function(
        """() => { const desk = document.querySelector('.desk');
        return desk.scrollWidth <= desk.clientWidth && desk.scrollHeight <= desk.clientHeight; }""",
        timeout=60_000,
    )
    page.evaluate(WATCH)

    for pane in panes:
        live.call("pane.run", {"pane": pane, "command": f"echo p{pane}''x"})
    for pane in (panes[0], panes[24], panes[49]):
        live.wait_text(pane, f"p{pane}x")
    last = page.locator(f'section[aria-label^="Pane {panes[49]}:"]')
    last.locator("textarea").focus(timeout=60_000)
    page.keyboard.type("echo la''st\n")

    live.wait_text(panes[49], "last")
    assert page.evaluate("window.longest") < 5000


def test_two_browsers_see_and_type_into_the_same_terminal(
    page: Page, live: LiveServer, context: BrowserContext
) -> None:
    open_terminal(page)
    browser = context.browser
    assert browser is not None
    second = browser.new_context()
    other = second.new_page()
    log_in(other, live)
    open_terminal(other)

    page.keyboard.type("echo o''ne; ")
    other.keyboard.type("echo t''wo\n")

    live.wait_text("1", "two")
    for each in (page, other):
        each.get_by_role("button", name="Show as text").click()
        expect(each.get_by_role("document", name="Text of shell 1")).to_contain_text("one\ntwo")
    other.get_by_role("button", name="Split downwards").click()
    expect(page.locator(".pane")).to_have_count(2)
    second.close()
