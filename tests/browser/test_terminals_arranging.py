"""Tabs and panes: named, moved, split, zoomed, closed; by mouse and by keyboard alone."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Locator, Page, Position, expect

from tests.browser.conftest import open_terminal, until
from tests.support.live import LiveServer


def tabs(live: LiveServer) -> list[str]:
    """Return the names of the tabs, in their order."""
    return [tab["name"] or tab["tab_id"] for tab in live.call("tab.list")["tabs"]]


def tree(live: LiveServer) -> Any:
    """Return the layout of the active tab, without its ratios."""

    def shape(node: dict[str, Any]) -> Any:
        if "Leaf" in node:
            return node["Leaf"]
        split = node["Split"]
        return ("|" if split["axis"] == 0 else "-", shape(split["a"]), shape(split["b"]))

    return shape(live.call("layout.export")["tree"])


def pane(page: Page, number: int) -> Locator:
    """Return a pane that is shown."""
    return page.locator(f'section[aria-label^="Pane {number}:"]')


def run(page: Page, command: str) -> None:
    """Leave the terminal and do what is found in the palette by its name."""
    page.keyboard.press("Control+.")
    page.get_by_role("combobox").fill(command)
    expect(page.get_by_role("option").first).to_contain_text(command)
    page.keyboard.press("Enter")


@pytest.fixture
def three_tabs(live: LiveServer) -> LiveServer:
    """A server with the tabs a, b and c; c is active."""
    live.call("tab.rename", {"tab": 1, "name": "a"})
    for name in ("b", "c"):
        live.call("tab.new")
        live.call("tab.rename", {"name": name})
    return live


def test_a_tab_is_dragged_to_another_position(page: Page, three_tabs: LiveServer) -> None:
    open_terminal(page)

    page.get_by_role("tab", name="a").drag_to(page.get_by_role("tab", name="c"))

    until(page, lambda: tabs(three_tabs), ["b", "c", "a"])
    expect(page.get_by_role("tab")).to_have_text(["b", "c", "a"])


def test_tabs_are_moved_named_and_walked_by_keyboard(page: Page, three_tabs: LiveServer) -> None:
    open_terminal(page)

    run(page, "Move the tab to the right")
    until(page, lambda: tabs(three_tabs), ["b", "a", "c"])
    run(page, "Rename the tab")
    page.get_by_label("Name of the tab").fill("first")
    page.keyboard.press("Enter")
    until(page, lambda: tabs(three_tabs), ["b", "first", "c"])
    page.get_by_role("tab", name="first").focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("tab", name="c")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("tab", name="c")).to_have_attribute("aria-selected", "true")


def test_a_name_is_changed_where_it_stands_and_escape_keeps_the_old_one(
    page: Page, live: LiveServer
) -> None:
    open_terminal(page)
    name = page.locator(".pane > header strong")

    name.dblclick()
    page.get_by_label("Name of the pane").fill("builder")
    page.keyboard.press("Enter")
    expect(name).to_have_text("builder")
    name.dblclick()
    page.get_by_label("Name of the pane").fill("other")
    page.keyboard.press("Escape")
    expect(name).to_have_text("builder")
    page.get_by_role("tab").dblclick()
    page.get_by_label("Name of the tab").fill("work")
    page.keyboard.press("Enter")

    expect(page.get_by_role("tab")).to_have_text(["work"])
    assert live.call("pane.get", {"pane": "1"})["name"] == "builder"


def test_a_pane_dropped_on_the_middle_of_another_takes_its_place(
    page: Page, live: LiveServer
) -> None:
    live.call("pane.split")
    open_terminal(page)
    assert tree(live) == ("|", 1, 2)

    pane(page, 1).locator("header").drag_to(pane(page, 2))

    until(page, lambda: tree(live), ("|", 2, 1))
    expect(page.locator(".pane").first).to_have_attribute("aria-label", "Pane 2: shell 2")


def test_a_pane_dropped_on_the_edge_of_another_goes_beside_it(page: Page, live: LiveServer) -> None:
    live.call("pane.split")
    open_terminal(page)
    box = pane(page, 2).bounding_box()
    assert box is not None
    below: Position = {"x": box["width"] / 2, "y": box["height"] - 20}

    pane(page, 1).locator("header").drag_to(pane(page, 2), target_position=below)

    until(page, lambda: tree(live), ("-", 2, 1))
    expect(page.locator(".split.rows")).to_have_count(1)


def test_a_pane_is_dropped_on_another_tab_or_on_the_sign_for_a_new_one(
    page: Page, three_tabs: LiveServer
) -> None:
    three_tabs.call("tab.focus", {"tab": 1})
    three_tabs.call("pane.split", {"pane": "1"})
    open_terminal(page)
    expect(page.locator(".pane")).to_have_count(2)

    pane(page, 4).locator("header").drag_to(page.get_by_role("tab", name="b"))
    until(page, lambda: three_tabs.call("pane.get", {"pane": "4"})["tab"], "2")
    page.get_by_role("tab", name="b").click()
    expect(page.locator(".pane")).to_have_count(2)
    pane(page, 4).locator("header").drag_to(page.get_by_role("button", name="New tab"))

    until(page, lambda: three_tabs.call("pane.get", {"pane": "4"})["tab"], "4")
    assert len(tabs(three_tabs)) == 4


def test_panes_are_split_swapped_walked_and_closed_by_keyboard(
    page: Page, live: LiveServer
) -> None:
    open_terminal(page)

    run(page, "Split to the right")
    until(page, lambda: tree(live), ("|", 1, 2))
    expect(pane(page, 2).locator("textarea")).to_be_focused()
    run(page, "Swap with the pane to the left")
    until(page, lambda: tree(live), ("|", 2, 1))
    run(page, "Go to the pane to the right")
    expect(pane(page, 1).locator("textarea")).to_be_focused()
    run(page, "Go to the pane to the left")
    expect(pane(page, 2).locator("textarea")).to_be_focused()
    run(page, "Split downwards")
    until(page, lambda: tree(live), ("|", ("-", 2, 3), 1))
    expect(pane(page, 3).locator("textarea")).to_be_focused()
    run(page, "Close the pane")
    until(page, lambda: len(live.call("pane.list")["panes"]), 2)


def test_the_pane_that_is_looked_at_is_the_one_that_the_session_means(
    page: Page, live: LiveServer
) -> None:
    live.call("pane.split")
    open_terminal(page, "2")

    pane(page, 1).locator(".xterm-screen").click()

    until(page, lambda: live.call("pane.current")["pane"], "1")
    assert page.url.endswith("/terminals/1")


def test_a_zoomed_pane_fills_the_tab_for_everybody_until_it_is_zoomed_again(
    page: Page, live: LiveServer
) -> None:
    live.call("pane.split")
    open_terminal(page)
    expect(page.locator(".pane")).to_have_count(2)

    pane(page, 1).get_by_role("button", name="Zoom").click()

    expect(page.locator(".pane")).to_have_count(1)
    page.wait_for_function(
        "() => document.querySelector('.pane').getBoundingClientRect().width > 1000"
    )
    assert live.call("layout.export")["zoomed"] == "1"
    expect(page.get_by_role("button", name="Zoom")).to_have_attribute("aria-pressed", "true")
    page.reload()
    expect(page.locator(".pane")).to_have_count(1)
    expect(page.locator(".pane textarea")).to_be_focused()
    run(page, "Zoom the pane, or no longer")
    expect(page.locator(".pane")).to_have_count(2)


def test_a_divider_is_dragged_and_the_terminals_follow(page: Page, live: LiveServer) -> None:
    live.call("pane.split")
    open_terminal(page)
    page.wait_for_function("document.querySelector('.split')?.getBoundingClientRect().width > 1000")
    box = page.get_by_role("separator").bounding_box()
    assert box is not None
    before = live.call("layout.export")["tree"]["Split"]["ratio"]

    page.mouse.move(box["x"] + 2, box["y"] + 50)
    page.mouse.down()
    page.mouse.move(box["x"] - 200, box["y"] + 50, steps=8)
    page.mouse.up()

    def narrower() -> bool:
        return bool(live.call("layout.export")["tree"]["Split"]["ratio"] < before - 0.1)

    until(page, narrower, wanted=True)
    page.wait_for_function(
        "x => document.querySelector('[role=separator]').getBoundingClientRect().x < x - 100",
        arg=box["x"],
    )
    page.get_by_role("separator").focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function(
        "x => document.querySelector('[role=separator]').getBoundingClientRect().x > x - 195",
        arg=box["x"],
    )


def test_a_shell_is_closed_at_once_and_a_program_only_after_a_question(
    page: Page, live: LiveServer
) -> None:
    live.call("pane.split")
    live.call("pane.split", {"pane": "2"})
    live.call("pane.run", {"pane": "2", "command": "echo be''gun; sleep 600"})
    live.wait_text("2", "begun")
    until(page, lambda: "sleep" in live.call("pane.processes", {"pane": "2"})["executables"], True)
    open_terminal(page, "2")
    close = pane(page, 2).get_by_role("button", name="Close")

    close.click()
    expect(page.get_by_role("dialog")).to_contain_text("sleep ends with it")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert len(live.call("pane.list")["panes"]) == 3
    close.click()
    page.get_by_role("button", name="close pane").click()
    expect(page.locator(".pane")).to_have_count(2)
    pane(page, 3).get_by_role("button", name="Close").click()

    expect(page.locator(".pane")).to_have_count(1)
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_a_tab_with_more_than_a_shell_is_closed_after_a_question(
    page: Page, three_tabs: LiveServer
) -> None:
    three_tabs.call("pane.split")
    open_terminal(page, "4")
    expect(page.locator(".pane")).to_have_count(2)

    page.get_by_role("button", name="Close tab").click()
    expect(page.get_by_role("dialog")).to_contain_text("2 shells")
    page.get_by_role("button", name="close tab", exact=True).click()
    until(page, lambda: tabs(three_tabs), ["a", "b"])
    open_terminal(page, "2")
    run(page, "Close the tab")

    until(page, lambda: tabs(three_tabs), ["a"])
