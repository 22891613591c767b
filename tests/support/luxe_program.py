"""Starts `luxe` as a program of its own and speaks lines to it."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from tests.support.key_watch import holds_key, key_of

T = TypeVar("T")
LIMIT_S = 15.0
"""How long one program may run."""
ROOT = Path(__file__).resolve().parents[2]


def environment(folder: Path, script: list[Any]) -> dict[str, str]:
    """Return an environment whose `luxe` answers by a script and keeps its files in `folder`."""
    bin_folder = folder / "bin"
    bin_folder.mkdir(exist_ok=True)
    program = bin_folder / "luxe"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m tests.support.luxe_scripted "$@"\n')
    program.chmod(0o755)
    answers = folder / "script.json"
    answers.write_text(json.dumps(script))
    paths = [str(ROOT / part) for part in ("service", "bridge", "web", "clients", ".")]
    return {
        **os.environ,
        "PATH": f"{bin_folder}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": os.pathsep.join(paths),
        "HOME": str(folder),
        "LUXE_HOME": str(folder / "luxe"),
        "LUXE_TEST_SCRIPT": str(answers),
    }


KEY = key_of("real")


def real_environment(folder: Path, provider: str) -> dict[str, str]:
    """Return an environment whose `luxe` is the real one, with its provider at an address."""
    env = environment(folder, [])
    program = folder / "bin/luxe"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m luvus_service luxe "$@"\n')
    names = ("OPENAI_API_KEY", "OPENROUTER_API_KEY", "OLLAMA_HOST")
    return {
        **{name: value for name, value in env.items() if name not in names},
        "ANTHROPIC_API_KEY": KEY,
        "ANTHROPIC_BASE_URL": provider,
    }


class Program:
    """A running `luxe --rpc`; the real one when its provider's address is given."""

    def __init__(
        self, folder: Path, script: list[Any], *words: str, provider: str | None = None
    ) -> None:
        self.project = folder / "project"
        self.project.mkdir(exist_ok=True)
        self.process = subprocess.Popen(
            ["luxe", "--rpc", *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=real_environment(folder, provider) if provider else environment(folder, script),
            cwd=self.project,
        )
        self.lines: list[bytes] = []
        # A test that waits for a frame in a thread cannot be interrupted otherwise.
        self._limit = threading.Timer(LIMIT_S, self.process.kill)
        self._limit.daemon = True
        self._limit.start()

    def __enter__(self) -> Program:
        return self

    def __exit__(self, *_: object) -> None:
        self._limit.cancel()
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            if pipe is not None:
                pipe.close()

    def send(self, kind: str, content: Any = None) -> None:
        frame = {"kind": kind} | ({"content": content} if content is not None else {})
        self.write(json.dumps(frame).encode() + b"\n")

    def write(self, raw: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(raw)
        self.process.stdin.flush()

    def next(self) -> dict[str, Any]:
        """Return the next frame."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise EOFError(self.errors())
        assert not holds_key(line), "a key is in a frame"
        self.lines.append(line)
        frame: dict[str, Any] = json.loads(line)
        return frame

    def until(self, kind: str) -> Any:
        """Return the content of the next frame of a kind."""
        while True:
            frame = self.next()
            if frame["kind"] == kind:
                return frame.get("content")

    def rest(self) -> list[dict[str, Any]]:
        """Return every frame until the stream ends."""
        assert self.process.stdout is not None
        return [json.loads(line) for line in self.process.stdout]

    def errors(self) -> str:
        """Return what is on standard error once the program has ended."""
        assert self.process.stderr is not None
        self.process.wait()
        said = self.process.stderr.read()
        assert not holds_key(said), "a key is on standard error"
        return said.decode()


async def beside(work: Callable[[], T]) -> T:
    """Run a blocking client while the provider answers on this loop."""
    return await asyncio.to_thread(work)


def run_turn(luxe: Program, text: str, replies: dict[str, str] | None = None) -> list[Any]:
    """Run a turn, answer every prompt, and return its frames."""
    luxe.send("submit_user_message", {"text": text})
    frames: list[Any] = []
    while True:
        frame = luxe.next()
        frames.append(frame)
        body = frame.get("content") or {}
        if frame["kind"] == "permission_requested":
            reply = (replies or {}).get(body["tool"], "once")
            luxe.send("respond_permission", {"id": body["id"], "reply": reply})
        elif frame["kind"] == "turn_ended":
            return frames


def of(frames: list[Any], kind: str) -> list[Any]:
    return [frame["content"] for frame in frames if frame["kind"] == kind]
