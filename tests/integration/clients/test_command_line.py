from __future__ import annotations

import json
import signal
import socket
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.integration.clients.fake_server import FakeServer, acknowledged, error, event, result
from tests.integration.clients.running import Luvus
from tests.unit.clients.cli.protocol import PROTOCOL


def ok(request: dict[str, Any], connection: socket.socket) -> None:
    connection.sendall(result(request, type="ok", got=request["params"]))


def test_a_command_prints_its_result_on_one_line(home: Path, luvus: Luvus) -> None:
    with FakeServer(home / "luvus.sock", ok) as server:
        done = luvus("pane", "split", "7", "--down")

    assert (done.code, done.json, done.err) == (
        0,
        {"type": "ok", "got": {"pane": "7", "direction": "down"}},
        "",
    )
    assert server.requests == [
        {"id": "1", "method": "pane.split", "params": {"pane": "7", "direction": "down"}}
    ]


def test_what_a_terminal_or_a_line_reader_would_act_on_is_escaped(home: Path, luvus: Luvus) -> None:
    with FakeServer(home / "luvus.sock", ok):
        done = luvus("pane", "send", "é\u2028\x9b31m\x1b[2J")

    assert done.out == ('{"type":"ok","got":{"text":"é\\u2028\\u009b31m\\u001b[2J"}}\n')


def test_a_refusal_is_json_on_standard_error_and_exit_one(home: Path, luvus: Luvus) -> None:
    def refuse(request: dict[str, Any], connection: socket.socket) -> None:
        connection.sendall(error(request, "not_found", "no such pane: 42", hint="x"))

    with FakeServer(home / "luvus.sock", refuse):
        done = luvus("pane", "split", "42")

    assert done.code == 1
    assert done.error == {"code": "not_found", "message": "no such pane: 42", "hint": "x"}


def test_without_a_server_the_error_says_so(home: Path, luvus: Luvus) -> None:
    done = luvus("ping")

    assert done.code == 1
    assert done.error == {
        "code": "not_running",
        "message": f"no server: {home}/luvus.sock does not exist",
        "possibly_executed": False,
    }


def test_an_open_socket_is_refused_with_advice(home: Path, luvus: Luvus) -> None:
    with FakeServer(home / "luvus.sock", ok) as server:
        server.path.chmod(0o666)
        done = luvus("ping")

    assert (done.code, done.error["code"]) == (1, "unsafe_endpoint")
    assert "chmod 600" in done.error["message"]
    assert server.requests == []


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["pane", "split", "--up"], "there is no option --up"),
        (["pane", "splat"], "did you mean split?"),
        (["pan"], "did you mean pane?"),
        (["--sesion", "x", "ping"], "there is no option --sesion"),
        (["--session"], "--session needs a value"),
        (["--session", "a/b", "ping"], "is no session name"),
        (["--session", "a", "--session=b", "ping"], "given twice"),
        (["server", "stop", "now"], "usage: luvus [--session NAME] server stop"),
        (["completion", "tcsh"], "usage: luvus completion"),
        (["call"], "usage: luvus call"),
        (["call", "ping", "[]"], "must be a JSON object"),
        (["call", "ping", "{"], "cannot be read as JSON"),
        (["uhp", "proxy", "x"], "usage: luvus uhp proxy"),
    ],
)
def test_wrong_usage_exits_two_and_says_why(luvus: Luvus, words: list[str], complaint: str) -> None:
    done = luvus(*words)

    assert (done.code, done.out) == (2, "")
    assert complaint in done.err


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ([], "usage: luvus [--session NAME]"),
        (["--help"], "exit codes:"),
        (["help"], "exit codes:"),
        (["pane"], "pane split"),
        (["pane", "--help"], "pane split"),
        (["help", "pane"], "List the panes."),
        (["pane", "split", "--help"], "usage: luvus pane split"),
        (["help", "pane", "split"], "luvus pane split 7 --down --no-focus"),
        (["server", "--help"], "server restart"),
        (["server", "stop", "--help"], "Stop the server"),
        (["help", "call"], "usage: luvus call METHOD"),
        (["uhp"], "uhp schema"),
    ],
)
def test_help_is_printed_without_a_server(luvus: Luvus, words: list[str], text: str) -> None:
    done = luvus(*words)

    assert (done.code, done.err) == (0, "")
    assert text in done.out


