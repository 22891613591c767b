"""The coding agent as a program, on a provider that answers at once from a script."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

from tests.bench.agent_drivers import Luxe
from tests.bench.figures import Figure, Target, percentile
from tests.bench.luxe_sessions import grow
from tests.bench.processes import MIB, pss_bytes

ROOT = Path(__file__).resolve().parents[2]
STARTS = 12
CANCELS = 20
DELTAS = 10_000
READY_S = 0.3
CANCEL_MS = 200.0
Script = Sequence[dict[str, Any]]

SLEEPING: Script = ({"steps": [{"call": {"name": "bash", "input": {"command": "sleep 60"}}}]},)
SAYING: Script = ({"steps": [{"say": "Hello."}]},)
STREAMING: Script = ({"steps": [{"say": "x" * DELTAS}], "piece": 1},)


def measure() -> Iterator[Figure]:
    """Measure starting, streaming, cancelling and resuming."""
    with tempfile.TemporaryDirectory(prefix="lxb-", dir="/tmp") as folder:
        home = Path(folder)
        with provider(home, SAYING) as url:
            yield from _starts(home, url)
        with provider(home, STREAMING) as url:
            yield from _streaming(home, url)
        with provider(home, SLEEPING) as url:
            yield _cancels(home, url)
        with provider(home, SAYING) as url:
            yield _resume(home, url)


class Agent:
    """A running `luxe --rpc`."""

    def __init__(self, home: Path, url: str, *words: str) -> None:
        self.began = time.perf_counter()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "luvus_service", "luxe", "--rpc", *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=_environment(home, url),
            cwd=home,
        )

    def __enter__(self) -> Agent:
        return self

    def __exit__(self, *_: object) -> None:
        self.send("close")
        assert self.process.stdout is not None
        self.process.stdout.read()
        self.process.wait()
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.stdout.close()

    def send(self, kind: str, content: Any = None) -> None:
        """Send an action."""
        assert self.process.stdin is not None
        frame = {"kind": kind} | ({"content": content} if content is not None else {})
        self.process.stdin.write(json.dumps(frame).encode() + b"\n")
        self.process.stdin.flush()

    def until(self, kind: str) -> float:
        """Return when the next frame of this kind came."""
        sign = b'{"kind":"%s"' % kind.encode()
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if line.startswith(sign):
                return time.perf_counter()
        raise AssertionError(f"the agent ended without {kind}")


@contextmanager
def provider(home: Path, script: Script) -> Iterator[str]:
    """Run the scripted provider as a process of its own and yield its address."""
    written = home / "script.json"
    written.write_text(json.dumps(list(script)))
    words = ["-m", "tests.support.provider_server", "--script", str(written), "--repeat"]
    with subprocess.Popen(
        [sys.executable, *words], stdout=subprocess.PIPE, cwd=ROOT, env=_environment(home, "")
    ) as process:
        assert process.stdout is not None
        try:
            yield str(json.loads(process.stdout.readline())["url"])
        finally:
            process.terminate()


def _environment(home: Path, url: str) -> dict[str, str]:
    paths = [str(ROOT / part) for part in ("service", "bridge", "web", "clients", ".")]
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "LUXE_HOME": str(home / "luxe"),
        "PYTHONPATH": os.pathsep.join(paths),
        "LANG": "C.UTF-8",
        "ANTHROPIC_API_KEY": "sk-bench-0123456789abcdef",
        "ANTHROPIC_BASE_URL": url,
    }


def _starts(home: Path, url: str) -> Iterator[Figure]:
    ready: list[float] = []
    first: list[float] = []
    memory: list[float] = []
    for _ in range(STARTS):
        with Agent(home, url) as agent:
            ready.append(agent.until("ready") - agent.began)
            agent.send("submit_user_message", {"text": "hi"})
            first.append(agent.until("token_delta") - agent.began)
            agent.until("turn_ended")
            memory.append(pss_bytes([agent.process.pid]) / MIB)
    yield Figure("luxe start to ready", median(ready), "s", target=Target(READY_S))
    yield Figure("luxe start to first token", median(first), "s")
    yield Figure("luxe memory after a turn", median(memory), "MiB")


def _streaming(home: Path, url: str) -> Iterator[Figure]:
    with Agent(home, url) as agent:
        agent.until("session_usage")
        took: list[float] = []
        busy: list[float] = []
        for _ in range(3):
            before = _cpu_s(agent.process.pid)
            agent.send("submit_user_message", {"text": "go"})
            began = agent.until("token_delta")
            took.append(agent.until("turn_ended") - began)
            busy.append(_cpu_s(agent.process.pid) - before)
    yield Figure(f"luxe {DELTAS} deltas", median(took), "s", note="the provider's writing included")
    yield Figure("luxe processor time for a delta", median(busy) / DELTAS * 1e6, "us")


def _cancels(home: Path, url: str) -> Figure:
    took: list[float] = []
    with Agent(home, url, "--yolo") as agent:
        agent.until("session_usage")
        for _ in range(CANCELS):
            agent.send("submit_user_message", {"text": "sleep"})
            agent.until("tool_activity_updated")
            # The child is running once its card says so; give its shell the time to be there.
            agent.send("refresh_workspace")
            agent.until("workspace_updated")
            began = time.perf_counter()
            agent.send("cancel")
            took.append((agent.until("turn_ended") - began) * 1000)
    return Figure(
        "luxe cancel to turn_ended, child asleep",
        percentile(took, 0.95),
        "ms",
        target=Target(CANCEL_MS),
        note=f"p95; median {median(took):.0f} ms",
    )


def _resume(home: Path, url: str) -> Figure:
    with Agent(home, url) as agent:
        agent.send("submit_user_message", {"text": "hi"})
        agent.until("turn_ended")
    session = grow(Luxe, home)
    took: list[float] = []
    for _ in range(3):
        with Agent(home, url, "--resume", session) as agent:
            took.append(agent.until("session_loaded") - agent.began)
    return Figure("luxe resume of a session of 50 MiB", median(took), "s")


def _cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
