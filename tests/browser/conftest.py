"""A real headless Chromium, logged in to a real server with real panes."""

from __future__ import annotations

import shutil
import socket
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from time import monotonic
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from scripts.build_pages import build, fresh
from tests.support.live import REPOSITORY, LiveServer

CHROMIUM = "/usr/bin/chromium"
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
WAIT_MS = 10_000
SCREEN = """() => { const rows = document.querySelectorAll('.pane.focused .xterm-rows > div');
    return [...rows].map(row => row.textContent.trimEnd()).join('\\n').trimEnd(); }"""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give every test of this folder the time that a browser takes, and name what it needs."""
    for item in items:
        if "tests/browser" in str(item.path):
            item.add_marker(pytest.mark.needs("chromium"))
            item.add_marker(pytest.mark.timeout(60))
            item.add_marker(pytest.mark.leaves_processes)


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """The browser, shared by a module's tests; each has a profile of its own.

    Not by the whole run: it starts processes at times, for which tests elsewhere would be blamed.
    """
    if not fresh(REPOSITORY):
        build(REPOSITORY)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, headless=True, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def live() -> Iterator[LiveServer]:
    """A running server with one workspace of one plain shell, and the dashboard on."""
    home = Path(tempfile.mkdtemp(prefix="lv-", dir="/tmp")).resolve()
    server = LiveServer(home)
    server.start()
    server.wait_text("1", "$")
    # Of its own: while this server restarts, another test's must not take the usual port.
    server.call("web.start", {"port": free_port()})
    yield server
    server.stop()
    shutil.rmtree(home, ignore_errors=True)


@pytest.fixture
def context(chromium: Browser) -> Iterator[BrowserContext]:
    """A fresh profile."""
    context = chromium.new_context(viewport={"width": 1280, "height": 800})
    context.set_default_timeout(WAIT_MS)
    yield context
    context.close()


@pytest.fixture
def page(context: BrowserContext, live: LiveServer) -> Iterator[Page]:
    """The dashboard, logged in; a fault of a script fails the test."""
    page = context.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda fault: faults.append(str(fault)))
    log_in(page, live)
    yield page
    assert faults == []


def free_port() -> int:
    """Return a port that nobody listens on now."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return int(sock.getsockname()[1])


def log_in(page: Page, live: LiveServer, *, read_only: bool = False) -> None:
    """Use a new login link and wait for the overview."""
    page.goto(live.call("web.start", {"read_only": read_only})["link"])
    page.wait_for_selector(".agents tbody tr")


def until(page: Page, read: Callable[[], Any], wanted: Any) -> None:
    """Return when the server or a file has come to what is wanted: neither can tell a page so."""
    deadline = monotonic() + WAIT_MS / 1000
    while (found := read()) != wanted:
        assert monotonic() < deadline, f"{found!r} instead of {wanted!r}"
        # Plays the page's own events meanwhile, which a plain wait would hold up.
        page.wait_for_timeout(20)


def contents(path: Path) -> bytes:
    """Return what a file holds; nothing when it is not there yet."""
    return path.read_bytes() if path.exists() else b""


def without_webgl(context: BrowserContext) -> None:
    """Draw terminals by the DOM, which can be read."""
    context.add_init_script(
        """HTMLCanvasElement.prototype.getContext = (get => function (kind, ...rest) {
        return kind === 'webgl2' ? null : get.call(this, kind, ...rest);
        })(HTMLCanvasElement.prototype.getContext);"""
    )


def open_terminal(page: Page, pane: str = "1") -> None:
    """Show a pane and wait until it is live."""
    page.goto(page.url.split("/", 3)[0] + "//" + page.url.split("/")[2] + f"/terminals/{pane}")
    page.wait_for_selector(".pane:not(.stale) .xterm-screen")
    expect(page.locator(".xterm-helper-textarea:focus")).to_have_count(1)


def screen_has(page: Page, text: str) -> None:
    """Return when the focused pane's screen, as it is drawn, has a text."""
    page.wait_for_function(f"text => ({SCREEN})().includes(text)", arg=text)
