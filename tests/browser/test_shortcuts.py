"""Single keys: whose they are while something else is open, has the focus, or is held down."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import contents, until
from tests.support.live import LiveServer

DIALOGS = {"?": "Keys", "b": "What rang", "Control+k": "Find", "l": "Start Luxe"}


def ask(live: LiveServer) -> None:
    """Let a blocked agent ask for one key, which its screen does not show."""
    command = r"stty -icanon -echo; printf 'Apply? [y/n] '; cat > got"
    live.call("pane.run", {"pane": "1", "command": command})
    live.wait_text("1", "Apply? [y/n] ")
    live.call(
        "agent.report", {"pane": "1", "source": "test", "agent": "claude", "status": "blocked"}
    )


def given(page: Page, live: LiveServer) -> bytes:
    """Return what the agent got, once a key that is sent now has arrived behind it."""
    live.call("pane.send_input", {"pane": "1", "text": "."})
    got = live.folder / "got"
    until(page, lambda: contents(got).endswith(b"."), True)
    return contents(got)


@pytest.mark.parametrize(("key", "name"), DIALOGS.items())
def test_a_dialog_is_closed_by_a_press_beside_it(page: Page, key: str, name: str) -> None:
    page.keyboard.press(key)
    dialog = page.get_by_role("dialog", name=name)
    expect(dialog).to_be_visible()
    box = dialog.bounding_box()
    assert box is not None

    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + 4)
    expect(dialog).to_be_visible()
    page.mouse.click(4, 790)

    expect(dialog).to_have_count(0)


def test_no_key_reaches_what_stands_below_an_open_dialog(page: Page, live: LiveServer) -> None:
    ask(live)
    page.keyboard.press(" ")
    expect(page.locator(".agents tr.peek")).to_contain_text("Apply?")
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="Keys")

    dialog.get_by_role("heading").click()
    for key in ("y", "1", "x", "p", "g", "a", "l", "b", "Enter"):
        page.keyboard.press(key)

    expect(dialog).to_be_visible()
    expect(page.get_by_role("dialog")).to_have_count(1)
    assert page.url.endswith("/")
    assert given(page, live) == b"."


def test_a_key_that_is_held_down_answers_once(page: Page, live: LiveServer) -> None:
    ask(live)
    page.keyboard.press(" ")
    expect(page.locator(".agents tr.peek")).to_contain_text("Apply?")

    for _ in range(5):
        page.keyboard.down("y")
    page.keyboard.up("y")
    until(page, lambda: contents(live.folder / "got")[:1], b"y")

    assert given(page, live) == b"y."


def test_what_scrolls_by_keys_has_them_while_it_has_the_focus(page: Page, live: LiveServer) -> None:
    live.call("tab.new")
    rows = page.locator(".agents tbody tr:not(.peek)")
    expect(rows).to_have_count(2)
    page.keyboard.press(" ")
    screen = page.locator(".agents tr.peek pre")
    screen.focus()

    for key in ("ArrowDown", "PageDown", " "):
        page.keyboard.press(key)

    expect(screen).to_be_visible()
    expect(rows.first).to_have_attribute("aria-selected", "true")
    page.keyboard.press("j")
    expect(rows.nth(1)).to_have_attribute("aria-selected", "true")
