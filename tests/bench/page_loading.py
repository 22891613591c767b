"""What loading the page takes: bytes on the wire, and the time to its first paint."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

from playwright.sync_api import Browser, Page

from scripts.build_pages import BUILT
from tests.bench.figures import Figure, Target
from tests.bench.page_rivals import ours
from tests.support.live import REPOSITORY

LOADS = 7
PAINT_MS = 300.0
BUNDLE_KB = 300.0

PAINTED = """() => new Promise((done) => {
  const find = () => {
    const paint = performance.getEntriesByName("first-contentful-paint")[0]
    if (paint) done(paint.startTime); else setTimeout(find, 10)
  }
  find()
})"""
LOADED = """() => performance.getEntriesByType("resource").map((each) => ({
  name: new URL(each.name).pathname, bytes: each.encodedBodySize
})).concat(performance.getEntriesByType("navigation").map((each) => ({
  name: "/", bytes: each.encodedBodySize
})))"""


def measure(browser: Browser) -> Iterator[Figure]:
    """Load the overview with an empty cache, and again with a full one."""
    cold: list[float] = []
    rows: list[float] = []
    warm: list[float] = []
    first: list[dict[str, Any]] = []
    with ours() as site:
        login = browser.new_context()
        page = login.new_page()
        page.goto(site.link)
        page.wait_for_selector(".agents tbody tr")
        root, state = page.url.rpartition("/")[0] + "/", login.storage_state()
        login.close()
        for _ in range(LOADS):
            context = browser.new_context(storage_state=state)
            page = context.new_page()
            page.goto(root)
            cold.append(page.evaluate(PAINTED))
            rows.append(_listed(page))
            first = first or page.evaluate(LOADED)
            page.reload()
            warm.append(page.evaluate(PAINTED))
            context.close()
    bound = Target(PAINT_MS)
    yield Figure("page first paint, empty cache", median(cold), "ms", target=bound)
    yield Figure("page first paint, again", median(warm), "ms", target=bound)
    yield Figure("page all agents listed, empty cache", median(rows), "ms")
    fonts = sum(each["bytes"] for each in first if each["name"].endswith(".woff2"))
    loaded = sum(each["bytes"] for each in first) - fonts
    note = f"and {fonts / 1000:.0f} kB of fonts"
    yield Figure("page bytes of the first page", loaded / 1000, "kB", note=note)
    whole = sum(_packed(path) for path in (REPOSITORY / BUILT).rglob("*"))
    yield Figure("page bytes of all scripts and styles", whole, "kB", target=Target(BUNDLE_KB))


def _listed(page: Page) -> float:
    page.wait_for_selector(".agents tbody tr")
    return float(page.evaluate("performance.now()"))


def _packed(path: Path) -> float:
    if path.suffix not in (".js", ".css", ".html"):
        return 0
    return len(gzip.compress(path.read_bytes(), 6)) / 1000
