"""Eight observe streams on a pane that pours output: frames delivered, and `ping` meanwhile."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

from tests.bench.closed_loop import alone
from tests.bench.figures import Figure, Target, percentile
from tests.bench.rivals import Rivals, rivals
from tests.support.live import LineStream

OBSERVERS = 8
SECONDS = 5.0
PING_EVERY_S = 0.005
PING_P99_MS = 20.0


def measure() -> Iterator[Figure]:
    """Let `yes` run in a pane and follow it."""
    with rivals() as pair:
        if not pair.offers("terminal.backend.observe"):
            return
        frames: list[int] = []
        threads = [threading.Thread(target=_observe, args=(pair, frames)) for _ in range(OBSERVERS)]
        for thread in threads:
            thread.start()
        pair.live.call("pane.run", {"pane": "1", "command": "yes 'a line of a flood'"})
        pings: list[float] = []
        pause, deadline = threading.Event(), time.monotonic() + SECONDS
        while time.monotonic() < deadline:
            pings += alone(pair.newline("ping").dialogue(), 1)
            pause.wait(PING_EVERY_S)
        pair.live.call("pane.send_input", {"pane": "1", "text": "\x03"})
        for thread in threads:
            thread.join()
    name = f"{OBSERVERS} observers of a flood"
    rate = sum(frames) / SECONDS
    yield Figure(f"{name}: frames", rate, "a second", better="higher", note="all together")
    p99 = percentile(pings, 0.99)
    yield Figure(f"{name}: ping meanwhile, p99", p99, "ms", target=Target(PING_P99_MS))


def _observe(pair: Rivals, counts: list[int]) -> None:
    (locator,) = pair.locators()
    frames = 0
    deadline = time.monotonic() + SECONDS
    with pair.live.stream("terminal.backend.observe", {**locator, "lines": 40}) as stream:
        _first(stream)
        while time.monotonic() < deadline and stream.line() is not None:
            frames += 1
    counts.append(frames)


def _first(stream: LineStream) -> None:
    answer = stream.line()
    assert answer is not None
    assert "result" in answer, answer
