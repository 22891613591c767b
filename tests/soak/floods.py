"""Panes that pour, readers that do not read, and what a well-behaved caller notices of it."""

from __future__ import annotations

import json
import socket
import threading
import time

from tests.bench.closed_loop import NewLine, alone
from tests.bench.figures import percentile
from tests.bench.processes import MIB, pss_bytes
from tests.soak.homes import costs, served
from tests.soak.verdict import Verdict
from tests.support.live import LiveServer

FLOODS = 4
SLOW_READERS = 8
PING_EVERY_S = 0.05
LOOK_EVERY_S = 5.0
PING_LIMIT_S = 1.0
GROWTH_LIMIT_MIB = 64
"""Scrollbacks fill in the first part of the run; what grows after it grows without end."""
WARM_SHARE = 0.3


def run(seconds: float, _seed: int) -> Verdict:
    """Flood until the time is up."""
    found = Verdict()
    with served() as live:
        for _ in range(FLOODS - 1):
            live.call("tab.new", {})
        for pane in range(1, FLOODS + 1):
            live.wait_text(str(pane), "$")
            live.call("pane.run", {"pane": str(pane), "command": "yes $(seq 40)"})
        readers = [_silent_reader(live) for _ in range(SLOW_READERS)]
        pings, memory = _watch(live, seconds, found)
        for reader in readers:
            reader.close()
        found.note(costs(live, "at the end"))
    found.note({"pings": len(pings)})
    found.note({f"ping p{p}, ms": percentile(pings, p / 100) for p in (50, 99, 100)})
    warm = memory[int(len(memory) * WARM_SHARE)]
    found.note({"MiB once warm": warm, "MiB at most": max(memory)})
    if max(memory) - warm > GROWTH_LIMIT_MIB:
        found.faults.append(f"memory grew from {warm:.0f} to {max(memory):.0f} MiB")
    if max(pings) > PING_LIMIT_S * 1000:
        found.faults.append(f"a ping took {max(pings):.0f} ms")
    return found


def _watch(live: LiveServer, seconds: float, found: Verdict) -> tuple[list[float], list[float]]:
    ping = NewLine(str(live.socket), b'{"id":"p","method":"ping","params":{}}\n')
    pings: list[float] = []
    memory: list[float] = []
    pid, pause = live.server_pid(), threading.Event()
    deadline, look_at = time.monotonic() + seconds, 0.0
    while time.monotonic() < deadline:
        pings += alone(ping.dialogue(), 1)
        if time.monotonic() > look_at:
            look_at = time.monotonic() + LOOK_EVERY_S
            memory.append(pss_bytes([pid]) / MIB)
            # Something has to happen that the silent readers would have to be told.
            live.call("pane.rename", {"pane": "1", "name": f"n{len(memory)}"})
        pause.wait(PING_EVERY_S)
    if live.server_pid() != pid:
        found.faults.append("the server is not the one that was started")
    return pings, memory


def _silent_reader(live: LiveServer) -> socket.socket:
    """Follow all events and read none of them."""
    sock = live.connect()
    request = {"id": "s", "method": "events.subscribe", "params": {}}
    sock.sendall(json.dumps(request).encode() + b"\n")
    return sock
