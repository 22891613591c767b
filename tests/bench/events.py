"""A thousand events a second to 64 subscribers: nothing is missed without being said."""

from __future__ import annotations

import json
import selectors
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

from tests.bench.closed_loop import alone
from tests.bench.figures import Figure, Target, percentile
from tests.bench.rivals import Rivals, rivals
from tests.support.live import LiveServer

SUBSCRIBERS = 64
RATE = 1000
SECONDS = 5.0
SLOW = 4
"""Subscribers that stop reading for a while, so that there are gaps to declare."""
SLEEP_S = 2.0


def measure() -> Iterator[Figure]:
    """Rename a pane a thousand times a second and let everybody follow."""
    with rivals() as pair:
        readers = [Reader(pair.live, slow=number < SLOW) for number in range(SUBSCRIBERS)]
        over = threading.Event()
        following = threading.Thread(target=follow, args=(readers, over))
        following.start()
        pings: list[float] = []
        published, elapsed = _publish(pair, pings)
        last = pair.live.call("session.snapshot")["event_sequence"]
        _await(readers, last)
        over.set()
        following.join()
        for reader in readers:
            reader.close()
    name = f"events to {SUBSCRIBERS} subscribers"
    got = sum(reader.received for reader in readers)
    wanted = Target(RATE * 0.9)
    yield Figure(f"{name}: published", published / elapsed, "a second", None, "higher", wanted)
    yield Figure(f"{name}: delivered", got / elapsed, "a second", None, "higher")
    missed = sum(reader.undeclared for reader in readers)
    yield Figure(f"{name}: gaps not declared", missed, "", target=Target(0))
    declared = sum(reader.resyncs for reader in readers)
    yield Figure(f"{name}: gaps declared", declared, "", note=f"{SLOW} of them pause")
    yield Figure(f"{name}: ping meanwhile, p99", percentile(pings, 0.99), "ms")


@dataclass
class Reader:
    """A subscriber that checks that sequences have no hole, and comes back after a resync."""

    live: LiveServer
    slow: bool = False
    received: int = 0
    undeclared: int = 0
    resyncs: int = 0
    last: int = 0
    _rest: bytes = field(default=b"", repr=False)

    def __post_init__(self) -> None:
        self.wake_at = time.monotonic() + (SLEEP_S if self.slow else 0)
        self._open({})

    def _open(self, params: dict[str, int]) -> None:
        self.sock = self.live.connect()
        request = {"id": "e", "method": "events.subscribe", "params": params}
        self.sock.sendall(json.dumps(request).encode() + b"\n")
        self.sock.setblocking(False)
        self._rest = b""

    def take(self) -> bool:
        """Read what is there; true when the connection was replaced."""
        try:
            piece = self.sock.recv(1_048_576)
        except BlockingIOError:
            return False
        if not piece:
            self.sock.close()
            # A reader that was cut off reads the state anew and goes on from now.
            self.last = 0
            self._open({})
            return True
        lines = (self._rest + piece).split(b"\n")
        self._rest = lines.pop()
        for line in lines:
            self._line(json.loads(line))
        return False

    def _line(self, line: dict[str, object]) -> None:
        if "error" in line:
            raise AssertionError(line)
        if "result" in line:
            result = line["result"]
            assert isinstance(result, dict)
            self.last = result["sequence"]
            return
        sequence = line["sequence"]
        assert isinstance(sequence, int)
        if line["event"] == "events.resync_required":
            self.resyncs += 1
        else:
            self.received += 1
            self.undeclared += sequence != self.last + 1
        self.last = max(self.last, sequence)

    def close(self) -> None:
        """Leave."""
        self.sock.close()


def follow(readers: list[Reader], over: threading.Event) -> None:
    """Read for all subscribers in one thread until it is over."""
    with selectors.EpollSelector() as selector:
        sleeping = [reader for reader in readers if reader.slow]
        for reader in readers:
            if not reader.slow:
                selector.register(reader.sock, selectors.EVENT_READ, reader)
        while not over.is_set():
            for key, _ in selector.select(0.05):
                selector.unregister(key.fileobj)
                key.data.take()
                selector.register(key.data.sock, selectors.EVENT_READ, key.data)
            for reader in [each for each in sleeping if each.wake_at < time.monotonic()]:
                sleeping.remove(reader)
                selector.register(reader.sock, selectors.EVENT_READ, reader)


def _publish(pair: Rivals, pings: list[float]) -> tuple[int, float]:
    pause = threading.Event()
    began = time.perf_counter()
    count = 0
    while (elapsed := time.perf_counter() - began) < SECONDS:
        if count > elapsed * RATE:
            pause.wait(0.001)
            continue
        pair.live.call("pane.rename", {"pane": "1", "name": f"n{count}"})
        count += 1
        if count % 50 == 0:
            pings += alone(pair.newline("ping").dialogue(), 1)
    return count, time.perf_counter() - began


def _await(readers: list[Reader], sequence: int, limit_s: float = 20.0) -> None:
    pause = threading.Event()
    deadline = time.monotonic() + limit_s
    while time.monotonic() < deadline and any(reader.last < sequence for reader in readers):
        pause.wait(0.05)
