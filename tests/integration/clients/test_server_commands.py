from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from luvus_client import LuvusClient
from luvus_client.errors import ClientError
from tests.integration.clients.fake_server import FakeServer, result

ROOT = Path(__file__).resolve().parents[3]
CLIENTS = ROOT / "clients"
STAND_IN = """
import sys
print("said by the service")
open({record!r}, "a").write(" ".join(sys.argv[1:]) + "\\n")
sys.exit({code})
"""


def run(home: Path, *words: str, path: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "luvus_client.cli", *words],
        env={**os.environ, "LUVUS_HOME": str(home), "PYTHONPATH": f"{CLIENTS}:{path}"},
        capture_output=True,
        text=True,
        timeout=18,
    )


def stand_in(home: Path, code: int = 0) -> str:
    """Make a service whose program only records its words."""
    package = home / "path" / "luvus_service"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    text = STAND_IN.format(record=str(home / "words"), code=code)
    (package / "__main__.py").write_text(text)
    return str(home / "path")


def pong(request: dict[str, Any], connection: socket.socket) -> None:
    connection.sendall(result(request, type="pong", version="9.9", session="default"))


def described(home: Path, **more: Any) -> dict[str, Any]:
    return {
        "running": False,
        "session": "default",
        "socket_path": f"{home}/luvus.sock",
        "address": f"{home}/luvus.sock",
        "http_address": f"{home}/http.sock",
        **more,
    }


def test_the_status_of_a_running_server_names_its_process(home: Path) -> None:
    with FakeServer(home / "luvus.sock", pong):
        done = run(home, "server", "status")

    expected = described(home, running=True, pid=os.getpid(), version="9.9")
    assert (done.returncode, json.loads(done.stdout)) == (0, expected)


def test_the_status_without_a_server_is_a_result_and_exit_one(home: Path) -> None:
    done = run(home, "server", "status")

    assert (done.returncode, json.loads(done.stdout), done.stderr) == (1, described(home), "")


def test_the_foreground_becomes_the_services_own_program(home: Path) -> None:
    done = run(home, "--session", "review", "server", path=stand_in(home, 7))

    assert done.returncode == 7
    assert (home / "words").read_text() == "start --session review --foreground\n"


def test_a_failed_start_says_what_the_service_said(home: Path) -> None:
    done = run(home, "server", "start", path=stand_in(home, 1))

    assert (done.returncode, done.stdout) == (1, "")
    assert "said by the service" in done.stderr


def test_starting_a_running_server_only_shows_it(home: Path) -> None:
    with FakeServer(home / "luvus.sock", pong):
        done = run(home, "server", "start", path=stand_in(home, 1))

    assert (done.returncode, json.loads(done.stdout)["version"]) == (0, "9.9")
    assert not (home / "words").exists()


def test_a_restart_is_the_services_work_and_shows_the_new_server(home: Path) -> None:
    with FakeServer(home / "luvus.sock", pong):
        done = run(home, "server", "restart", path=stand_in(home))

    assert (done.returncode, json.loads(done.stdout)["running"]) == (0, True)
    assert (home / "words").read_text() == "restart --session default\n"


def test_a_stop_returns_when_the_socket_is_gone(home: Path) -> None:
    def stop(request: dict[str, Any], connection: socket.socket) -> None:
        connection.sendall(result(request, type="ok"))
        (home / "luvus.sock").unlink()

    with FakeServer(home / "luvus.sock", stop) as server:
        done = run(home, "server", "stop")

    assert (done.returncode, json.loads(done.stdout)) == (0, {"type": "ok"})
    assert [request["method"] for request in server.requests] == ["server.stop"]


def test_a_server_that_dies_before_it_answers_has_stopped(home: Path) -> None:
    def stop(_: dict[str, Any], __: socket.socket) -> None:
        (home / "luvus.sock").unlink()

    with FakeServer(home / "luvus.sock", stop):
        done = run(home, "server", "stop")

    assert (done.returncode, json.loads(done.stdout)) == (0, {"type": "ok"})


def test_a_server_that_goes_on_is_reported_as_running(home: Path) -> None:
    with FakeServer(home / "luvus.sock", pong):
        done = run(home, "server", "stop")

    assert (done.returncode, done.stdout) == (1, "")
    assert "still runs after 5 s" in json.loads(done.stderr)["error"]["message"]


def test_a_stop_waits_for_what_holds_the_terminals(home: Path) -> None:
    host = FakeServer(home / "host.sock", pong)

    def stop(request: dict[str, Any], connection: socket.socket) -> None:
        connection.sendall(result(request, type="ok"))
        (home / "luvus.sock").unlink()

    with FakeServer(home / "luvus.sock", stop), host:
        done = run(home, "server", "stop")

    assert (done.returncode, done.stdout) == (1, "")
    assert "still runs after 5 s" in json.loads(done.stderr)["error"]["message"]


def test_stopping_nothing_is_an_error(home: Path) -> None:
    done = run(home, "server", "stop")

    assert done.returncode == 1
    assert json.loads(done.stderr)["error"]["code"] == "not_running"


@pytest.fixture
def stops(home: Path) -> Iterator[None]:
    """Stop the real server of the home after the test."""
    yield
    with contextlib.suppress(ClientError):
        LuvusClient().call("server.stop")


SERVICE = f"{ROOT}/service:{ROOT}/bridge:{ROOT}/web"


def test_a_real_server_is_started_asked_and_stopped(home: Path, stops: None) -> None:
    started = run(home, "server", "start", path=SERVICE)
    assert (started.returncode, json.loads(started.stdout)["running"]) == (0, True), started

    with LuvusClient() as client:
        assert client.ping()["session"] == "default"
        pane = client.pane.split(down=True)["pane"]
        with client.events() as events:
            client.pane.close(pane=pane)
            assert next(e for e in events if getattr(e, "name", "") == "pane.closed")

    stopped = run(home, "server", "stop")
    assert (stopped.returncode, stopped.stderr) == (0, "")
    assert run(home, "server", "status").returncode == 1


def test_the_real_foreground_server_ends_on_sigterm(home: Path, stops: None) -> None:
    environment = {**os.environ, "LUVUS_HOME": str(home), "PYTHONPATH": f"{CLIENTS}:{SERVICE}"}
    with subprocess.Popen(
        [sys.executable, "-m", "luvus_client.cli", "server"],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    ) as server:
        assert server.stdout is not None
        assert select.select([server.stdout], [], [], 15)[0], "the server says when it is ready"
        assert LuvusClient().call("ping")["type"] == "pong"

        server.send_signal(signal.SIGTERM)

        assert server.wait(10) == 0
    assert not (home / "luvus.sock").exists()
