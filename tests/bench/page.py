"""Our page in a headless Chromium: typing, floods, a hundred agents, and what loading it takes."""

from __future__ import annotations

from collections.abc import Iterator

from playwright.sync_api import Browser, sync_playwright

from scripts.build_pages import build, fresh
from tests.bench import page_loading, page_overview, page_terminals
from tests.bench.figures import Figure
from tests.browser.conftest import CHROMIUM, FLAGS
from tests.support.live import REPOSITORY

EXACT = "--enable-precise-memory-info"
"""Without it the page is told its memory rounded and late."""


def measure() -> Iterator[Figure]:
    """Measure all of it in one browser."""
    if not fresh(REPOSITORY):
        build(REPOSITORY)
    with sync_playwright() as playwright:
        flags = [*FLAGS, EXACT, "--disable-3d-apis"]
        browser = playwright.chromium.launch(executable_path=CHROMIUM, headless=True, args=flags)
        try:
            yield from _parts(browser)
        finally:
            browser.close()


def _parts(browser: Browser) -> Iterator[Figure]:
    yield from page_loading.measure(browser)
    yield from page_terminals.measure(browser)
    yield from page_overview.measure(browser)
