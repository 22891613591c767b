"""Terminals in the page: live, sized, shared, flooded, and found again after a restart."""

from __future__ import annotations

from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.conftest import contents, log_in, open_terminal, until
from tests.support.live import LiveServer

ROWS = ".xterm-accessibility-tree, .xterm-rows"


def test_what_is_typed_reaches_the_program_once(page: Page, live: LiveServer) -> None:
    open_terminal(page)

    page.keyboard.type("echo ty''ped; exec cat > typed\n")
    live.wait_text("1", "typed")
    page.keyboard.type("héllo 日本\n")
    page.keyboard.press("Control+d")
    page.wait_for_selector(".empty, .pane:not(.stale)")

    wait_for_file(page, live, "typed", "héllo 日本\n")


def test_device_queries_are_answered_by_nobody_but_the_server(page: Page, live: LiveServer) -> None:
    open_terminal(page)

    page.keyboard.type("stty -echo; printf '\\033[c\\033[6n\\033[>c'; sleep 1; cat -v > seen &\n")
    page.keyboard.type("timeout 2 cat > seen; stty echo; echo d''one\n")
    live.wait_text("1", "done")

    assert (live.folder / "seen").read_bytes().count(b"R") <= 1


def test_a_split_is_drawn_as_the_session_has_it(page: Page, live: LiveServer) -> None:
    open_terminal(page)

    page.get_by_role("button", name="Split to the right").click()
    expect(page.locator(".pane")).to_have_count(2)
    first, second = page.locator(".pane").all()
    a, b = first.bounding_box(), second.bounding_box()

    assert a is not None
    assert b is not None
    assert b["x"] > a["x"] + a["width"] - 1
    assert abs(a["y"] - b["y"]) < 1
    assert len(live.call("pane.list")["panes"]) == 2


def test_many_small_panes_fit_into_the_window_however_long_their_titles_are(
    page: Page, live: LiveServer
) -> None:
    for _ in range(3):
        live.call("pane.split", {"direction": "right"})
    open_terminal(page)
    expect(page.locator(".pane")).to_have_count(4)

    # The window's size reaches the terminals by way of the server.
    page.wait_for_function(
        """() => { const desk = document.querySelector(".desk");
        const filled = document.querySelector(".split").getBoundingClientRect().width;
        return desk.scrollWidth <= desk.clientWidth && filled > desk.clientWidth - 40; }"""
    )
    for title in page.locator(".pane > header").all():
        expect(title.get_by_role("button", name="Close")).to_be_in_viewport()


def test_the_window_decides_the_size_while_it_is_looked_at(page: Page, live: LiveServer) -> None:
    open_terminal(page)
    wait_wide(page)
    page.keyboard.type("stty size > wide\n")
    wait_for_file(page, live, "wide", None)

    page.goto(page.url.split("/terminals")[0] + "/activity")
    page.wait_for_selector(".filters")
    live.call("pane.run", {"pane": "1", "command": "sleep 0.3; stty size > back"})
    wait_for_file(page, live, "back", "40 120\n")

    wide = (live.folder / "wide").read_text().split()
    assert int(wide[1]) > 120


def test_a_second_browser_does_not_resize_the_first_one_s_terminal(
    page: Page, live: LiveServer, context: BrowserContext
) -> None:
    open_terminal(page)
    wait_wide(page)
    before = page.locator(".pane").bounding_box()
    browser = context.browser
    assert browser is not None
    small = browser.new_context(viewport={"width": 720, "height": 500})
    other = small.new_page()
    log_in(other, live)

    open_terminal(other)

    expect(other.get_by_text("by another window")).to_be_visible()
    assert page.locator(".pane").bounding_box() == before
    small.close()


def test_a_server_that_is_killed_is_found_again_with_its_panes(
    page: Page, live: LiveServer
) -> None:
    open_terminal(page)
    page.keyboard.type("echo be''fore\n")
    live.wait_text("1", "before")

    live.kill()
    live.start()
    expect(page.get_by_role("status")).to_have_text("● live")
    page.wait_for_selector(".pane:not(.stale)")
    page.keyboard.type("echo af''ter\n")

    live.wait_text("1", "after")


def test_a_read_only_browser_sees_the_output_and_types_nothing(
    context: BrowserContext, live: LiveServer
) -> None:
    page = context.new_page()
    log_in(page, live, read_only=True)
    page.goto(page.url + "terminals/1")
    page.wait_for_selector(".pane:not(.stale)")

    page.locator(".xterm-screen").click()
    page.keyboard.type("touch typed\n")
    live.call("pane.run", {"pane": "1", "command": "echo d''one"})
    live.wait_text("1", "done")

    assert not (live.folder / "typed").exists()
    expect(page.get_by_role("button", name="Close")).to_have_count(0)


def wait_for_file(page: Page, live: LiveServer, name: str, content: str | None) -> None:
    """Return when a file in the server's folder has this content, or any."""
    path = live.folder / name
    if content is None:
        until(page, lambda: contents(path) != b"", True)
    else:
        until(page, lambda: contents(path).decode(), content)


def wait_wide(page: Page) -> None:
    """Return when the terminal has taken the width of the window."""
    page.wait_for_function("document.querySelector('.pane').getBoundingClientRect().width > 900")
