"""A read-only browser: every control of every place is tried, and none of them changes anything."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, Request, WebSocket, expect

from luvus_service.rpc.scopes import Access
from luvus_service.uhp.catalogue import catalogue
from tests.browser.conftest import log_in
from tests.support.browsers import Visitor
from tests.support.live import LiveServer

WRITING = {m.name for m in catalogue().methods.values() if m.access is Access.WRITE}
CONTROLS = "button, a, input, select, textarea, [role=separator], [draggable=true], [tabindex='0']"
PLACES = {
    "": ".attention li, .agents tbody tr",
    "terminals/1": ".pane:not(.stale) .xterm-screen",
    "activity": ".attention li, .filters",
    "luxe/": ".talk .controls select",
}
"""Each place, and what is there once it is drawn."""
KEYS = (
    *("j", "Enter", "k", " ", "p", "y", "n", "1", "2", "Escape", "Delete", "F2", "?"),
    *("ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"),
)


class Wire:
    """What a page has asked the server for."""

    def __init__(self, page: Page) -> None:
        self.writes: list[str] = []
        self.lines: list[str] = []
        self.calls: set[str] = set()
        page.on("request", self._asked)
        page.on("websocket", self._opened)

    def _asked(self, request: Request) -> None:
        self._note(request.url, request.method)

    def _opened(self, socket: WebSocket) -> None:
        self._note(socket.url, "GET")
        socket.on("framesent", lambda line: self._sent(str(line)))

    def _note(self, url: str, method: str) -> None:
        name = url.partition("/uhp/v1/")[2]
        self.calls.add(name)
        if name in WRITING or (method != "GET" and not name and not url.endswith("/logout")):
            self.writes.append(url)

    def _sent(self, line: str) -> None:
        # A stream of a method starts with its parameters; one of an agent only ever sends acts.
        if ('"action"' in line and '"ack"' not in line) or '"kind"' in line:
            self.lines.append(line)


@pytest.fixture
def session(live: LiveServer) -> LiveServer:
    """A server with two tabs, a split, an agent that waits for an answer, and a Luxe session."""
    live.call("pane.split")
    live.call("tab.new")
    live.call("tab.focus", {"tab": 1})
    live.call("pane.run", {"pane": "1", "command": "printf 'Apply? [y/n] '; head -c1 > got"})
    live.wait_text("1", "Apply?")
    blocked = {"pane": "1", "source": "test", "agent": "claude", "status": "blocked"}
    live.call("agent.report", blocked)
    someone = owner(live)
    assert someone.post("/luxe/v2/sessions", {"cwd": str(live.folder)}).status == 201
    assert someone.post("/logout", {}).status == 200
    return live


def owner(live: LiveServer) -> Visitor:
    """Return somebody who may do everything."""
    answer = live.call("web.start")
    someone = Visitor(answer["url"])
    assert someone.log_in(answer["link"]).status == 200
    return someone


@pytest.fixture
def page(context: BrowserContext, session: LiveServer) -> Iterator[Page]:
    """The dashboard, logged in to look only."""
    page = context.new_page()
    log_in(page, session, read_only=True)
    yield page


def shape(live: LiveServer) -> Any:
    """Return what a control could have changed."""
    workspaces = live.call("session.snapshot")["workspaces"]
    panes = live.call("pane.list", {"all_tabs": True})["panes"]
    layout = live.call("layout.export", {"tab": 1})
    layout.pop("revision")
    return (
        [
            (w["name"], [(t["tab_id"], t["name"], t["active"]) for t in w["tabs"]])
            for w in workspaces
        ],
        sorted((p["pane"], p["focused"]) for p in panes),
        layout,
        live.call("config.get")["config"],
    )


def names(page: Page) -> list[str]:
    """Return the names of all controls that are shown."""
    return [describe(control) for control in page.locator(CONTROLS).all() if control.is_visible()]


def describe(control: Locator) -> str:
    """Return how a person would call a control."""
    return str(
        control.evaluate("e => e.getAttribute('aria-label') || e.textContent.trim() || e.className")
    )


def show(page: Page, live: LiveServer, root: str, place: str) -> None:
    """Open a place and return when all of it is drawn."""
    wanted = PLACES[place]
    if place == "luxe/":
        place += page.evaluate(
            "async () => (await (await fetch('/luxe/v2/sessions')).json()).sessions[0].session_id"
        )
    page.goto(root + place)
    for selector in wanted.split(", "):
        expect(page.locator(selector).first).to_be_visible()
    if place == "activity":
        report = {"pane": "2", "source": "test"}
        live.call("agent.report", {**report, "agent": "codex", "status": "working"})
        live.call("agent.release", report)
        expect(page.locator(".timeline li").first).to_be_visible()


def use(control: Locator) -> None:
    """Do to a control what people do to controls, whatever it is."""
    if not control.is_visible() or not control.is_enabled():
        return
    kind = control.evaluate("e => e.localName + ':' + (e.type || '')")
    if kind in {"input:text", "input:search", "textarea:textarea"}:
        control.press_sequentially("x\n", timeout=2000)
    else:
        control.click(timeout=2000, force=True)
        control.page.keyboard.press("Escape")


@pytest.mark.timeout(180)
@pytest.mark.parametrize("place", PLACES)
def test_no_control_of_a_place_asks_the_server_to_change_anything(
    page: Page, session: LiveServer, place: str
) -> None:
    root = page.url
    before = shape(session)
    wire = Wire(page)
    show(page, session, root, place)
    controls = names(page)
    assert controls

    for number in range(len(controls)):
        show(page, session, root, place)
        control = page.locator(CONTROLS).locator("visible=true").nth(number)
        if control.count() == 1:
            use(control)
            for dialog in page.locator("dialog[open] button").all():
                use(dialog)

    assert (wire.writes, wire.lines) == ([], [])
    assert shape(session) == before


@pytest.mark.parametrize("place", PLACES)
def test_no_key_of_a_place_asks_the_server_to_change_anything(
    page: Page, session: LiveServer, place: str
) -> None:
    before = shape(session)
    wire = Wire(page)
    show(page, session, page.url, place)

    for key in KEYS:
        page.keyboard.press(key)
    page.keyboard.type("touch typed\n")

    assert (wire.writes, wire.lines) == ([], [])
    assert shape(session) == before
    assert not (session.folder / "got").read_bytes()


@pytest.mark.timeout(180)
def test_the_palette_offers_nothing_that_changes_anything(page: Page, session: LiveServer) -> None:
    root = page.url
    page.goto(root + "terminals/1")
    page.wait_for_selector(".pane:not(.stale)")
    wire = Wire(page)

    tried: set[str] = set()
    for query in ("", "pane", "tab"):
        for label in find(page, query):
            # Logging out is everybody's right, and the end of this test.
            if label in tried or label == "Log out":
                continue
            tried.add(label)
            if "/terminals/1" not in page.url:
                page.goto(root + "terminals/1")
                page.wait_for_selector(".pane:not(.stale)")
            assert label not in WRITING
            if find(page, label):
                page.keyboard.press("Enter")
                page.wait_for_selector("dialog.palette", state="detached")
                if label == "Keys":
                    page.get_by_role("dialog", name="Keys").press("Escape")
                page.wait_for_selector("dialog[open]", state="detached")

    assert (wire.writes, wire.lines) == ([], [])


def find(page: Page, query: str) -> list[str]:
    """Leave the terminal, look for something in the palette and return what is found."""
    if page.locator("dialog[open]").count() == 0:
        page.keyboard.press("Control+.")
    page.get_by_role("combobox").fill(query)
    expect(page.get_by_role("combobox")).to_have_value(query)
    return page.get_by_role("option").locator("span:first-child").all_text_contents()


def test_what_a_read_only_page_hides_is_there_for_a_browser_that_may_act(
    page: Page, session: LiveServer, context: BrowserContext
) -> None:
    page.goto(page.url + "terminals/1")
    page.wait_for_selector(".pane:not(.stale)")
    seen = set(names(page))
    browser = context.browser
    assert browser is not None
    other = browser.new_context()
    acting = other.new_page()
    log_in(acting, session)
    acting.goto(acting.url + "terminals/1")
    acting.wait_for_selector(".pane:not(.stale)")

    assert seen < set(names(acting))
    hidden = set(names(acting)) - seen
    assert {"New tab", "Close tab", "Zoom", "Split to the right", "Close"} <= hidden
    other.close()
