"""Takes one agent through its steps on a server of its own, and notes how each went."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.agents.kinds import ANSWER, Kind, Scene, written
from tests.support.live import REPOSITORY, LiveServer, Refused

STEP_S = 45.0
QUIET_S = 1.0
PANE = "1"


class Patient(LiveServer):
    """A server whose answers may take as long as a step."""

    def connect(self) -> socket.socket:
        """Return a connection that waits long enough."""
        made = super().connect()
        made.settimeout(STEP_S + 15)
        return made


class Failed(Exception):
    """A step did not go as it must; the text says why."""


@dataclass
class Driven:
    """One agent's run."""

    kind: Kind
    server: LiveServer
    project: Path
    record: Path | None
    results: dict[str, str] = field(default_factory=dict[str, str])
    """Of each step "ok", or why it failed."""

    def run(self) -> None:
        """Take the steps; one that fails is the last, unless the next ones do not build on it."""
        for name, step in STEPS.items():
            if set(self.results.values()) - {"ok"} and name != "resume":
                self.results[name] = "not reached"
                continue
            try:
                step(self)
                self.results[name] = "ok"
            except (Failed, Refused, AssertionError, TimeoutError) as error:
                self.results[name] = str(error).split("\n")[0]
            self.keep(name)

    # -- the steps -------------------------------------------------------------------------------

    def start(self) -> None:
        """Start it in the first pane, unseen behind another tab."""
        call = self.server.call
        call("integration.install", {"agent": self.kind.name, "confirm": True})
        self.server.wait_text(PANE, "$")
        call("tab.new")
        params = {"name": "it", "kind": self.kind.name, "pane": PANE, "timeout_s": STEP_S}
        started = call("agent.start", params)
        if not started["ready"] and started["status"] != "blocked":
            raise Failed(f"not ready: {self.explained()}")
        self.wait("idle", "done", "blocked")
        if self.kind.greeted:
            self.wait("blocked")
            for key in self.kind.greeted:
                # A menu that has just appeared or moved drops keys that come at once.
                self.pause()
                self.server.call("agent.keys", {"target": "it", "keys": [key]})
            self.wait("idle", "done")
        self.settled()

    def prompt(self) -> None:
        """Prompt it as soon as its screen shows that it takes prompts, without waiting."""
        params = {"target": "it", "text": "make made.txt", "strict": True}
        end = time.monotonic() + STEP_S
        while True:
            try:
                self.server.call("agent.prompt", params)
                return
            except Refused as refused:
                if refused.code != "agent_not_ready" or time.monotonic() > end:
                    raise
            self.pause()

    def blocked(self) -> None:
        """Wait until it asks; nothing was run yet."""
        self.wait("blocked")
        if self.made():
            raise Failed("it ran the command unasked")

    def keys(self) -> None:
        """Allow it; the command runs."""
        self.server.call("agent.keys", {"target": "it", "keys": list(self.kind.yes)})
        found = self.server.call(
            "agent.wait", {"pane": PANE, "statuses": ["working", "idle", "done"], "timeout_s": 20}
        )
        if not found["matched"]:
            raise Failed(f"still blocked: {self.explained()}")

    def usage(self) -> None:
        """Read the tokens of both answers."""
        if not self.made():
            raise Failed("the command did not run")
        session = self.server.call("agent.get", {"target": "it"})["session"]
        if session is None:
            raise Failed("the integration reported no session")
        used = self.mission()
        if used is None or used["tokens_in"] < 2000 or used["tokens_out"] < 100:
            raise Failed(f"usage is {used}")

    def fork(self) -> None:
        """Fork it; the fork shows what was said."""
        made = self.server.call("agent.fork", {"target": "it", "focus": False, "name": "other"})
        pane = str(made["pane"])
        try:
            self.goes_on(pane)
        finally:
            self.keep("forked", pane)
            self.server.call("pane.close", {"pane": pane})

    def resume(self) -> None:
        """End it and resume its session, which need not be the newest of its folder."""
        session = self.server.call("agent.get", {"target": "it"})["session"]
        self.server.call("pane.close", {"pane": PANE})
        before = {row["pane"] for row in self.server.call("pane.list")["panes"]}
        self.server.call("agent.resume", {"session_id": session})
        listed = self.server.call("pane.list")["panes"]
        (pane,) = {str(row["pane"]) for row in listed} - before
        self.goes_on(pane)
        self.keep("resumed", pane)

    # -- looking ---------------------------------------------------------------------------------

    def wait(self, *states: str, pane: str = PANE) -> None:
        """Wait for one of some states.

        Raises:
            Failed: It did not come.
        """
        params = {"pane": pane, "statuses": list(states), "timeout_s": STEP_S}
        found = self.server.call("agent.wait", params)
        if not found["matched"]:
            raise Failed(f"not {states[0]}: {self.explained(pane)}")

    def goes_on(self, pane: str) -> None:
        """Wait until a pane has this agent with the conversation so far."""
        self.server.wait_text(pane, ANSWER, STEP_S)
        self.wait("idle", "done", pane=pane)
        found = self.server.call("agent.get", {"target": pane})
        if found["agent"] != self.kind.name:
            raise Failed(f"pane {pane} has {found['agent'] or 'a shell'}")

    def settled(self) -> None:
        """Wait until nothing was drawn for a while; prompts too early are lost by some agents."""
        before, now = "", self.screen(PANE)
        while now != before:
            self.pause()
            before, now = now, self.screen(PANE)

    def pause(self) -> None:
        """Let some time pass."""
        never = {"pane": PANE, "match": "nothing of the kind", "timeout_s": QUIET_S}
        self.server.call("wait.output", never)

    def screen(self, pane: str) -> str:
        """Return the rows that are shown."""
        found = self.server.call("agent.read", {"target": pane, "source": "visible"})
        return str(found["text"])

    def made(self) -> bool:
        """Tell whether the command has run."""
        return (self.project / "made.txt").exists()

    def mission(self) -> dict[str, Any] | None:
        """Scan once and return the usage of the pane."""
        self.server.call("mission.refresh", {"scope": "all"})
        found = self.server.call("mission.snapshot", {"scope": "all"})
        while found["refreshing"]:
            found = self.server.call("mission.snapshot", {"scope": "all"})
        rows = [row for row in found["rows"] if row["pane"] == PANE]
        return dict(rows[0]["usage"]) if rows and rows[0]["usage"] else None

    def explained(self, pane: str = PANE) -> str:
        """Say in a line what is known of the pane."""
        found = self.server.call("agent.explain", {"pane": pane})
        evidence = found["state_evidence"] or {}
        hint = evidence.get("blocked_hint")
        return f"{found['agent']} is {found['status']} by {evidence.get('source')}, asks {hint!r}"

    def keep(self, name: str, pane: str = PANE) -> None:
        """Write down the screen and what was made of it, if screens are wanted."""
        if self.record is None:
            return
        try:
            text = self.screen(pane)
            found = self.server.call("agent.explain", {"pane": pane})
        except Refused:
            return
        written(self.record / f"{self.kind.name}-{name}.txt", text)
        written(self.record / f"{self.kind.name}-{name}.json", found)


