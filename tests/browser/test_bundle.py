"""What the pages weigh, as they are sent: a page that grows past these is no quick page."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

from playwright.sync_api import Browser

from scripts.build_pages import BUILT
from tests.support.live import REPOSITORY

WHOLE_KB = 300.0
FIRST_KB = 90.0
PAGES = REPOSITORY / BUILT


def packed_kb(path: Path) -> float:
    """Return what a file weighs on the wire; fonts are packed as they are."""
    body = path.read_bytes()
    return len(body if path.suffix == ".woff2" else gzip.compress(body, 6)) / 1000


def test_everything_that_a_page_can_load_stays_under_its_weight(chromium: Browser) -> None:
    files = {
        path.name: packed_kb(path)
        for path in PAGES.rglob("*")
        if path.is_file() and not path.name.startswith(".")
    }

    assert sum(files.values()) < WHOLE_KB, sorted(files.items(), key=lambda one: -one[1])


def test_the_first_page_loads_little_and_neither_terminals_nor_sessions(chromium: Browser) -> None:
    html = (PAGES / "index.html").read_text()
    asked = re.findall(r'(?:src|href)="/([^"]+)"', html)

    weight = packed_kb(PAGES / "index.html") + sum(packed_kb(PAGES / name) for name in asked)

    assert weight < FIRST_KB, asked
    assert not [name for name in asked if "terminals" in name or "view-" in name]
