"""Coding agents as programs that another program drives: one class for each headless protocol.

Lines are told apart by their bytes, so that reading costs the machine less than the agent does.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Container, Mapping, Sequence
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from threading import Timer
from typing import IO, Any, ClassVar

from tests.agents.installing import installed
from tests.agents.kinds import KEY, KINDS, Kind, Scene
from tests.bench.processes import descendants

ROOT = Path(__file__).resolve().parents[2]
SLEEP = "tail -f /dev/null"
END_S = 4.0
"""How long an agent may take to end by itself."""
LIFE_S = 150.0
"""An agent that is driven for longer hangs, and is killed."""


class Driver(ABC):
    """A running agent."""

    kind: ClassVar[str]
    tool: ClassVar[str] = "bash"
    argument: ClassVar[str] = "command"
    token_sign: ClassVar[bytes]
    end_sign: ClassVar[bytes]

    def __init__(self, home: Path, url: str, session: str | None = None) -> None:
        self.tokens = 0
        """How many pieces of text have come."""
        self.home = home
        project = home / "project"
        project.mkdir(exist_ok=True)
        env = self.environment(Scene(home, project, url))
        self.log = (home / "stderr").open("ab")
        self.began = time.perf_counter()
        self.process = subprocess.Popen(
            self.words(session),
            cwd=project,
            env={"HOME": str(home), "LANG": "C.UTF-8", **env},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.log,
        )
        self.watch = Timer(LIFE_S, self.process.kill)
        self.watch.daemon = True
        self.watch.start()

    @abstractmethod
    def words(self, session: str | None) -> Sequence[str]:
        """Return its command line."""

    @abstractmethod
    def environment(self, scene: Scene) -> Mapping[str, str]:
        """Write its settings and return its variables."""

    @abstractmethod
    def ready(self) -> float:
        """Return when it has said that it takes prompts."""

    @abstractmethod
    def prompt(self) -> None:
        """Ask it something."""

    @abstractmethod
    def cancel(self) -> None:
        """Ask it to stop the turn."""

    def __enter__(self) -> Driver:
        return self

    def __exit__(self, *_: object) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.watch.cancel()
        left = descendants(self.process.pid)
        self.process.stdin.close()
        if not self.ends_with_input:
            self.process.terminate()
        try:
            self.process.wait(END_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()
        self.log.close()
        # Some leave a command or a daemon of theirs behind.
        for pid in left:
            if _is_of(pid, self.home):
                _end(pid)

    ends_with_input: ClassVar[bool] = True

    def pids(self) -> list[int]:
        """Return all its processes."""
        return [self.process.pid, *descendants(self.process.pid)]

    def resumed(self) -> float:
        """Return when it has said that the session it was started with goes on."""
        return self.ready()

    def token(self) -> float:
        """Return when the next piece of text has come."""
        self.until(self.token_sign)
        return time.perf_counter()

    def ended(self) -> float:
        """Return when the turn is over."""
        self.until(self.end_sign)
        return time.perf_counter()

    def send(self, message: Mapping[str, Any]) -> None:
        """Send a line."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def until(self, sign: bytes) -> bytes:
        """Return the next line with this sign."""
        for line in self.lines():
            self.tokens += self.token_sign in line
            if sign in line:
                return line
        raise AssertionError(f"{self.kind} ended without {sign!r}; see {self.log.name}")

    def lines(self) -> IO[bytes] | HTTPResponse:
        """Return where its lines come from."""
        assert self.process.stdout is not None
        return self.process.stdout


