"""One session with a real launcher and host and the fake server, for tests."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from luvus_service import launch
from luvus_service.adapters.ptyhost.wire import Channel, Message, WireClosed, encode
from luvus_service.settings import Settings

FAKE = str(Path(__file__).with_name("fake_server.py"))
START = (
    "import sys\nfrom luvus_service.launch import main\n"
    f"sys.exit(main(['start', *sys.argv[1:]], server_command=(sys.executable, {FAKE!r})))\n"
)
ENV = {"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "HOME": "/tmp", "TERM": "xterm"}


class Session:
    """A home in a short folder; everything in it ends with `close`."""

    def __init__(self, **environment: str) -> None:
        self.home = Path(tempfile.mkdtemp(prefix="lv", dir="/tmp"))
        self.home.chmod(0o700)
        self.env = {**os.environ, "LUVUS_HOME": str(self.home), **environment}
        self.env["FAKE_CONTROL"] = str(self.home)
        self.env.pop("LUVUS_SESSION", None)
        self.env["PYTHONPATH"] = os.pathsep.join(
            str(Path(part).resolve()) for part in sys.path if part
        )
        self.settings = Settings.from_mapping(self.env)
        self.launchers: list[subprocess.Popen[bytes]] = []

    def launcher(self, *options: str, **popen: Any) -> subprocess.Popen[bytes]:
        return self.popen(["-c", START, *options], **popen)

    def popen(self, arguments: Sequence[str], **popen: Any) -> subprocess.Popen[bytes]:
        child = subprocess.Popen(
            [sys.executable, "-P", *arguments],
            env=self.env,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            **popen,
        )
        self.launchers.append(child)
        return child

    def start(self) -> None:
        child = self.launcher()
        out, err = child.communicate(timeout=15)
        assert child.returncode == 0, (out, err)

    def await_status(self, wanted: Any) -> Message:
        """Return the first status for which `wanted` is true."""
        channel = launch.connect(self.settings, 10)
        assert channel is not None
        try:
            while select.select([channel], [], [], 15)[0]:
                for message, _ in channel.receive():
                    if wanted(message):
                        return message
        finally:
            channel.close()
        raise AssertionError("the awaited state did not come")

    def ready(self, restarts: int = 0) -> Message:
        return self.await_status(
            lambda status: status["state"] == "ready" and status["restarts"] >= restarts
        )

    def ask(self, *line: Any) -> Any:
        """Let the current server do something."""
        return self.ask_server(self.ready()["server_pid"], *line)

    def ask_server(self, server: int, *line: Any) -> Any:
        """Let the server of this process id do something."""
        with socket.socket(socket.AF_UNIX) as sock:
            sock.settimeout(15)
            sock.connect(str(self.home / f"t{server}.sock"))
            sock.sendall(json.dumps(line).encode() + b"\n")
            return json.loads(sock.makefile("rb").readline())

    def spawn(self, *argv: str, cwd: str = "/") -> str:
        return str(self.ask("spawn", argv, cwd, ENV)["id"])

    def output(self, terminal_id: str, needle: str) -> bytes:
        return base64.b64decode(self.ask("output", terminal_id, needle))

    def python(self, *arguments: str) -> str:
        """Return what a Python of this session prints."""
        child = self.popen(arguments)
        out, err = child.communicate(timeout=15)
        assert child.returncode == 0, err
        return out.decode()

    def tell(self, wish: str) -> None:
        """Tell the host a wish and return when it was heard."""
        with socket.socket(socket.AF_UNIX) as sock:
            sock.settimeout(10)
            sock.connect(self.settings.host_address)
            sock.sendall(encode({"op": wish}))
            sock.shutdown(socket.SHUT_WR)
            while sock.recv(65536):
                pass

    def stop(self) -> None:
        """Stop the session and wait until it has ended."""
        launch.ask(self.settings, "stop", until=frozenset({"stopped"}), wait_s=5)

    def root(self, terminal_id: str) -> int:
        """Return the process id of a terminal's program."""
        return int(self.ask("root", terminal_id))

    def host_fds(self) -> int:
        """Return how many descriptors the host has, apart from those of watchers."""
        folder = Path(f"/proc/{self.ready()['host_pid']}/fd")
        return len(list(folder.iterdir()))

    def break_server(self) -> None:
        """Let every server that starts from now on fail with code 9."""
        (self.home / "broken").touch()

    def mend_server(self) -> None:
        """Let servers start again."""
        (self.home / "broken").unlink()

    def await_true(self, wanted: Callable[[], bool], limit_s: float = 10.0) -> None:
        """Look again and again; only for facts of other processes that nobody announces."""
        end = time.monotonic() + limit_s
        while not wanted():
            assert time.monotonic() < end
            select.select([], [], [], 0.01)

    def await_file(self, path: Path) -> None:
        """Wait until a program has made this file."""
        self.await_true(path.exists)

    def move_to(self, home: Path) -> None:
        """Use another home below the same folder."""
        home.mkdir(parents=True, mode=0o700)
        self.env["LUVUS_HOME"] = str(home)
        self.settings = Settings.from_mapping(self.env)

    @staticmethod
    def is_told(watcher: Channel) -> bool:
        """Tell whether the host sends its state, and does not close instead."""
        try:
            return bool(select.select([watcher], [], [], 5)[0] and watcher.receive())
        except WireClosed:
            return False

    def kill_server(self, number: int) -> Message:
        """Kill the server and return the status of the next one when it is ready."""
        status = self.ready()
        os.kill(status["server_pid"], number)
        return self.ready(status["restarts"] + 1)

    def close(self) -> None:
        with contextlib.suppress(OSError, WireClosed, launch.LaunchError):
            launch.ask(self.settings, "stop", until=frozenset({"stopped"}), wait_s=5)
        for child in self.launchers:
            if child.poll() is None:
                child.kill()
            child.wait()
            for stream in (child.stdout, child.stderr):
                if stream is not None:
                    stream.close()
        for pid in self.pids():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        shutil.rmtree(self.home, ignore_errors=True)

    def pids(self) -> list[int]:
        """Return every living process that was started with this home."""
        needle = f"LUVUS_HOME={self.home}".encode()
        found: list[int] = []
        for folder in Path("/proc").iterdir():
            if folder.name.isdigit() and int(folder.name) != os.getpid():
                with contextlib.suppress(OSError):
                    if needle in (folder / "environ").read_bytes():
                        found.append(int(folder.name))
        return found


@contextlib.contextmanager
def session(**environment: str) -> Iterator[Session]:
    made = Session(**environment)
    try:
        yield made
    finally:
        made.close()
