"""A tmux server of its own to compare with, driven by processes and in control mode."""

from __future__ import annotations

import itertools
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter_ns
from types import TracebackType
from typing import Self

from tests.bench.closed_loop import Dialogue

WAIT_S = 60.0
COLS, ROWS = 120, 40
_READ = 262_144
_BLOCK_END = re.compile(rb"^%(?:end|error) [^\n]*\n", re.MULTILINE)


class Tmux:
    """A server on a socket in a folder of ours, without anybody's configuration."""

    def __init__(self, folder: Path) -> None:
        program = shutil.which("tmux")
        assert program is not None, "install tmux to compare with it"
        self._base = (program, "-f", "/dev/null", "-S", str(folder / "tmux.sock"))
        self._folder = folder
        self._env = {
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "SHELL": "/bin/sh",
            "PS1": "$ ",
            "LANG": "C.UTF-8",
            "TERM": "screen",
        }

    def start(self) -> None:
        """Start it with one shell, as large as our panes."""
        self.run("new-session", "-d", "-x", str(COLS), "-y", str(ROWS))

    def command(self, *words: str) -> Sequence[str]:
        """Return a command line."""
        return (*self._base, *words)

    def run(self, *words: str) -> str:
        """Run one command in a process of its own and return what it prints."""
        done = subprocess.run(
            self.command(*words),
            env=self._env,
            cwd=self._folder,
            check=True,
            capture_output=True,
            text=True,
            timeout=WAIT_S,
        )
        return done.stdout

    def pid(self) -> int:
        """Return the server's process."""
        return int(self.run("display-message", "-p", "#{pid}"))

    def windows(self, count: int) -> None:
        """Open shells until there are `count`, one a window."""
        have = len(self.run("list-panes", "-a", "-F", "#{pane_id}").split())
        for _ in range(count - have):
            self.run("new-window", "-d")

    def panes(self) -> list[str]:
        """Return the ids of all panes."""
        return self.run("list-panes", "-a", "-F", "#{pane_id}").split()

    def control(self, *, output: bool = False) -> Control:
        """Return a control mode client, with or without the output of panes."""
        flags = () if output else ("-f", "no-output")
        return Control(self.command("-C", "attach-session", *flags), self._env)

    def stop(self) -> None:
        """End the server and everything in it."""
        subprocess.run(
            self.command("kill-server"), env=self._env, check=False, capture_output=True, timeout=10
        )


class Control:
    """One control mode client; a `Dialogue` once it was told what to ask."""

    def __init__(self, command: Sequence[str], env: dict[str, str]) -> None:
        self._process = subprocess.Popen(
            command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._in = self._process.stdin.fileno()
        self._out = self._process.stdout.fileno()
        self._received = b""
        self._question = b""
        self._block()

    def command(self, words: str) -> bytes:
        """Run a command and return its block."""
        os.write(self._in, words.encode() + b"\n")
        return self._block()

    def send(self, words: str) -> None:
        """Run a command whose end `until` or a later block has to find."""
        os.write(self._in, words.encode() + b"\n")

    def until(self, text: bytes) -> None:
        """Read until this text came; what came before it is dropped."""
        while text not in self._received:
            self._read()
        self._received = self._received.partition(text)[2]

    def times(self, count: int) -> list[float]:
        """Ask `count` times and return each answer's milliseconds; the client stays open."""
        found = []
        for _ in range(count):
            began = perf_counter_ns()
            self.ask()
            while not self.answered():
                pass
            found.append((perf_counter_ns() - began) / 1e6)
        return found

    def asking(self, words: str) -> Control:
        """Let the client ask this from now on."""
        self._question = words.encode() + b"\n"
        return self

    def ask(self) -> int:
        os.write(self._in, self._question)
        return self._out

    def answered(self) -> bool:
        self._read()
        end = _BLOCK_END.search(self._received)
        if end is None:
            return False
        assert not end[0].startswith(b"%error"), self._received
        self._received = self._received[end.end() :]
        return True

    def close(self) -> None:
        """Detach."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        while os.read(self._out, _READ):
            pass
        self._process.stdout.close()
        self._process.wait(10)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _block(self) -> bytes:
        while (end := _BLOCK_END.search(self._received)) is None:
            self._read()
        block = self._received[: end.end()]
        assert not end[0].startswith(b"%error"), block
        self._received = self._received[end.end() :]
        return block

    def _read(self) -> None:
        piece = os.read(self._out, _READ)
        assert piece, "tmux ended"
        self._received += piece


def lent(controls: Sequence[Control]) -> Callable[[], Dialogue]:
    """Hand clients out in turn, to a user who must not close them."""
    turns = itertools.cycle(controls)
    return lambda: _Lent(next(turns))


class _Lent:
    def __init__(self, control: Control) -> None:
        self.ask = control.ask
        self.answered = control.answered

    def close(self) -> None:
        """Leave it to its owner."""
