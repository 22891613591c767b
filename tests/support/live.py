"""A real server in its own home: starts it, talks to it over its sockets, ends it.

Synchronous on purpose: a test drives the server as a stranger would, from another process.
"""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[2]
WAIT_S = 10.0
"""How long an answer may take before the test fails."""
FRAME = 1_048_576
MEASURED_ONE_IN = 3
"""Of so many servers one has its coverage measured: that makes a start three times as long."""
_numbers = count()


class Refused(Exception):
    """The server answered with an error object."""

    def __init__(self, error: Mapping[str, Any]) -> None:
        super().__init__(f"{error['code']}: {error['message']}")
        self.error = dict(error)

    @property
    def code(self) -> str:
        """The error's code."""
        return str(self.error["code"])


class LiveServer:
    """A server process of its own, with a plain shell in its panes."""

    def __init__(
        self, home: Path, *, session: str | None = None, folder: Path | None = None
    ) -> None:
        self.home = home
        self.session = session
        self.folder = folder or home
        self.directory = home if session is None else home / "sessions" / session
        self.socket = self.directory / "luvus.sock"
        self.http = self.directory / "http.sock"
        self.extra: dict[str, str] = {}
        self._measured = "MEASURE_SERVERS" in os.environ and next(_numbers) % MEASURED_ONE_IN == 0

    @property
    def env(self) -> dict[str, str]:
        """The environment of the server and of commands that look for it."""
        paths = [str(REPOSITORY / part) for part in ("service", "bridge", "web", "clients")]
        measured: dict[str, str] = {}
        if self._measured:
            paths.insert(0, str(Path(__file__).with_name("measured")))
            names = ("MEASURE_SERVERS", "COVERAGE_FILE")
            measured = {name: os.environ[name] for name in names if name in os.environ}
        return {
            "HOME": str(self.home),
            "LUVUS_HOME": str(self.home),
            "LUVUS_SHELL": "/bin/sh",
            "PS1": "$ ",
            "PATH": os.environ["PATH"],
            "PYTHONPATH": os.pathsep.join(paths),
            "LANG": "C.UTF-8",
            **measured,
            **self.extra,
        }

    def python(self, *words: str, wait_s: float = 30.0) -> subprocess.CompletedProcess[str]:
        """Run a Python module or script in the server's environment."""
        return subprocess.run(
            [sys.executable, *words],
            env=self.env,
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=wait_s,
            check=False,
        )

    def start(self) -> None:
        """Start the server in the background and return when it answers."""
        words = ["-m", "luvus_service", "start"]
        if self.session is not None:
            words += ["--session", self.session]
        done = self.python(*words)
        assert done.returncode == 0, done.stdout + done.stderr

    def stop(self) -> None:
        """Stop the server and wait until it is gone."""
        if not self.socket.exists():
            return
        pids = self.pids()
        try:
            self.call("server.stop")
        except (OSError, AssertionError):
            for pid in pids:
                os.kill(pid, signal.SIGTERM)
        for pid in pids:
            wait_gone(pid)

    def pids(self) -> list[int]:
        """Return the host and the server, as far as they run."""
        return sorted(
            int(entry.name)
            for entry in Path("/proc").iterdir()
            if entry.name.isdigit() and self._is_ours(entry)
        )

    def server_pid(self) -> int:
        """Return the server process."""
        for pid in self.pids():
            if b"\0serve\0" in Path(f"/proc/{pid}/cmdline").read_bytes():
                return pid
        raise AssertionError("no server process")

    def kill(self) -> int:
        """Kill the server at once, as a crash would; return the process that it was."""
        pid = self.server_pid()
        os.kill(pid, signal.SIGKILL)
        wait_gone(pid)
        return pid

    def connect(self) -> socket.socket:
        """Return a connection to the newline-JSON socket."""
        sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        sock.settimeout(WAIT_S)
        try:
            sock.connect(str(self.socket))
        except OSError:
            sock.close()
            raise
        return sock

    def exchange(self, raw: bytes, *, half_close: bool = False) -> bytes:
        """Send bytes on a new connection and return everything until the end of the stream."""
        with self.connect() as sock:
            try:
                sock.sendall(raw)
                if half_close:
                    sock.shutdown(socket.SHUT_WR)
            except BrokenPipeError:
                pass
            return read_all(sock)

    def answer(
        self, method: str, params: Any = None, *, auth: str | None = None, **extra: Any
    ) -> dict[str, Any]:
        """Send one request and return the whole answer."""
        request: dict[str, Any] = {"id": "t", "method": method, "params": params or {}, **extra}
        if auth is not None:
            request["auth"] = auth
        found = json.loads(self.exchange(json.dumps(request).encode() + b"\n"))
        assert found.pop("id") == "t"
        return dict(found)

    def call(
        self, method: str, params: Any = None, *, auth: str | None = None, **extra: Any
    ) -> dict[str, Any]:
        """Send one request and return its result.

        Raises:
            Refused: The server answered with an error.
        """
        found = self.answer(method, params, auth=auth, **extra)
        if "error" in found:
            raise Refused(found["error"])
        return dict(found["result"])

    def refusal(self, method: str, params: Any = None, **extra: Any) -> dict[str, Any]:
        """Send a request that must be refused and return the error object."""
        found = self.answer(method, params, **extra)
        assert "error" in found, found
        return dict(found["error"])

    @contextmanager
    def stream(
        self, method: str, params: Any = None, *, auth: str | None = None
    ) -> Generator[LineStream]:
        """Open a stream; its first line is the answer."""
        request: dict[str, Any] = {"id": "s", "method": method, "params": params or {}}
        if auth is not None:
            request["auth"] = auth
        with self.connect() as sock:
            sock.sendall(json.dumps(request).encode() + b"\n")
            yield LineStream(sock)

    def wait_text(self, pane: str, text: str, timeout_s: float = WAIT_S) -> None:
        """Return when a text is among the newest lines of a pane."""
        found = self.call("wait.output", {"pane": pane, "match": text, "timeout_s": timeout_s})
        shown = self.call("pane.read", {"pane": pane}) if not found["matched"] else {}
        assert found["matched"], f"{text!r} never came; the pane shows {shown.get('text')!r}"

    def _is_ours(self, entry: Path) -> bool:
        try:
            command = (entry / "cmdline").read_bytes()
            environment = (entry / "environ").read_bytes()
        except OSError:
            return False
        home = f"LUVUS_HOME={self.home}\0".encode()
        name = (self.session or "default").encode()
        named = b"--session\0" + name + b"\0" in command or b'"' + name + b'"' in command
        return b"luvus_service" in command and named and home in environment + b"\0"


