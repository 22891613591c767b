"""Keys and floods in a terminal of the page, beside ttyd and terminado, in turns."""

from __future__ import annotations

import random
import string
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from playwright.sync_api import Browser, Page

from tests.bench.figures import Figure, Target, percentile
from tests.bench.flood import SIZE, write_log
from tests.bench.page_rivals import RIVALS, Site, ours, present
from tests.bench.page_watch import SCRIPT
from tests.bench.rivals import say

ROUNDS = 4
KEYS = 40
KEY_GAPS_MS = (45, 75)
"""Keys fall at any moment of a frame."""
CLICK_EVERY_MS = 150
FLOOD_S = 60.0
"""A flood that takes longer is given up."""
WAIT_MS = 20_000
MIB = 1_048_576
BELOW = Target(1.0, "ratio")


@dataclass
class Shown:
    """A page, and what was measured in it."""

    page: Page
    keys: list[float] = field(default_factory=list[float])
    gaps: list[float] = field(default_factory=list[float])
    clicks: list[float] = field(default_factory=list[float])
    took: float | None = None
    heap: float = 0
    kept: float = 0


def measure(browser: Browser) -> Iterator[Figure]:
    """Measure typing first, then the flood."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="lvb-", dir="/tmp")))
        shown: dict[str, Shown] = {}
        for made in (ours, *(RIVALS[name] for name in present())):
            site = stack.enter_context(made())
            shown[site.name] = Shown(opened(browser, site))
        for number in range(ROUNDS):
            for one in shown.values():
                one.page.bring_to_front()
                _type(one, number)
        for one in shown.values():
            _leave_cat(one.page)
        mine, *others = shown.values()
        yield from _typing(mine, dict(zip(list(shown)[1:], others, strict=True)))
        path = folder / "log"
        write_log(path, coloured=False)
        for name, one in shown.items():
            say(f"page: flood in {name}")
            one.page.bring_to_front()
            _flood(one, path)
        yield from _flooded(mine, dict(zip(list(shown)[1:], others, strict=True)))


def opened(browser: Browser, site: Site) -> Page:
    """Show the terminal of a site in a profile of its own and wait for its prompt."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    context.set_default_timeout(WAIT_MS)
    page = context.new_page()
    page.add_init_script(SCRIPT)
    page.goto(site.link)
    if site.terminal is not None:
        page.wait_for_selector(".agents tbody tr")
        page.goto("/".join(page.url.split("/")[:3]) + site.terminal)
    page.wait_for_selector(".xterm-rows")
    page.evaluate("__bench.until(() => __bench.shown().includes('$'))")
    page.click(".xterm-screen")
    page.keyboard.type("cat > /dev/null\n")
    return page


def _type(one: Shown, seed: int) -> None:
    chance = random.Random(seed)
    keys = "".join(chance.choices(string.ascii_lowercase, k=KEYS))
    one.page.evaluate("keys => __bench.expect(keys)", keys)
    for key in keys:
        one.page.keyboard.press(key)
        one.page.wait_for_timeout(chance.uniform(*KEY_GAPS_MS))
    one.page.evaluate(f"__bench.until(() => __bench.seen.filter(Boolean).length === {KEYS})")
    one.keys += one.page.evaluate("__bench.seen.map((at, n) => at - __bench.keys[n])")
    one.page.evaluate("__bench.expect('')")
    one.page.keyboard.press("Enter")


def _leave_cat(page: Page) -> None:
    page.keyboard.press("Control+c")
    page.evaluate("__bench.button()")


def _flood(one: Shown, path: Path) -> None:
    page = one.page
    session = page.context.new_cdp_session(page)
    page.click(".xterm-screen")
    page.keyboard.type(f"clear; cat {path}; echo over''done")
    page.evaluate("__bench.flood('overdone')")
    page.keyboard.press("Enter")
    limit = time.monotonic() + FLOOD_S
    while time.monotonic() < limit and not page.evaluate("__bench.over"):
        page.click("#bench")
        page.wait_for_timeout(CLICK_EVERY_MS)
    if page.evaluate("__bench.over"):
        one.took = page.evaluate("__bench.took()") / 1000
    one.gaps = page.evaluate("__bench.gaps")
    one.clicks = page.evaluate("__bench.clicks")
    one.heap = page.evaluate("__bench.heap") / MIB
    session.send("HeapProfiler.collectGarbage")
    session.send("Performance.enable")
    metrics = session.send("Performance.getMetrics")["metrics"]
    one.kept = next(each["value"] for each in metrics if each["name"] == "JSHeapUsedSize") / MIB


def _typing(mine: Shown, others: dict[str, Shown]) -> Iterator[Figure]:
    for name, other in others.items():
        for share in (0.5, 0.95):
            value, peer = percentile(mine.keys, share), percentile(other.keys, share)
            shown = f"page key to glyph, p{share * 100:.0f}, beside {name}"
            yield Figure(shown, value, "ms", peer)
    if not others:
        for share in (0.5, 0.95):
            shown = f"page key to glyph, p{share * 100:.0f}"
            yield Figure(shown, percentile(mine.keys, share), "ms")


def _flooded(mine: Shown, others: dict[str, Shown]) -> Iterator[Figure]:
    yield Figure("page flood of 50 MB: heap kept after it", mine.kept, "MiB")
    for name, other in others.items():
        beside = f", beside {name}"
        if mine.took is not None:
            theirs = None if other.took is None else SIZE / 1e6 / other.took
            note = "" if theirs else f"{name} was not done after {FLOOD_S:.0f} s"
            speed = SIZE / 1e6 / mine.took
            yield Figure(f"page flood of 50 MB{beside}", speed, "MB/s", theirs, "higher", note=note)
        rates = [1000 / (sum(each.gaps) / len(each.gaps)) for each in (mine, other)]
        yield Figure(f"page frames a second meanwhile{beside}", *_pair(rates), "higher")
        worst = [max(each.gaps) for each in (mine, other)]
        yield Figure(f"page longest frame meanwhile{beside}", worst[0], "ms", worst[1])
        clicks = [percentile(each.clicks, 0.95) for each in (mine, other)]
        note = f"p50 {median(mine.clicks):.0f} and {median(other.clicks):.0f} ms"
        yield Figure(
            f"page click answered meanwhile, p95{beside}", clicks[0], "ms", clicks[1], note=note
        )
        yield Figure(f"page most heap meanwhile{beside}", mine.heap, "MiB", other.heap)


def _pair(rates: list[float]) -> tuple[float, str, float]:
    return rates[0], "/s", rates[1]
