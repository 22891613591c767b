"""How long a server takes to its first answer, and a command to its end."""

from __future__ import annotations

import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
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
IMPORTS = {
    "luvus_client": "import luvus_client",
    "luvus_client.cli.main": "import luvus_client.cli.main",
    "luvus_service.main": "from luvus_service.settings import quick_imports\n"
    "with quick_imports(): import luvus_service.main",
}


def measure_servers() -> Iterator[Figure]:
    """Measure from the command that starts a server to the first answer."""
    ours, theirs = in_turns(SERVERS, _start_ours, _start_tmux)
    name = "server start to first answer"
    yield Figure(name, median(ours), "s", median(theirs), target=Target(READY_S))


def measure_commands() -> Iterator[Figure]:
    """Measure the command line and the imports behind it."""
    with rivals() as pair:
        yield from _command(pair)
        for module, code in IMPORTS.items():
            plain, loaded = in_turns(
                COMMANDS, lambda: _cpu(pair, "pass"), partial(_cpu, pair, code)
            )
            cost = median(loaded) - median(plain)
            yield Figure(f"import {module}", cost, "ms", note="of processor time")


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


def _cpu(pair: Rivals, code: str) -> float:
    """Return the milliseconds of processor time; of the wall's a busy machine takes its share."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    _python(pair, code)()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return used * 1000


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
