"""From a submitted line to its text on the screen, and the acknowledgement of typed text."""

from __future__ import annotations

import itertools
import json
import socket
from collections.abc import Iterator
from time import perf_counter_ns

from tests.bench.closed_loop import alone
from tests.bench.figures import Figure, Target, percentile
from tests.bench.rivals import Rivals, rivals
from tests.bench.tmux import Control
from tests.support.live import LineStream

PANES = (1, 10, 50)
ROUNDS = 5
SUBMITS = 40
TYPED = 300
VISIBLE_P95_MS = 10.0


def measure() -> Iterator[Figure]:
    """Measure at 1, 10 and 50 panes; `cat` runs in each and repeats what it is told."""
    with rivals() as pair:
        started = 0
        for count in PANES:
            panes = pair.open_panes(count)
            theirs = pair.tmux.panes()
            for ours, other in zip(panes[started:], theirs[started:], strict=True):
                pair.live.call("pane.run", {"pane": ours, "command": "cat"})
                pair.tmux.run("send-keys", "-t", other, "cat", "Enter")
            started = count
            yield from _submit(pair, panes, theirs)
        yield from _type(pair)


def _submit(pair: Rivals, panes: list[str], theirs: list[str]) -> Iterator[Figure]:
    numbers = itertools.count(1_000_000 * len(panes))
    ours: list[float] = []
    other: list[float] = []
    with pair.tmux.control(output=True) as control:
        for _ in range(ROUNDS):
            for turn in range(SUBMITS):
                pane = panes[turn % len(panes)]
                ours.append(_visible_here(pair, pane, f"mark{next(numbers)}"))
            for turn in range(SUBMITS):
                pane = theirs[turn % len(theirs)]
                other.append(_visible_in_tmux(control, pane, f"mark{next(numbers)}"))
    name = f"submit to visible, {len(panes)} panes"
    for share, target in ((0.5, None), (0.95, Target(VISIBLE_P95_MS))):
        shown = f"{name}, p{share * 100:.0f}"
        mine, peer = percentile(ours, share), percentile(other, share)
        yield Figure(shown, mine, "ms", peer, target=target)


def _visible_here(pair: Rivals, pane: str, mark: str) -> float:
    with pair.live.connect() as waiting, pair.live.connect() as sending:
        _send(waiting, "wait.output", {"pane": pane, "match": mark, "timeout_s": 10})
        began = perf_counter_ns()
        _send(sending, "pane.run", {"pane": pane, "command": mark})
        found = LineStream(waiting).line()
        took = (perf_counter_ns() - began) / 1e6
        assert found is not None
        assert found["result"]["matched"], found
        return took


def _visible_in_tmux(control: Control, pane: str, mark: str) -> float:
    began = perf_counter_ns()
    control.send(f"send-keys -t {pane} {mark} Enter")
    control.until(mark.encode())
    return (perf_counter_ns() - began) / 1e6


def _send(sock: socket.socket, method: str, params: dict[str, object]) -> None:
    sock.sendall(json.dumps({"id": "b", "method": method, "params": params}).encode() + b"\n")


def _type(pair: Rivals) -> Iterator[Figure]:
    ours: list[float] = []
    theirs: list[float] = []
    typing = pair.newline("pane.send_input", {"pane": "1", "text": "x"})
    with pair.tmux.control() as control:
        for _ in range(ROUNDS):
            ours += alone(typing.dialogue(), TYPED // ROUNDS)
            for _ in range(TYPED // ROUNDS):
                began = perf_counter_ns()
                control.command("send-keys -t %0 -l x")
                theirs.append((perf_counter_ns() - began) / 1e6)
    for share in (0.5, 0.99):
        name = f"typing acknowledged, p{share * 100:.0f}"
        yield Figure(name, percentile(ours, share), "ms", percentile(theirs, share))
