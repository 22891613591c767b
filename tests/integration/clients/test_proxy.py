from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from luvus_client.wire import FRAME_LIMIT
from tests.integration.clients.fake_server import FakeServer, Reply, event, result

CLIENTS = Path(__file__).resolve().parents[3] / "clients"
Start = Callable[..., "subprocess.Popen[bytes]"]


@pytest.fixture
def start(home: Path) -> Iterator[Start]:
    running: list[subprocess.Popen[bytes]] = []

    def run(*words: str) -> subprocess.Popen[bytes]:
        proxy = subprocess.Popen(
            [sys.executable, "-m", "luvus_client.cli", *words, "uhp", "proxy"],
            env={**os.environ, "PYTHONPATH": str(CLIENTS), "LUVUS_HOME": str(home)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        running.append(proxy)
        return proxy

    yield run
    for proxy in running:
        proxy.kill()
        proxy.wait(10)
        for pipe in (proxy.stdin, proxy.stdout, proxy.stderr):
            assert pipe is not None
            pipe.close()


def request(**params: Any) -> bytes:
    return json.dumps({"id": "p", "method": "x", "params": params}).encode() + b"\n"


def echo(asked: dict[str, Any], connection: socket.socket) -> None:
    connection.sendall(result(asked, got=asked["params"]))


@pytest.mark.parametrize("ends_input", [True, False])
def test_one_request_gives_one_answer_and_exit_zero(
    home: Path, start: Start, ends_input: bool
) -> None:
    with FakeServer(home / "luvus.sock", echo):
        proxy = start()
        assert proxy.stdin is not None and proxy.stdout is not None
        proxy.stdin.write(request(a=1))
        proxy.stdin.flush()
        if ends_input:
            proxy.stdin.close()

        assert proxy.wait(10) == 0
        assert proxy.stdout.read() == b'{"id": "p", "result": {"got": {"a": 1}}}\n'


def test_a_session_is_selected_before_the_words(home: Path, start: Start) -> None:
    folder = home / "sessions" / "review"
    folder.mkdir(parents=True, mode=0o700)
    with FakeServer(folder / "luvus.sock", echo) as server:
        out, _ = start("--session", "review").communicate(request(), timeout=10)

    assert json.loads(out)["id"] == "p"
    assert len(server.requests) == 1


def test_without_a_server_it_exits_one_and_prints_nothing(start: Start) -> None:
    proxy = start()
    out, err = proxy.communicate(request(), timeout=10)

    assert (proxy.returncode, out) == (1, b"")
    assert json.loads(err)["error"]["code"] == "not_running"


def test_a_request_without_a_line_feed_gets_no_answer_and_exits_one(
    home: Path, start: Start
) -> None:
    with FakeServer(home / "luvus.sock", echo) as server:
        proxy = start()
        out, _ = proxy.communicate(request()[:-1], timeout=10)

    assert (proxy.returncode, out, server.requests) == (1, b"", [])


def test_a_stream_is_carried_until_the_server_ends_it(home: Path, start: Start) -> None:
    def talk(asked: dict[str, Any], connection: socket.socket) -> None:
        connection.sendall(result(asked) + event(1))
        assert connection.recv(100) == b'{"action":"keys"}\n'
        connection.sendall(event(2))

    with FakeServer(home / "luvus.sock", talk):
        proxy = start()
        assert proxy.stdin is not None and proxy.stdout is not None
        proxy.stdin.write(request())
        proxy.stdin.flush()
        assert [json.loads(proxy.stdout.readline()).get("sequence") for _ in range(2)] == [None, 1]
        proxy.stdin.write(b'{"action":"keys"}\n')
        proxy.stdin.flush()
        assert json.loads(proxy.stdout.readline())["sequence"] == 2
        assert proxy.wait(10) == 0


def test_the_end_of_the_input_leaves_a_parked_answer_alive(home: Path, start: Start) -> None:
    def park(asked: dict[str, Any], connection: socket.socket) -> None:
        assert connection.recv(1) == b""
        connection.sendall(result(asked, late=True))

    with FakeServer(home / "luvus.sock", park):
        out, _ = start().communicate(request(), timeout=10)

    assert json.loads(out)["result"] == {"late": True}


def test_the_largest_frames_pass_in_both_directions(home: Path, start: Start) -> None:
    text = "x" * (FRAME_LIMIT - 200)
    with FakeServer(home / "luvus.sock", echo):
        out, _ = start().communicate(request(text=text), timeout=15)

    assert json.loads(out)["result"]["got"]["text"] == text


def test_an_early_refusal_is_carried_although_the_request_was_not_read(
    home: Path, start: Start
) -> None:
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(home / "luvus.sock"))
    (home / "luvus.sock").chmod(0o600)
    listener.listen()
    proxy = start()
    assert proxy.stdin is not None
    proxy.stdin.write(request(text="x" * 900_000))
    proxy.stdin.flush()
    connection, _ = listener.accept()
    connection.sendall(b'{"id":"0","error":{"code":"server_busy","message":"m"}}\n')
    connection.shutdown(socket.SHUT_RDWR)

    out, _ = proxy.communicate(timeout=15)
    connection.close()
    listener.close()

    assert (proxy.returncode, json.loads(out)["error"]["code"]) == (0, "server_busy")


def test_it_reads_no_message_so_bytes_pass_as_they_are(home: Path, start: Start) -> None:
    raw = b'\xff{"not":"json\x00"\n'
    reply: Reply = lambda _, connection: connection.sendall(raw)  # noqa: E731
    with FakeServer(home / "luvus.sock", reply):
        out, _ = start().communicate(request(), timeout=10)

    assert out == raw


def ask(start: Start, **message: Any) -> Any:
    out, err = start().communicate(json.dumps({"id": "h", **message}).encode() + b"\n", timeout=10)
    assert err == b""
    return json.loads(out)


def test_host_methods_need_no_server(home: Path, start: Start) -> None:
    known = ask(start, method="host.capabilities", params={})["result"]
    assert known["methods"] == ["host.capabilities", "host.info", "session.list", "session.status"]

    info = ask(start, method="host.info", params={})["result"]
    assert (info["config_dir"], info["sessions"]) == (str(home), {"total": 1, "running": 0})

    status = ask(start, method="session.status", params={"name": "review"})["result"]
    listed = ask(start, method="session.list", params={})["result"]
    assert status["session"]["socket_path"] == f"{home}/sessions/review/luvus.sock"
    assert [row["name"] for row in listed["sessions"]] == ["default"]


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ({"params": {}, "auth": "luv_tok_1"}, "authorization_denied"),
        ({"params": {"x": 1}}, "invalid_request"),
        ({"params": []}, "invalid_request"),
        ({}, "invalid_request"),
        ({"params": {}, "more": 1}, "invalid_request"),
        ({"params": {}, "method": "session.status"}, "invalid_request"),
        ({"params": {"name": ".."}, "method": "session.status"}, "invalid_session_name"),
    ],
)
def test_host_methods_refuse_what_does_not_fit(
    start: Start, message: dict[str, Any], code: str
) -> None:
    found = ask(start, **{"method": "session.list", **message})

    assert (found["id"], found["error"]["code"]) == ("h", code)


def test_a_host_method_without_a_proper_id_is_answered_with_zero(start: Start) -> None:
    found = ask(start, id="a b", method="session.list", params={})

    assert (found["id"], found["error"]["code"]) == ("0", "invalid_request")
