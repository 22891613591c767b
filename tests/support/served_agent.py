"""A running `luvus agentapi`, and the requests that its tests make."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import httpx
from httpx_sse import ServerSentEvent, connect_sse

from tests.support.live import LiveServer

WAIT_S = 15.0


class Served:
    """A running `luvus agentapi`."""

    def __init__(
        self, server: LiveServer, process: subprocess.Popen[str], said: dict[str, Any]
    ) -> None:
        self.server = server
        self.process = process
        self.said = said
        self.port = int(said["url"].rpartition(":")[2])
        self.http = httpx.Client(base_url=said["url"], timeout=WAIT_S, trust_env=False)

    def get(self, path: str) -> Any:
        answer = self.http.get(path)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def post(self, content: object, kind: object = "user") -> httpx.Response:
        return self.http.post("/message", json={"content": content, "type": kind})

    def talk(self) -> list[tuple[str, str]]:
        return [(m["role"], m["content"]) for m in self.get("/messages")["messages"]]

    def raw(self, request: bytes) -> bytes:
        with socket.create_connection(("127.0.0.1", self.port), timeout=WAIT_S) as sock:
            sock.sendall(request)
            answer = b""
            while piece := sock.recv(65_536):
                answer += piece
        return answer


@contextmanager
def serving(server: LiveServer, *words: str, **variables: str) -> Generator[Served]:
    """Start `luvus agentapi` on a free port and stop it afterwards."""
    command = [sys.executable, "-m", "luvus_client.cli", *words, "--port", "0"]
    process = subprocess.Popen(
        command,
        env={**server.env, **variables},
        cwd=server.home,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    try:
        line = process.stdout.readline()
        assert line, process.stderr.read()
        served = Served(server, process, json.loads(line))
        with served.http:
            yield served
    finally:
        process.terminate()
        process.communicate(timeout=WAIT_S)


def events_until(served: Served, name: str, **wanted: object) -> list[ServerSentEvent]:
    """Return the events of a new stream up to the first with these values."""
    found: list[ServerSentEvent] = []
    with connect_sse(served.http, "GET", "/events") as source:
        for event in source.iter_sse():
            found.append(event)
            data = event.json()
            if event.event == name and wanted.items() <= data.items():
                return found
    raise AssertionError(f"no {name} with {wanted}: {found}")


def until_stable(served: Served) -> None:
    events_until(served, "status_change", status="stable")
