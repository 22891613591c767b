"""Cheap reads: `ping` and the text of a screen, over each way in, alone and 32 at once."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from time import perf_counter_ns

from tests.bench.closed_loop import Dialogue, alone, together
from tests.bench.figures import Figure, Target, percentile
from tests.bench.rivals import Rivals, rivals
from tests.bench.tmux import Tmux, lent

ROUNDS = 4
ALONE = 400
TOGETHER = 1200
CROWD = 32
PROCESSES = 15
LINES = 24
PING_P50_MS = 0.5

_PING = "display-message -p ok"
_CAPTURE = f"capture-pane -p -t %0 -S {40 - LINES}"

Measure = Callable[[], list[float]]


@dataclass(frozen=True, slots=True)
class _Way:
    name: str
    ours: Callable[[], Dialogue]
    question: str
    """What tmux is asked in control mode."""


def measure() -> Iterator[Figure]:
    """Measure `ping` and the capture of 24 lines, ours and tmux's in turns."""
    with rivals() as pair:
        pair.live.call("pane.run", {"pane": "1", "command": f"seq {LINES * 3}"})
        pair.tmux.run("send-keys", "-t", "%0", f"seq {LINES * 3}", "Enter")
        pair.live.wait_text("1", f"\n{LINES * 3}\n")
        for way in _ways(pair):
            yield from _alone(pair, way)
            yield from _together(pair, way)
        yield from _by_process(pair.tmux)


def _ways(pair: Rivals) -> Iterator[_Way]:
    method, params = pair.capturing("1", LINES)
    yield _Way("ping, newline JSON", pair.newline("ping").dialogue, _PING)
    yield _Way("ping, HTTP kept alive", pair.http("ping").dialogue, _PING)
    yield _Way(f"{method}, newline JSON", pair.newline(method, params).dialogue, _CAPTURE)
    yield _Way(f"{method}, HTTP kept alive", pair.http(method, params).dialogue, _CAPTURE)


def _alone(pair: Rivals, way: _Way) -> Iterator[Figure]:
    with pair.tmux.control() as control:
        control.asking(way.question)
        ours, theirs = _turns(lambda: alone(way.ours(), ALONE), lambda: control.times(ALONE))
    wanted = Target(PING_P50_MS) if way.name.startswith("ping, newline") else None
    yield _figure(f"{way.name}, p50", ours, theirs, 0.5, wanted)
    yield _figure(f"{way.name}, p99", ours, theirs, 0.99)


def _together(pair: Rivals, way: _Way) -> Iterator[Figure]:
    with ExitStack() as stack:
        controls = [
            stack.enter_context(pair.tmux.control()).asking(way.question) for _ in range(CROWD)
        ]
        ours, theirs = _turns(
            lambda: together(way.ours, CROWD, TOGETHER),
            lambda: together(lent(controls), CROWD, TOGETHER),
        )
    yield _figure(f"{way.name}, {CROWD} clients, p50", ours, theirs, 0.5)
    yield _figure(f"{way.name}, {CROWD} clients, p99", ours, theirs, 0.99)


def _turns(*measures: Measure) -> list[list[float]]:
    found: list[list[float]] = [[] for _ in measures]
    for _ in range(ROUNDS):
        for times, each in zip(found, measures, strict=True):
            times.extend(each())
    return found


def _figure(
    name: str, ours: list[float], theirs: list[float], share: float, target: Target | None = None
) -> Figure:
    return Figure(name, percentile(ours, share), "ms", percentile(theirs, share), target=target)


def _by_process(tmux: Tmux) -> Iterator[Figure]:
    times: list[float] = []
    for _ in range(PROCESSES):
        began = perf_counter_ns()
        subprocess.run(tmux.command(*_CAPTURE.split()), check=True, capture_output=True)
        times.append((perf_counter_ns() - began) / 1e6)
    note = "tmux only: a process for each read, what scripts do today"
    yield Figure("tmux capture-pane by process, p50", percentile(times, 0.5), "ms", note=note)