class Luxe(Driver):
    """Ours: `luxe --rpc`."""

    kind = "luxe"
    token_sign = b'{"kind":"token_delta"'
    end_sign = b'{"kind":"turn_ended"'

    def words(self, session: str | None) -> Sequence[str]:
        resumed = () if session is None else ("--resume", session)
        return (sys.executable, "-m", "luvus_service", "luxe", "--rpc", "--yolo", *resumed)

    def environment(self, scene: Scene) -> Mapping[str, str]:
        paths = [str(ROOT / part) for part in ("service", "bridge", "web", "clients", ".")]
        return {
            "PATH": os.environ["PATH"],
            "LUXE_HOME": str(scene.home / "luxe"),
            "PYTHONPATH": os.pathsep.join(paths),
            "ANTHROPIC_API_KEY": KEY,
            "ANTHROPIC_BASE_URL": scene.url,
        }

    def ready(self) -> float:
        self.until(b'{"kind":"ready"')
        return time.perf_counter()

    def resumed(self) -> float:
        self.until(b'{"kind":"session_loaded"')
        return time.perf_counter()

    def prompt(self) -> None:
        self.send({"kind": "submit_user_message", "content": {"text": "go"}})

    def cancel(self) -> None:
        self.send({"kind": "cancel"})


class Installed(Driver):
    """One from npm, configured as `tests.agents` does."""

    @classmethod
    def found(cls) -> Kind:
        """Return what is known of it."""
        return next(kind for kind in KINDS if kind.name == cls.kind)

    def environment(self, scene: Scene) -> Mapping[str, str]:
        path = f"{installed(self.found())}{os.pathsep}{os.environ['PATH']}"
        return {"PATH": path, **self.found().configure(scene)}

    def program(self) -> str:
        """Return its program."""
        return str(installed(self.found()) / self.kind)


class Pi(Installed):
    """`pi --mode rpc`: lines on stdin and stdout; `get_state` is its first answer."""

    kind = "pi"
    token_sign = b'{"type":"message_update","assistantMessageEvent":{"type":"text_delta"'
    end_sign = b'{"type":"agent_end"'

    def words(self, session: str | None) -> Sequence[str]:
        resumed = () if session is None else ("--session", session)
        return (self.program(), "--mode", "rpc", *resumed)

    def environment(self, scene: Scene) -> Mapping[str, str]:
        env = super().environment(scene)
        shutil.rmtree(scene.home / ".pi/agent/extensions")  # it would ask before commands
        return env

    def ready(self) -> float:
        self.send({"id": "1", "type": "get_state"})
        self.until(b'"command":"get_state","success":true')
        return time.perf_counter()

    def prompt(self) -> None:
        self.send({"type": "prompt", "message": "go"})

    def cancel(self) -> None:
        self.send({"type": "abort"})


class Codex(Installed):
    """`codex app-server`: `codex exec --json` prints whole messages only, no pieces of them.

    The launcher that npm installs is a process of Node beside the agent, and is counted.
    """

    kind = "codex"
    tool = "exec_command"
    argument = "cmd"
    token_sign = b'{"method":"item/agentMessage/delta"'
    end_sign = b'{"method":"turn/completed"'
    thread = ""
    turn = ""

    def words(self, session: str | None) -> Sequence[str]:
        self.session = session
        return (self.program(), "app-server")

    def ready(self) -> float:
        client = {"clientInfo": {"name": "bench", "version": "1"}}
        self.send({"id": 1, "method": "initialize", "params": client})
        self.send({"method": "initialized"})
        params = {"approvalPolicy": "never", "sandbox": "danger-full-access"}
        if self.session is None:
            self.send({"id": 2, "method": "thread/start", "params": params})
        else:
            resumed = {**params, "threadId": self.session}
            self.send({"id": 2, "method": "thread/resume", "params": resumed})
        line = self.until(b'{"id":2,')
        at = time.perf_counter()
        self.thread = json.loads(line)["result"]["thread"]["id"]
        return at

    def prompt(self) -> None:
        said = [{"type": "text", "text": "go"}]
        params = {"threadId": self.thread, "input": said}
        self.send({"id": 3, "method": "turn/start", "params": params})
        self.turn = json.loads(self.until(b'{"id":3,'))["result"]["turn"]["id"]

    def cancel(self) -> None:
        params = {"threadId": self.thread, "turnId": self.turn}
        self.send({"id": 4, "method": "turn/interrupt", "params": params})