def test_the_version_is_printed(luvus: Luvus) -> None:
    assert luvus("--version").out == luvus("-V").out
    assert luvus("-V").out.startswith("luvus ")


def test_the_schema_is_printed_as_it_was_generated(luvus: Luvus) -> None:
    assert json.loads(luvus("uhp", "schema").out) == PROTOCOL


def test_inside_a_pane_the_pane_and_its_server_are_used(home: Path, luvus: Luvus) -> None:
    with FakeServer(home / "luvus.sock", ok):
        done = luvus(
            "pane", "run", "ls", "-la",
            LUVUS_HOME="/nowhere",
            LUVUS_SOCKET_PATH=str(home / "luvus.sock"),
            LUVUS_PANE_ID="4",
        )  # fmt: skip

    assert done.json["got"] == {"pane": "4", "command": "ls -la"}


def test_a_selected_session_never_gets_the_pane_of_another(home: Path, luvus: Luvus) -> None:
    folder = home / "sessions" / "review"
    folder.mkdir(parents=True, mode=0o700)
    pane = {"LUVUS_SOCKET_PATH": str(home / "luvus.sock"), "LUVUS_PANE_ID": "4"}
    with FakeServer(folder / "luvus.sock", ok), FakeServer(home / "luvus.sock", ok):
        other = luvus("--session", "review", "pane", "run", "ls", **pane)
        same = luvus("--session=default", "pane", "run", "ls", **pane)

    assert other.json["got"] == {"command": "ls"}
    assert same.json["got"] == {"pane": "4", "command": "ls"}


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        ({"type": "wait", "matched": True}, 0),
        ({"type": "wait", "matched": False}, 3),
        ({"type": "agent_prompt", "matched": False, "evidence": "queued"}, 0),
        ({"type": "agent_prompt", "matched": False, "evidence": "timeout"}, 3),
        ({"type": "agent_start", "ready": True}, 0),
        ({"type": "agent_start", "ready": False}, 3),
    ],
)
def test_a_wait_that_ran_out_exits_three(
    home: Path, luvus: Luvus, answer: dict[str, Any], code: int
) -> None:
    def reply(request: dict[str, Any], connection: socket.socket) -> None:
        connection.sendall(result(request, **answer))

    with FakeServer(home / "luvus.sock", reply):
        done = luvus("wait", "output", "7", "--match", "x", "--timeout", "0.1")

    assert (done.code, done.json) == (code, answer)


def test_a_timeout_error_exits_three(home: Path, luvus: Luvus) -> None:
    def reply(request: dict[str, Any], connection: socket.socket) -> None:
        connection.sendall(error(request, "timeout"))

    with FakeServer(home / "luvus.sock", reply):
        assert luvus("ping").code == 3


@pytest.mark.parametrize(
    ("words", "params"),
    [
        (["--status", "done"], {"pane": "7", "status": "done"}),
        (["--status", "done,idle"], {"pane": "7", "statuses": ["done", "idle"]}),
        (["--status", "done", "--status", "idle"], {"pane": "7", "statuses": ["done", "idle"]}),
        (["--status=odd"], {"pane": "7", "status": "odd"}),
    ],
)
def test_several_statuses_may_be_waited_for(
    home: Path, luvus: Luvus, words: list[str], params: dict[str, Any]
) -> None:
    with FakeServer(home / "luvus.sock", ok) as server:
        luvus("wait", "agent-status", "7", *words)

    assert server.requests[0] == {"id": "1", "method": "agent.wait", "params": params}


@pytest.mark.parametrize("given", ["word", "stdin", "file"])
def test_any_method_may_be_called_with_json(home: Path, luvus: Luvus, given: str) -> None:
    text = '{"x":[1,null]}'
    (home / "p.json").write_text(text)
    words = {"word": text, "stdin": "-", "file": f"@{home}/p.json"}
    with FakeServer(home / "luvus.sock", ok) as server:
        done = luvus("call", "a.b", words[given], stdin=text)

    assert done.code == 0
    assert server.requests == [{"id": "1", "method": "a.b", "params": {"x": [1, None]}}]


