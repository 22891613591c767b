"""Makes the pictures of Mission Control that are looked at: a real server with scripted agents.

`python -m tests.browser.screenshots FOLDER` writes each place at three widths, light and dark, and
the states in which there is little to see. What agents used in the last hour is made up, because
nobody waits an hour for a picture; everything else is what the server says.
"""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Literal

from playwright.sync_api import Browser, Page, Route, sync_playwright

from scripts.build_pages import build, fresh
from tests.browser.conftest import CHROMIUM, FLAGS, WAIT_MS, free_port, log_in
from tests.integration.agents.conftest import Crew, crew_in
from tests.support.live import REPOSITORY

SIZES = ((360, 740), (1280, 800), (2560, 1440))
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
MINUTES = 60


def main(folder: str) -> None:
    """Write all pictures into a folder."""
    if not fresh(REPOSITORY):
        build(REPOSITORY)
    out = Path(folder)
    out.mkdir(parents=True, exist_ok=True)
    home = Path(tempfile.mkdtemp(prefix="lv-", dir="/tmp")).resolve()
    crew = crew_in(home)
    try:
        crew.call("web.start", {"port": free_port()})
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=CHROMIUM, headless=True, args=FLAGS
            )
            empty(browser, crew, out)
            pane = scene(crew)
            for width, height in SIZES:
                for scheme in SCHEMES:
                    shoot(browser, crew, out, pane, (width, height), scheme)
            lost(browser, crew, out)
            browser.close()
    finally:
        crew.server.stop()
        shutil.rmtree(home, ignore_errors=True)


def scene(crew: Crew) -> str:
    """Open two workspaces with agents in every state and return the pane of the blocked one."""
    for name, branch in (("api-service", "fix-login"), ("web", "nav")):
        project = crew.server.home / name
        project.mkdir()
        for words in (("init", "-q", "-b", branch), ("commit", "-q", "--allow-empty", "-m", "x")):
            who = ("-c", "user.name=me", "-c", "user.email=me@example.com")
            subprocess.run(["git", *who, *words], cwd=project, check=True)
        crew.call("workspace.open", {"path": str(project), "focus": True})
    blocked = crew.start("reviewer", "claude")
    crew.call("pane.run", {"pane": blocked, "command": "title ✳ Fix the login of new customers"})
    use(crew, blocked, "claude", 1_200_000, 0.84)
    for name, agent, status, tokens, cost in (
        ("builder", "codex", "working", 310_000, 0.21),
        ("docs", "kimi", "done", 88_000, 0.05),
        ("spare", "grok", "idle", 12_000, None),
    ):
        pane = split(crew, name)
        report(crew, pane, agent, status)
        use(crew, pane, agent, tokens, cost)
        report(crew, pane, agent, status)
    failing = split(crew, "nightly")
    use(crew, failing, "pi", 45_000, 0.12)
    report(crew, failing, "pi", "working")
    crash = "printf 'Error: out of memory while indexing\\n'; exit 3"
    crew.call("pane.run", {"pane": failing, "command": crash})
    crew.call("config.patch", {"patch": {"mission_budget": 5}})
    crew.call("agent.prompt", {"target": blocked, "text": "ask"})
    crew.wait(blocked, "blocked")
    return blocked


def split(crew: Crew, name: str) -> str:
    """Open a pane with an alias."""
    crew.call("tab.new")
    pane = str(crew.call("pane.current")["pane"])
    crew.call("agent.name", {"pane": pane, "name": name})
    return pane


def report(crew: Crew, pane: str, agent: str, status: str) -> None:
    """Let an integration say how an agent is doing."""
    said = {"pane": pane, "source": "picture", "agent": agent, "status": status}
    crew.call("agent.report", said)


def use(crew: Crew, pane: str, agent: str, tokens: int, cost: float | None) -> None:
    """Let an integration say what an agent used."""
    none = dict.fromkeys(("tokens_out", "cache_read", "cache_write"), 0)
    usage = {**none, "tokens_in": tokens, "cost": cost, "updated_at": 1}
    session = {"pane": pane, "agent": agent, "session_id": f"s-{pane}", "usage": usage}
    crew.call("pane.report_session", session)


