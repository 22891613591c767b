"""A large file through a pane: how fast it is read and emulated, and who can be heard meanwhile."""

from __future__ import annotations

import os
import random
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from tests.bench.closed_loop import Dialogue, alone
from tests.bench.figures import Figure, Target, percentile
from tests.bench.processes import cpu_seconds
from tests.bench.rivals import Rivals, in_turns, rivals
from tests.bench.tmux import Control, lent

SIZE = 50_000_000
ROUNDS = 3
PING_EVERY_S = 0.005
LOOK_EVERY_S = 0.01
PING_P99_MS = 20.0
SPEED = 2.0
READ_BYTES = 65_536


def measure() -> Iterator[Figure]:
    """Measure `cat` of a plain and of a coloured file of 50 MB, in turns with tmux."""
    with rivals() as pair:
        for kind in ("plain", "coloured"):
            path = pair.live.home / kind
            write_log(path, coloured=kind == "coloured")
            yield from _race(pair, path, kind)
            path.unlink()


@dataclass
class _Side:
    """One of the two servers, and what it took."""

    cat: Callable[[], None]
    ping: Callable[[], Dialogue]
    pids: list[int]
    pings: list[float] = field(default_factory=list[float])
    cpu: list[float] = field(default_factory=list[float])

    def run(self) -> float:
        """Show the file once, ask meanwhile, and return megabytes a second."""
        over = threading.Event()

        def ask() -> None:
            while not over.is_set():
                self.pings.extend(alone(self.ping(), 1))
                over.wait(PING_EVERY_S)

        thread = threading.Thread(target=ask)
        thread.start()
        began, before = time.perf_counter(), cpu_seconds(self.pids)
        try:
            self.cat()
            return SIZE / 1e6 / (time.perf_counter() - began)
        finally:
            self.cpu.append(cpu_seconds(self.pids) - before)
            over.set()
            thread.join()


def _race(pair: Rivals, path: Path, kind: str) -> Iterator[Figure]:
    with pair.tmux.control() as runner, pair.tmux.control() as pinger:
        ping = lent([pinger.asking("display-message -p ok")])
        here = _Side(
            lambda: _cat_here(pair, path),
            lambda: pair.newline("ping").dialogue(),
            [pair.live.server_pid()],
        )
        there = _Side(lambda: _cat_in_tmux(runner, path), ping, [pair.tmux.pid()])
        speeds = in_turns(ROUNDS, here.run, there.run, lambda: _read_bare(path))
    target = Target(SPEED, "ratio") if kind == "plain" else None
    name = f"cat of 50 MB, {kind}"
    yield Figure(name, median(speeds[0]), "MB/s", median(speeds[1]), "higher", target)
    # Nothing that has a screen can be faster than this, whatever its target says.
    bare = median(speeds[2])
    yield Figure(f"{name}: only read, by a bare loop", bare, "MB/s", median(speeds[1]), "higher")
    yield Figure(f"{name}: processor time", median(here.cpu), "s", median(there.cpu))
    for share, wanted in ((0.5, None), (0.99, Target(PING_P99_MS))):
        shown = f"{name}: ping meanwhile, p{share * 100:.0f}"
        mine, other = percentile(here.pings, share), percentile(there.pings, share)
        yield Figure(shown, mine, "ms", other, target=wanted)


def _read_bare(path: Path) -> float:
    """Read it from a terminal that has no screen, and return megabytes a second."""
    master, slave = os.openpty()
    began = time.perf_counter()
    with subprocess.Popen(["cat", path], stdin=slave, stdout=slave, stderr=slave):
        os.close(slave)
        # A terminal whose last program has gone is read with an error, not with an end.
        with suppress(OSError):
            while os.read(master, READ_BYTES):
                pass
    took = time.perf_counter() - began
    os.close(master)
    return SIZE / 1e6 / took


def _cat_here(pair: Rivals, path: Path) -> None:
    marker = f"over-{time.monotonic_ns()}"
    command = f"clear; cat {path}; echo {_quoted(marker)}"
    pair.live.call("pane.run", {"pane": "1", "command": command})
    found = pair.live.call("wait.output", {"pane": "1", "match": marker, "timeout_s": 9})
    while not found["matched"]:
        found = pair.live.call("wait.output", {"pane": "1", "match": marker, "timeout_s": 9})


def _cat_in_tmux(control: Control, path: Path) -> None:
    marker = f"over-{time.monotonic_ns()}"
    control.command(f'send-keys -t %0 "clear; cat {path}; echo {_quoted(marker)}" Enter')
    pause = threading.Event()
    while marker.encode() not in control.command("capture-pane -p -t %0"):
        pause.wait(LOOK_EVERY_S)


def _quoted(marker: str) -> str:
    # The shell joins the halves, so that the echoed command is not taken for its result.
    return f"{marker[:4]}''{marker[4:]}"


def write_log(path: Path, *, coloured: bool) -> None:
    chance = random.Random(7)
    words = [
        "".join(chance.choices("etaoinshrdlucmfwypvbgkjqxz", k=chance.randrange(2, 11)))
        for _ in range(500)
    ]
    lines = []
    for _ in range(4000):
        text = " ".join(chance.choices(words, k=chance.randrange(3, 22)))
        if coloured:
            head, _, rest = text.partition(" ")
            number = chance.randrange(31, 38)
            text = f"\x1b[1;{number}m{head}\x1b[0m \x1b[38;5;{number}m{rest}\x1b[m"
        lines.append(text)
    block = "\n".join(lines).encode() + b"\n"
    with path.open("wb") as file:
        for _ in range(SIZE // len(block)):
            file.write(block)
        file.write(block[: SIZE - SIZE // len(block) * len(block) - 1] + b"\n")
