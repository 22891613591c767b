"""How long a server takes to its first answer, and a command to its end."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import median

from tests.bench.figures import Figure, Target
from tests.bench.rivals import Rivals, in_turns, rivals
from tests.bench.tmux import Tmux
from tests.support.live import LiveServer

SERVERS = 5
COMMANDS = 15
READY_S = 0.8
COMMAND_MS = 100.0


def measure_servers() -> Iterator[Figure]:
    """Measure from the command that starts a server to the first answer."""
    ours, theirs = in_turns(SERVERS, _start_ours, _start_tmux)
    name = "server start to first answer"
    yield Figure(name, median(ours), "s", median(theirs), target=Target(READY_S))


def measure_commands() -> Iterator[Figure]:
    """Measure the command line and the imports behind it."""
    with rivals() as pair:
        yield from _command(pair)
        empty = _python(pair, "pass")
        for module in ("luvus_client", "luvus_client.cli.main", "luvus_service.main"):
            plain, loaded = in_turns(COMMANDS, empty, _python(pair, f"import {module}"))
            yield Figure(f"import {module}", median(loaded) - median(plain), "ms")


def _command(pair: Rivals) -> Iterator[Figure]:
    words = (sys.executable, "-m", "luvus_client.cli.main", "ping")
    ours, theirs, bare = in_turns(
        COMMANDS,
        lambda: _wall(words, pair.live.env),
        lambda: _wall(pair.tmux.command("display-message", "-p", "ok"), None),
        _python(pair, "pass"),
    )
    note = f"of which Python itself {median(bare):.0f} ms"
    target = Target(COMMAND_MS)
    yield Figure("luvus ping", median(ours), "ms", median(theirs), target=target, note=note)


def _python(pair: Rivals, code: str) -> Callable[[], float]:
    return lambda: _wall((sys.executable, "-c", code), pair.live.env)


def _wall(words: Sequence[str], env: dict[str, str] | None) -> float:
    began = time.perf_counter()
    subprocess.run(words, env=env, check=True, stdout=subprocess.DEVNULL)
    return (time.perf_counter() - began) * 1000


def _start_ours() -> float:
    home = Path(tempfile.mkdtemp(prefix="lvb-", dir="/tmp"))
    live = LiveServer(home)
    try:
        began = time.perf_counter()
        live.start()
        live.call("ping")
        return time.perf_counter() - began
    finally:
        live.stop()
        shutil.rmtree(home, ignore_errors=True)


def _start_tmux() -> float:
    folder = Path(tempfile.mkdtemp(prefix="lvb-", dir="/tmp"))
    tmux = Tmux(folder)
    try:
        began = time.perf_counter()
        tmux.start()
        tmux.run("display-message", "-p", "ok")
        return time.perf_counter() - began
    finally:
        tmux.stop()
        shutil.rmtree(folder, ignore_errors=True)