STEPS: dict[str, Callable[[Driven], None]] = {
    "start": Driven.start,
    "prompt": Driven.prompt,
    "working": lambda driven: driven.wait("working"),
    "blocked": Driven.blocked,
    "keys": Driven.keys,
    "done": lambda driven: driven.wait("done"),
    "usage": Driven.usage,
    "fork": Driven.fork,
    "resume": Driven.resume,
}


def end_left(home: Path) -> None:
    """End what an agent has left running of its own; codex keeps a daemon for each home."""
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            if f"HOME={home}".encode() in (entry / "environ").read_bytes().split(b"\0"):
                os.kill(int(entry.name), signal.SIGKILL)
        except OSError:
            continue


@contextmanager
def provider(kind: Kind, folder: Path) -> Iterator[str]:
    """Run the scripted provider for one agent and yield its address."""
    script, log = folder / "script.json", folder / "asked.jsonl"
    script.write_text(json.dumps(kind.script()))
    words = ["--script", str(script), "--log", str(log)]
    child = subprocess.Popen(
        [sys.executable, "-m", "tests.support.provider_server", *words],
        cwd=REPOSITORY,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert child.stdout is not None
        yield str(json.loads(child.stdout.readline())["url"])
    finally:
        child.terminate()
        child.wait()


def drive(kind: Kind, programs: Path, record: Path | None, *, keep: bool = False) -> dict[str, str]:
    """Take one agent through all steps and return how each went."""
    # Sockets have short addresses only.
    home = Path(tempfile.mkdtemp(prefix="lva-", dir="/tmp")).resolve()
    project = home / "project"
    project.mkdir()
    server = Patient(home, folder=project)
    try:
        with provider(kind, home) as url:
            server.extra.update(kind.configure(Scene(home, project, url)))
            server.extra["PATH"] = f"{programs}{os.pathsep}{os.environ['PATH']}"
            server.start()
            driven = Driven(kind, server, project, record)
            try:
                driven.run()
            finally:
                server.stop()
                end_left(home)
            return driven.results
    finally:
        if not keep:
            shutil.rmtree(home, ignore_errors=True)
        else:
            print(f"{kind.name}: kept {home}")