def test_a_token_comes_from_a_private_file_or_a_variable(home: Path, luvus: Luvus) -> None:
    (home / "token").touch(0o600)
    (home / "token").write_text("luv_tok_file\n")
    with FakeServer(home / "luvus.sock", ok) as server:
        luvus("--token-file", str(home / "token"), "ping")
        luvus("--token-env=MINE", "ping", MINE="luv_tok_env")
        (home / "token").chmod(0o644)
        refused = luvus("--token-file", str(home / "token"), "ping")

    assert [request["auth"] for request in server.requests] == ["luv_tok_file", "luv_tok_env"]
    assert (refused.code, refused.error["code"]) == (1, "bad_credential")


def test_events_are_lines_after_an_acknowledgement(home: Path, luvus: Luvus) -> None:
    def stream(request: dict[str, Any], connection: socket.socket) -> None:
        connection.sendall(acknowledged(request, 4) + event(5) + event(6))

    with FakeServer(home / "luvus.sock", stream):
        done = luvus("events")

    assert done.code == 0
    assert [json.loads(line) for line in done.out.splitlines()] == [
        {"type": "subscription_started", "sequence": 4, "replayed": 0},
        {"event": "pane.created", "sequence": 5, "data": {}},
        {"event": "pane.created", "sequence": 6, "data": {}},
    ]


def test_events_that_end_in_a_loss_exit_one(home: Path, luvus: Luvus) -> None:
    def stream(request: dict[str, Any], connection: socket.socket) -> None:
        connection.sendall(acknowledged(request, 4) + event(9, "events.resync_required"))

    with FakeServer(home / "luvus.sock", stream):
        assert luvus("uhp", "events").code == 1


def parked(request: dict[str, Any], connection: socket.socket) -> None:
    connection.sendall(acknowledged(request, 4))
    connection.recv(1)


def test_an_interrupt_ends_a_stream_without_a_trace(
    home: Path, command: list[str], environment: dict[str, str]
) -> None:
    with (
        FakeServer(home / "luvus.sock", parked),
        subprocess.Popen(
            [*command, "events"], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as running,
    ):
        assert running.stdout is not None and running.stdout.readline()
        running.send_signal(signal.SIGINT)
        assert running.wait(10) == 130
        assert running.stderr is not None and running.stderr.read() == b""


def test_a_reader_that_goes_away_ends_a_stream_without_a_trace(
    home: Path, command: list[str], environment: dict[str, str]
) -> None:
    def endless(request: dict[str, Any], connection: socket.socket) -> None:
        connection.sendall(acknowledged(request, 0))
        for sequence in range(1, 100_000):
            connection.sendall(event(sequence))

    with (
        FakeServer(home / "luvus.sock", endless),
        subprocess.Popen(
            [*command, "events"], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as running,
    ):
        assert running.stdout is not None and running.stdout.readline()
        running.stdout.close()
        assert running.wait(10) == 141
        assert running.stderr is not None and running.stderr.read() == b""


def test_sessions_are_listed_default_first(home: Path, luvus: Luvus) -> None:
    for name in ("zeta", "alpha"):
        (home / "sessions" / name).mkdir(parents=True)
    (home / "sessions" / "not a name").mkdir()
    (home / "sessions" / "file").touch()
    with FakeServer(home / "luvus.sock", ok):
        done = luvus("session", "list", "--json")

    def row(name: str, folder: str, *, running: bool = False) -> dict[str, Any]:
        return {
            "name": name,
            "default": name == "default",
            "running": running,
            "socket_path": f"{folder}/luvus.sock",
            "session_dir": folder,
            "endpoint": {"transport": "unix_socket", "address": f"{folder}/luvus.sock"},
        }

    assert done.json["sessions"] == [
        row("default", str(home), running=True),
        row("alpha", f"{home}/sessions/alpha"),
        row("zeta", f"{home}/sessions/zeta"),
    ]
