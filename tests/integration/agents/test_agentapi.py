"""`luvus agentapi`: the contract over HTTP, and a client of it from elsewhere, unchanged."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

import pytest
from httpx_sse import connect_sse

from tests.integration.agents.conftest import Crew
from tests.support.agentapi import WAIT_S, Served, serving, until_stable

CYBERIAN = "from cyberian.cli import app; app()"


@pytest.fixture(scope="module")
def pane(shared: Crew) -> str:
    return shared.start("one")


@pytest.fixture
def served(shared: Crew, pane: str) -> Iterator[Served]:
    shared.call("pane.focus", {"pane": pane})
    shared.wait(pane, "idle")
    with serving(shared, "agentapi", "one") as found:
        yield found


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


def test_an_agent_at_work_is_running_and_takes_no_message(served: Served) -> None:
    posted = served.post("work 1")
    status = served.get("/status")["status"]
    before = served.crew.received()
    second = served.post("again")

    until_stable(served)

    assert (posted.status_code, status, second.status_code) == (200, "running", 409)
    assert second.headers["content-type"] == "application/problem+json"
    assert second.json() == {
        "title": "Conflict",
        "status": 409,
        "detail": "the agent is still at the message before; nothing was sent",
    }
    assert served.crew.received() == before
    assert served.talk()[1:] == [("user", "work 1"), ("agent", "worked")]


def test_an_agent_that_somebody_else_prompted_is_running(served: Served, pane: str) -> None:
    served.crew.call("agent.send", {"target": pane, "text": "work 1"})
    served.crew.wait(pane, "working")

    status = served.get("/status")["status"]
    refused = served.post("again")
    until_stable(served)

    assert (status, refused.status_code) == ("running", 409)
    assert refused.json()["detail"] == "the agent is working; nothing was sent"


def test_an_agent_that_asks_something_is_never_called_stable(served: Served, pane: str) -> None:
    asked = served.post("ask")
    served.crew.wait(pane, "blocked")
    before = served.crew.received()
    status = served.get("/status")["status"]
    refused = served.post("go on")
    after = served.crew.received()

    answered = served.post("1", "raw")
    until_stable(served)

    assert (asked.status_code, status, refused.status_code) == (200, "running", 409)
    assert "2. No" in refused.json()["detail"]
    assert after == before
    assert answered.json() == {"ok": True}
    assert served.crew.received() == before + b"1"
    assert served.talk()[-1] == ("agent", "answered 1")


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


def test_of_messages_sent_at_once_one_is_taken(served: Served) -> None:
    before = served.crew.received()
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
    assert served.crew.received()[len(before) :].count(b"work 1") == 1


def test_raw_characters_are_typed_and_are_no_message(served: Served, pane: str) -> None:
    before = served.crew.received()

    typed = served.post("\x1b[Axy", "raw")
    served.post("\r", "raw")
    served.crew.server.wait_text(pane, "5 characters")
    until_stable(served)

    assert typed.json() == {"ok": True}
    assert served.crew.received()[len(before) :] == b"\x1b[Axy\r"
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


@pytest.mark.parametrize(
    ("content", "kind"),
    [("", "user"), (7, "user"), ("x", "system"), ("x", None), ("a\x03", "user"), (None, "raw")],
)
def test_a_malformed_message_is_refused_and_nothing_is_sent(
    served: Served, content: object, kind: object
) -> None:
    before = served.crew.received()

    refused = served.post(content, kind)

    assert refused.status_code == 422
    assert served.get("/status")["status"] == "stable"
    assert served.crew.received() == before
    assert len(served.talk()) == 1


def test_a_prompt_of_one_character_too_many_is_refused(served: Served) -> None:
    before = served.crew.received()

    assert served.post("ä" * 262_145).status_code == 422
    assert served.post("x" * 2_097_152).status_code == 413
    assert served.crew.received() == before


JSON = "Content-Type: application/json\r\nContent-Length: 34\r\n\r\n"
MESSAGE = '{"content": "hello","type":"user"}'
REQUESTS = (
    (f"POST /message HTTP/1.1\r\nHost: evil.example\r\n{JSON}{MESSAGE}", 403),
    (f"POST /message HTTP/1.1\r\n{JSON}{MESSAGE}", 403),
    (f"POST /message HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n{JSON}{MESSAGE}", 400),
    (
        f"POST /message HTTP/1.1\r\nHost: localhost\r\nOrigin: http://evil.example\r\n"
        f"{JSON}{MESSAGE}",
        403,
    ),
    (
        f"POST /message HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\n"
        f"Content-Length: 34\r\n\r\n{MESSAGE}",
        415,
    ),
    (
        "POST /message HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        411,
    ),
    (
        "POST /message HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        "Content-Length: 1\r\n\r\n{",
        400,
    ),
    (
        "POST /message HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        "Content-Length: 2\r\n\r\n[]",
        422,
    ),
    ("POST /message HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n", 400),
    ("OPTIONS /message HTTP/1.1\r\nHost: localhost\r\n\r\n", 405),
    ("GET /message HTTP/1.1\r\nHost: localhost\r\n\r\n", 405),
    ("GET /other HTTP/1.1\r\nHost: localhost\r\n\r\n", 404),
    ("GET http://localhost/status HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
    ("GET /status HTTP/2.0\r\nHost: localhost\r\n\r\n", 400),
    ("\x16\x03\x01 tls\r\n\r\n", 400),
    (f"GET /status HTTP/1.1\r\nHost: localhost\r\nX: {'x' * 17_000}\r\n\r\n", 431),
)


def test_requests_of_strangers_and_broken_ones_are_refused_and_nothing_is_sent(
    served: Served,
) -> None:
    before = served.crew.received()

    found = [int(served.raw(r.encode("latin-1")).split(b" ", 2)[1]) for r, _ in REQUESTS]

    assert found == [status for _, status in REQUESTS]
    assert served.crew.received() == before
    assert served.get("/status")["status"] == "stable"


def test_a_client_that_leaves_in_the_middle_disturbs_nobody(served: Served) -> None:
    for half in (b"", b"GET /sta", b"POST /message HTTP/1.1\r\nHost: localhost\r\n"):
        with socket.create_connection(("127.0.0.1", served.port), timeout=WAIT_S) as sock:
            sock.sendall(half)

    assert served.get("/status")["status"] == "stable"


def test_connections_over_the_limit_are_closed_and_others_stay(served: Served) -> None:
    held = [socket.create_connection(("127.0.0.1", served.port), WAIT_S) for _ in range(64)]
    with socket.create_connection(("127.0.0.1", served.port), WAIT_S) as one_more:
        one_more.settimeout(WAIT_S)
        assert one_more.recv(1) == b""
    for sock in held[1:]:
        sock.close()
    held[0].sendall(b"GET /status HTTP/1.1\r\nHost: localhost\r\n\r\n")
    answer = held[0].recv(100)
    held[0].close()

    assert answer.startswith(b"HTTP/1.1 200 OK")


def test_a_token_that_may_only_read_sees_and_cannot_write(shared: Crew, pane: str) -> None:
    token = shared.call("uhp.token.create", {"scopes": ["read"]})["token"]
    before = shared.received()

    with serving(shared, "--token-env", "T", "agentapi", pane, T=token) as served:
        status = served.get("/status")
        refused = [served.post("hello", kind).status_code for kind in ("user", "raw")]
        roles = [role for role, _ in served.talk()]

    assert status["agent_type"] == "claude"
    assert refused == [403, 403]
    assert roles == ["agent"]
    assert shared.received() == before


def test_it_ends_with_its_pane(shared: Crew) -> None:
    doomed = shared.start("doomed", "codex")

    with serving(shared, "agentapi", "doomed") as served:
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


def test_a_port_that_is_taken_is_said(served: Served) -> None:
    words = ["-m", "luvus_client.cli", "agentapi", "one", "--port", str(served.port)]

    done = served.crew.server.python(*words)

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
    messages = json.loads(cyberian("messages"))

    assert "stable" in status
    assert "12 characters: good morning" in answer
    assert [message["role"] for message in messages] == ["agent", "user", "agent"]
