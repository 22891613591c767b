"""Keyboard only, screen readers, narrow windows: everybody gets in."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import log_in, open_terminal
from tests.support.live import REPOSITORY, LiveServer

AXE = REPOSITORY / "web/node_modules/axe-core/axe.min.js"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("place", ["", "terminals", "activity"])
def test_a_place_has_no_violation_that_axe_finds(
    chromium: Browser, live: LiveServer, place: str, scheme: Any
) -> None:
    context = chromium.new_context(color_scheme=scheme, viewport={"width": 1280, "height": 800})
    page = context.new_page()
    log_in(page, live)
    page.goto(page.url + place)
    page.wait_for_selector({"": ".agents", "terminals": ".xterm-screen"}.get(place, ".filters"))

    assert violations(page) == []
    context.close()


def test_everything_is_reached_without_a_mouse(page: Page, live: LiveServer) -> None:
    live.call("pane.split")
    expect(page.locator(".agents tbody tr")).to_have_count(2)

    page.keyboard.press("j")
    page.keyboard.press("Enter")
    expect(page.locator(".xterm-helper-textarea:focus")).to_have_count(1)
    assert page.url.endswith("/terminals/2")
    page.keyboard.press("Control+.")
    page.get_by_role("combobox").fill("activity")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Pane 2 was opened.")).to_be_visible()
    page.keyboard.press("g")
    page.keyboard.press("o")
    expect(page.locator(".agents")).to_be_visible()


def test_keys_of_the_page_are_keys_of_the_program_inside_a_terminal(
    page: Page, live: LiveServer
) -> None:
    open_terminal(page)

    page.keyboard.type("echo gogajk?'p'\n")

    live.wait_text("1", "gogajk?p\n")
    assert page.url.endswith("/terminals/1")


def test_a_phone_shows_one_pane_with_the_keys_that_it_lacks_and_resizes_nothing(
    chromium: Browser, live: LiveServer
) -> None:
    live.call("pane.split")
    context = chromium.new_context(viewport={"width": 360, "height": 740}, has_touch=True)
    page = context.new_page()
    log_in(page, live)

    page.goto(page.url + "terminals/1")
    page.wait_for_selector(".pane:not(.stale)")

    expect(page.locator(".pane")).to_have_count(1)
    expect(page.get_by_role("toolbar", name="Keys")).to_be_in_viewport()
    live.call("pane.run", {"pane": "1", "command": "stty size"})
    live.wait_text("1", "40 ")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    context.close()


def test_a_phone_scrolls_from_those_who_need_somebody_to_everybody(
    chromium: Browser, live: LiveServer
) -> None:
    for _ in range(3):
        pane = live.call("pane.split")["pane"]
        blocked = {"pane": pane, "source": "test", "agent": "claude", "status": "blocked"}
        live.call("agent.report", blocked)
    context = chromium.new_context(viewport={"width": 360, "height": 480}, has_touch=True)
    page = context.new_page()
    log_in(page, live)
    expect(page.locator(".attention li")).to_have_count(3)

    last = page.locator(".attention li").last.bounding_box()
    first = page.locator(".summary").bounding_box()

    assert last is not None
    assert first is not None
    assert last["y"] + last["height"] <= first["y"]
    page.locator(".agents tbody tr").last.scroll_into_view_if_needed()
    expect(page.locator(".agents tbody tr").last).to_be_in_viewport()
    expect(page.get_by_role("navigation", name="Places")).to_be_in_viewport()
    context.close()


def violations(page: Page) -> list[str]:
    """Return what axe complains about, one line each."""
    page.evaluate(AXE.read_text())
    found = page.evaluate("async () => (await axe.run()).violations")
    return [
        f"{v['id']}: {node['html'][:160]} {node['failureSummary'][:200]}"
        for v in found
        for node in v["nodes"][:3]
    ]