def shoot(
    browser: Browser,
    crew: Crew,
    out: Path,
    pane: str,
    size: tuple[int, int],
    scheme: Literal["light", "dark"],
) -> None:
    """Take every place at one size in one scheme."""
    page = open_page(browser, crew, size, scheme)
    end = f"{size[0]}-{scheme}.png"
    page.wait_for_selector(".attention li pre")
    page.wait_for_selector(".spark, .chart", state="attached")
    page.wait_for_timeout(600)
    page.screenshot(path=out / f"overview-{end}")
    page.keyboard.press("Space")
    page.wait_for_selector(".agents tr.peek pre")
    page.wait_for_timeout(400)
    page.screenshot(path=out / f"peek-{end}", full_page=True)
    page.keyboard.press("Space")
    signal = r"printf '\a\033]777;notify;Build;all green\007'"
    crew.call("pane.run", {"pane": "1", "command": signal})
    page.wait_for_selector(".bell .count")
    page.keyboard.press("g")
    page.keyboard.press("a")
    page.wait_for_selector(".timeline li")
    page.wait_for_timeout(400)
    page.screenshot(path=out / f"activity-{end}")
    page.keyboard.press("b")
    page.wait_for_selector("dialog.rings li")
    page.screenshot(path=out / f"rings-{end}")
    page.keyboard.press("Escape")
    page.keyboard.press("Control+k")
    page.wait_for_selector("dialog.palette li")
    page.screenshot(path=out / f"palette-{end}")
    page.keyboard.press("Escape")
    origin = page.url.rpartition("/")[0]
    page.goto(f"{origin}/terminals/{pane}")
    page.wait_for_selector(".pane:not(.stale)")
    page.wait_for_timeout(600)
    page.screenshot(path=out / f"terminals-{end}")
    page.context.close()


def empty(browser: Browser, crew: Crew, out: Path) -> None:
    """Take the overview before there is any agent."""
    page = open_page(browser, crew, (1280, 800), "light")
    page.wait_for_selector(".empty")
    page.screenshot(path=out / "state-no-agent.png")
    page.context.close()


def lost(browser: Browser, crew: Crew, out: Path) -> None:
    """Take the overview once the server is gone."""
    page = open_page(browser, crew, (1280, 800), "light")
    page.wait_for_selector(".attention li pre")
    page.context.set_offline(True)
    crew.server.kill()
    page.wait_for_selector(".frame.lost")
    page.wait_for_timeout(3_000)
    page.screenshot(path=out / "state-lost.png")
    page.context.close()


def open_page(
    browser: Browser, crew: Crew, size: tuple[int, int], scheme: Literal["light", "dark"]
) -> Page:
    """Log a new browser in."""
    context = browser.new_context(
        viewport={"width": size[0], "height": size[1]}, color_scheme=scheme
    )
    context.set_default_timeout(WAIT_MS)
    page = context.new_page()
    page.route("**/mission.snapshot", with_an_hour)
    log_in(page, crew.server)
    return page


def with_an_hour(route: Route) -> None:
    """Make up what agents used in the last hour."""
    answer = route.fetch()
    found: dict[str, Any] = answer.json()
    for number, row in enumerate(found["rows"], 2):
        if row["history"]:
            last = row["history"][-1]
            chosen = random.Random(number)
            bursts = [chosen.random() ** 6 for _ in range(MINUTES)]
            share = last["tokens"] / 2 / sum(bursts)
            row["history"] = [
                {
                    "minute": last["minute"] - back,
                    "tokens": last["tokens"] - round(share * sum(bursts[:back])),
                }
                for back in range(MINUTES, -1, -1)
            ]
            row["burn_usd_per_hour"] = 0.3 / number
    route.fulfill(response=answer, body=json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1])