class OpenCode(Installed):
    """`opencode serve`: HTTP, and its events as server-sent ones."""

    kind = "opencode"
    token_sign = b'"type":"message.part.delta"'
    end_sign = b'"type":"session.idle"'
    ends_with_input = False

    def words(self, session: str | None) -> Sequence[str]:
        assert session is None
        return (self.program(), "serve", "--port", "0")

    def environment(self, scene: Scene) -> Mapping[str, str]:
        env = super().environment(scene)
        path = scene.home / ".config/opencode/opencode.json"
        path.write_text(path.read_text().replace('"ask"', '"allow"'))
        return env

    def ready(self) -> float:
        assert self.process.stdout is not None
        found: re.Match[bytes] | None = None
        while found is None:
            line = self.process.stdout.readline()
            assert line, "opencode serve ended"
            found = re.search(rb"listening on http://127\.0\.0\.1:(\d+)", line)
        self.port = int(found[1])
        events = HTTPConnection("127.0.0.1", self.port)
        events.request("GET", "/event")
        self.events = events.getresponse()
        self.session = json.loads(self.post("/session", {}))["id"]
        return time.perf_counter()

    def prompt(self) -> None:
        said = {"parts": [{"type": "text", "text": "go"}]}
        self.post(f"/session/{self.session}/prompt_async", said)

    def cancel(self) -> None:
        self.post(f"/session/{self.session}/abort", {})

    def post(self, path: str, value: Any) -> bytes:
        """Call it."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request(
                "POST", path, json.dumps(value), {"content-type": "application/json"}
            )
            return connection.getresponse().read()
        finally:
            connection.close()

    def lines(self) -> IO[bytes] | HTTPResponse:
        return self.events


class Claude(Installed):
    """`claude -p` with JSON lines both ways and partial messages."""

    kind = "claude"
    tool = "Bash"
    token_sign = b'"type":"text_delta"'
    end_sign = b'"type":"result"'

    def words(self, session: str | None) -> Sequence[str]:
        both = ("--input-format", "stream-json", "--output-format", "stream-json")
        resumed = () if session is None else ("--resume", session)
        more = ("--include-partial-messages", "--verbose", "--allowedTools", "Bash")
        return (self.program(), "-p", *both, *more, *resumed)

    def ready(self) -> float:
        request = {"subtype": "initialize"}
        self.send({"type": "control_request", "request_id": "1", "request": request})
        self.until(b'"type":"control_response"')
        return time.perf_counter()

    def prompt(self) -> None:
        self.send({"type": "user", "message": {"role": "user", "content": "go"}})

    def cancel(self) -> None:
        request = {"subtype": "interrupt"}
        self.send({"type": "control_request", "request_id": "2", "request": request})


PEERS: tuple[type[Installed], ...] = (Pi, Codex, OpenCode, Claude)


def sleeping(driver: Driver, before: Container[int], limit_s: float = 20.0) -> int:
    """Return the command that a driver's agent runs, once it sleeps; not one left from before."""
    end = time.monotonic() + limit_s
    while time.monotonic() < end:
        for pid in descendants(driver.process.pid):
            if pid not in before and lives(pid):
                return pid
        time.sleep(0.01)
    raise AssertionError(f"{driver.kind} did not run {SLEEP!r}")


def lives(pid: int) -> bool:
    """Say whether a command still runs."""
    return _command(pid) == SLEEP


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().rstrip(b"\0").replace(b"\0", b" ").decode()
    except OSError:
        return ""


def _is_of(pid: int, home: Path) -> bool:
    try:
        return f"HOME={home}".encode() in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return False


def _end(pid: int) -> None:
    try:
        os.kill(pid, 9)
    except ProcessLookupError:
        return
