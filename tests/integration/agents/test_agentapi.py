"""`luvus agentapi`: the contract over HTTP, and a client of it from elsewhere, unchanged."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from importlib.util import find_spec
from typing import Any

import pytest
from httpx_sse import connect_sse

from tests.integration.agents.conftest import Crew
from tests.support.served_agent import WAIT_S, Served, serving, until_stable

CYBERIAN = "from cyberian.cli import app; app()"


def test_it_says_where_it_is_and_how_the_agent_is(served: Served, pane: str) -> None:
    assert served.said == {"type": "agentapi", "pane": pane, "url": served.said["url"]}
    assert served.get("/status") == {"status": "stable", "agent_type": "claude"}


def test_a_message_is_carried_out_and_its_answer_is_the_last_message(served: Served) -> None:
    first = served.get("/messages")["messages"]

    answer = served.post("hello there")
    until_stable(served)
    messages = served.get("/messages")["messages"]

    assert (answer.status_code, answer.json()) == (200, {"ok": True})
    assert [set(message) for message in messages] == [{"id", "role", "content", "time"}] * 3
    assert messages[0] == first[0]
    assert [(m["id"], m["role"], m["content"]) for m in messages[1:]] == [
        (1, "user", "hello there"),
        (2, "agent", "11 characters: hello there"),
    ]


def test_an_agent_at_work_is_running_and_takes_no_message(shared: Crew, served: Served) -> None:
    posted = served.post("work 1")
    status = served.get("/status")["status"]
    before = shared.received()
    second = served.post("again")

    until_stable(served)

    assert (posted.status_code, status, second.status_code) == (200, "running", 409)
    assert second.headers["content-type"] == "application/problem+json"
    assert second.json() == {
        "title": "Conflict",
        "status": 409,
        "detail": "the agent is still at the message before; nothing was sent",
    }
    assert shared.received() == before
    assert served.talk()[1:] == [("user", "work 1"), ("agent", "worked")]


def test_an_agent_that_somebody_else_prompted_is_running(
    shared: Crew, served: Served, pane: str
) -> None:
    shared.call("agent.send", {"target": pane, "text": "work 1"})
    shared.wait(pane, "working")

    status = served.get("/status")["status"]
    refused = served.post("again")
    until_stable(served)

    assert (status, refused.status_code) == ("running", 409)
    assert refused.json()["detail"] == "the agent is working; nothing was sent"


def test_an_agent_that_asks_something_is_never_called_stable(
    shared: Crew, served: Served, pane: str
) -> None:
    asked = served.post("ask")
    shared.wait(pane, "blocked")
    before = shared.received()
    status = served.get("/status")["status"]
    refused = served.post("go on")
    after = shared.received()

    answered = served.post("1", "raw")
    until_stable(served)

    assert (asked.status_code, status, refused.status_code) == (200, "running", 409)
    assert "Do you want to proceed?" in refused.json()["detail"]
    assert after == before
    assert answered.json() == {"ok": True}
    assert shared.received() == before + b"1"
    assert served.talk()[-1] == ("agent", "answered 1")


def test_an_agent_that_has_just_begun_to_ask_is_not_called_stable(
    shared: Crew, served: Served, pane: str
) -> None:
    shared.call("agent.send", {"target": pane, "text": "ask"})
    shared.server.wait_text(pane, "proceed?")

    status = served.get("/status")["status"]
    served.post("n", "raw")
    until_stable(served)

    assert status == "running"


def test_whenever_it_is_called_stable_a_message_is_accepted(served: Served) -> None:
    answers = []
    for number in range(3):
        until_stable(served)
        assert served.get("/status")["status"] == "stable"
        answers.append(served.post(f"work 0.{number}").status_code)
    until_stable(served)

    assert answers == [200, 200, 200]
    assert [text for role, text in served.talk() if role == "user"] == [
        "work 0.0",
        "work 0.1",
        "work 0.2",
    ]


def test_of_messages_sent_at_once_one_is_taken(shared: Crew, served: Served) -> None:
    before = shared.received()
    body = b'{"content":"work 1","type":"user"}'
    head = f"Host: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(body)}"
    request = f"POST /message HTTP/1.1\r\n{head}\r\n\r\n".encode() + body
    socks = [socket.create_connection(("127.0.0.1", served.port), WAIT_S) for _ in range(4)]
    for sock in socks:
        sock.sendall(request)
    statuses = sorted(sock.recv(65_536).split(b" ", 2)[1] for sock in socks)
    for sock in socks:
        sock.close()
    until_stable(served)

    assert statuses == [b"200", b"409", b"409", b"409"]
    assert shared.received()[len(before) :].count(b"work 1") == 1


def test_raw_characters_are_typed_and_are_no_message(
    shared: Crew, served: Served, pane: str
) -> None:
    before = shared.received()

    typed = served.post("\x1b[Axy", "raw")
    served.post("\r", "raw")
    shared.server.wait_text(pane, "5 characters")
    until_stable(served)

    assert typed.json() == {"ok": True}
    assert shared.received()[len(before) :] == b"\x1b[Axy\r"
    assert [role for role, _ in served.talk()] == ["agent"]


def test_events_begin_with_everything_and_go_on_with_what_changes(served: Served) -> None:
    with connect_sse(served.http, "GET", "/events") as source:
        stream = source.iter_sse()
        first, status = next(stream), next(stream)
        served.post("work 1")
        later: list[tuple[str, Any]] = []
        while ("status_change", "stable") not in later:
            event = next(stream)
            data = event.json()
            told = data["status"] if event.event == "status_change" else data["message"]
            later.append((event.event, told))

    assert (first.event, set(first.json())) == (
        "message_update", {"id", "role", "message", "time"},
    )  # fmt: skip
    assert (status.event, status.json()) == (
        "status_change", {"status": "stable", "agent_type": "claude"},
    )  # fmt: skip
    assert later[0] == ("message_update", "work 1")
    assert later[-2:] == [("message_update", "worked"), ("status_change", "stable")]
    assert ("status_change", "running") in later


def test_a_token_that_may_only_read_sees_and_cannot_write(shared: Crew, pane: str) -> None:
    token = shared.call("uhp.token.create", {"scopes": ["read"]})["token"]
    before = shared.received()

    with serving(shared.server, "--token-env", "T", "agentapi", pane, T=token) as served:
        status = served.get("/status")
        refused = [served.post("hello", kind).status_code for kind in ("user", "raw")]
        roles = [role for role, _ in served.talk()]

    assert status["agent_type"] == "claude"
    assert refused == [403, 403]
    assert roles == ["agent"]
    assert shared.received() == before


def test_it_ends_with_its_pane(shared: Crew) -> None:
    doomed = shared.start("doomed", "codex")

    with serving(shared.server, "agentapi", "doomed") as served:
        served.post("work 30")
        shared.call("pane.close", {"pane": doomed})
        code = served.process.wait(WAIT_S)

    assert code == 1


def test_it_is_stopped_by_a_signal_while_clients_listen(served: Served) -> None:
    with connect_sse(served.http, "GET", "/events") as source:
        next(source.iter_sse())
        served.process.send_signal(signal.SIGINT)
        code = served.process.wait(WAIT_S)

    assert code == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nobody"], "not_found"),
        (["one", "--port", "70000"], "70000 is no port"),
        (["one", "--port", "x"], "invalid int value"),
        ([], "usage: luvus agentapi PANE"),
    ],
)
@pytest.mark.usefixtures("pane")
def test_words_that_lead_nowhere_are_refused(shared: Crew, words: list[str], said: str) -> None:
    done = shared.server.python("-m", "luvus_client.cli", "agentapi", *words)

    assert done.returncode in (1, 2)
    assert said in done.stderr


def test_a_port_that_is_taken_is_said(shared: Crew, served: Served) -> None:
    words = ["-m", "luvus_client.cli", "agentapi", "one", "--port", str(served.port)]

    done = shared.server.python(*words)

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (f"luvus: cannot listen on port {served.port}: Address already in use\n")


@pytest.mark.skipif(find_spec("cyberian") is None, reason="cyberian is not installed")
def test_cyberian_drives_the_agent_as_it_is(served: Served) -> None:
    port = ["--port", str(served.port)]

    def cyberian(*words: str) -> str:
        done = subprocess.run(
            [sys.executable, "-c", CYBERIAN, *words, *port],
            capture_output=True,
            text=True,
            timeout=45,
            env={**os.environ, "NO_COLOR": "1"},
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    status = cyberian("status")
    answer = cyberian("message", "good morning", "--sync")
    messages = json.loads(cyberian("messages"))["messages"]

    assert "stable" in status
    assert "12 characters: good morning" in answer
    assert [message["role"] for message in messages] == ["agent", "user", "agent"]
