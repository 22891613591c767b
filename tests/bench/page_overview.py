"""The overview with many agents: how soon a change is on the screen, and what following costs."""

from __future__ import annotations

import random
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Browser, Page

from tests.bench.figures import Figure, Target, percentile
from tests.bench.page_watch import SCRIPT
from tests.bench.processes import used_seconds
from tests.browser.conftest import free_port, log_in
from tests.integration.agents.conftest import Crew, crew_in
from tests.support.live import LiveServer

AGENTS = 100
CHANGES = 60
PAINT_MS = 50.0
WORKING = 20
WINDOW_S = 10.0
SETTLE_MS = 4000
SHARE = 2.0
STATES = ("working", "blocked", "idle")


def measure(browser: Browser) -> Iterator[Figure]:
    """Measure changes with a hundred agents, and the page's share with twenty that work."""
    home = Path(tempfile.mkdtemp(prefix="lvb-", dir="/tmp")).resolve()
    live = LiveServer(home)
    try:
        live.start()
        yield from _changes(browser, live)
    finally:
        live.stop()
        shutil.rmtree(home, ignore_errors=True)
    home = Path(tempfile.mkdtemp(prefix="lvb-", dir="/tmp")).resolve()
    crew = crew_in(home)
    try:
        yield from _following(browser, crew)
    finally:
        crew.server.stop()
        shutil.rmtree(home, ignore_errors=True)


def _changes(browser: Browser, live: LiveServer) -> Iterator[Figure]:
    for _ in range(AGENTS - 1):
        live.call("tab.new")
    panes = [row["pane"] for row in live.call("pane.list", {"all_tabs": True})["panes"]]
    for pane in panes:
        _report(live, pane, "idle")
        live.call("agent.name", {"pane": pane, "name": _name(pane)})
    page = _overview(browser, live)
    listed = f"document.querySelectorAll('.agents tbody tr').length === {len(panes)}"
    page.evaluate(f"__bench.until(() => {listed})")
    chance = random.Random(7)
    late: list[float] = []
    for number in range(CHANGES):
        pane, state = chance.choice(panes), STATES[number % 2]
        page.evaluate(
            "([pane, state]) => { window.__shown = __bench.await(pane, state) }",
            [_name(pane), state],
        )
        sent = time.time()
        _report(live, pane, state)
        late.append(page.evaluate("window.__shown") - sent * 1000)
        _report(live, pane, "idle")
        page.evaluate("pane => __bench.await(pane, 'idle')", _name(pane))
    page.context.close()
    name = f"page report to paint, {AGENTS} agents"
    target = Target(PAINT_MS)
    yield Figure(f"{name}, p50", percentile(late, 0.5), "ms", target=target)
    yield Figure(f"{name}, p95", percentile(late, 0.95), "ms")


def _name(pane: str) -> str:
    return f"agent-{pane}"


def _report(live: LiveServer, pane: str, state: str) -> None:
    live.call("agent.report", {"pane": pane, "source": "bench", "agent": "claude", "status": state})


def _overview(browser: Browser, live: LiveServer) -> Page:
    live.call("web.start", {"port": free_port()})
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    page = context.new_page()
    page.add_init_script(SCRIPT)
    log_in(page, live)
    return page


def _following(browser: Browser, crew: Crew) -> Iterator[Figure]:
    for number in range(WORKING):
        if number % 4 == 0:
            crew.call("tab.new")
        crew.call("agent.start", {"name": f"a{number}", "kind": "claude", "timeout_s": 30})
    panes = [row["pane"] for row in crew.call("agent.list")["agents"]]
    for pane in panes:
        crew.wait(pane, "idle", "done")
    page = _overview(browser, crew.server)
    renderers = _renderers(browser)
    yield Figure("page at rest, 20 agents", _share(page, renderers), "% of a core")
    for pane in panes:
        crew.call("agent.send", {"target": pane, "text": f"spin {5 * WINDOW_S}"})
    for pane in panes:
        crew.wait(pane, "working")
    share = _share(page, renderers)
    page.context.close()
    yield Figure("page while 20 agents work", share, "% of a core", target=Target(SHARE))


def _renderers(browser: Browser) -> list[int]:
    """Return the processes of pages: of the only one there is, and of the spare for the next."""
    found = browser.new_browser_cdp_session().send("SystemInfo.getProcessInfo")["processInfo"]
    return [int(each["id"]) for each in found if each["type"] == "renderer"]


def _share(page: Page, pids: list[int]) -> float:
    # What went before, loading or a change of all agents, is not what following costs.
    page.wait_for_timeout(SETTLE_MS)
    before = used_seconds(pids)
    page.wait_for_timeout(1000 * WINDOW_S)
    return 100 * (used_seconds(pids) - before) / WINDOW_S
