"""The text of 24 lines while more and more panes exist: the curve must stay flat."""

from __future__ import annotations

from collections.abc import Iterator

from tests.bench.closed_loop import alone
from tests.bench.figures import Figure, Target, percentile
from tests.bench.rivals import Rivals, rivals

PANES = (1, 10, 50)
LINES = 24
ROUNDS = 4
CAPTURES = 300
FLAT = 1.5
"""How much slower a capture may be at the most panes than at one."""


def measure() -> Iterator[Figure]:
    """Measure over new connections, and tmux in control mode, in turns."""
    found: list[float] = []
    with rivals() as pair:
        for count in PANES:
            panes = pair.open_panes(count)
            for pane, other in zip(panes, pair.tmux.panes(), strict=True):
                pair.live.call("pane.run", {"pane": pane, "command": "seq 200"})
                pair.tmux.run("send-keys", "-t", other, "seq 200", "Enter")
            for pane in panes:
                pair.live.wait_text(pane, "\n200\n")
            method, ours, theirs = _captures(pair, panes)
            name = f"{method} of {LINES} lines, {count} panes"
            found.append(percentile(ours, 0.5))
            yield Figure(f"{name}, p50", found[-1], "ms", percentile(theirs, 0.5))
            mine, other_p99 = percentile(ours, 0.99), percentile(theirs, 0.99)
            yield Figure(f"{name}, p99", mine, "ms", other_p99)
    yield Figure(
        "capture at 50 panes over capture at 1", found[-1] / found[0], "x", target=Target(FLAT)
    )


def _captures(pair: Rivals, panes: list[str]) -> tuple[str, list[float], list[float]]:
    ours: list[float] = []
    theirs: list[float] = []
    asked = [pair.capturing(pane, LINES) for pane in (panes[0], panes[len(panes) // 2], panes[-1])]
    with pair.tmux.control() as control:
        control.asking(f"capture-pane -p -t %0 -S {40 - LINES}")
        for _ in range(ROUNDS):
            for method, params in asked:
                ours += alone(pair.newline(method, params).dialogue(), CAPTURES // len(asked))
            theirs += control.times(CAPTURES)
    return asked[0][0], ours, theirs