class LineStream:
    """The lines of one connection."""

    def __init__(self, sock: socket.socket) -> None:
        self.sock = sock
        self._rest = b""

    def line(self, timeout_s: float = WAIT_S) -> dict[str, Any] | None:
        """Return the next line, or None at the end of the stream."""
        self.sock.settimeout(timeout_s)
        while b"\n" not in self._rest:
            piece = self.sock.recv(65536)
            if not piece:
                assert not self._rest, self._rest
                return None
            self._rest += piece
        line, _, self._rest = self._rest.partition(b"\n")
        return dict(json.loads(line))

    def lines(self) -> Iterator[dict[str, Any]]:
        """Yield lines until the end of the stream."""
        while (line := self.line()) is not None:
            yield line

    def until(self, event: str, **data: Any) -> dict[str, Any]:
        """Return the next event of this name whose data has these values."""
        for line in self.lines():
            if line.get("event") == event and all(
                line["data"].get(k) == v for k, v in data.items()
            ):
                return line
        raise AssertionError(f"the stream ended without {event}")

    def silent_for(self, seconds: float) -> bool:
        """Say whether nothing arrives for some time."""
        return not self._rest and not select.select([self.sock], [], [], seconds)[0]


def read_all(sock: socket.socket) -> bytes:
    """Return everything until the end of the stream."""
    parts: list[bytes] = []
    while piece := sock.recv(65536):
        parts.append(piece)
    return b"".join(parts)


def wait_gone(pid: int, timeout_s: float = WAIT_S) -> None:
    """Return when a process that is not ours has ended."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    try:
        ready = select.select([descriptor], [], [], timeout_s)[0]
    finally:
        os.close(descriptor)
    assert ready, f"process {pid} still runs"


def command_line(
    live: LiveServer, *words: str, stdin: str = ""
) -> subprocess.CompletedProcess[str]:
    """Run the `luvus` command against a server."""
    return subprocess.run(
        [sys.executable, "-m", "luvus_client.cli.main", *_session(live), *words],
        env=live.env,
        cwd=live.folder,
        input=stdin,
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )


def _session(live: LiveServer) -> Sequence[str]:
    return () if live.session is None else ("--session", live.session)
