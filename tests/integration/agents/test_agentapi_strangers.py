"""`luvus agentapi` among broken, hostile and too many requests."""

from __future__ import annotations

import socket

import pytest

from tests.integration.agents.conftest import Crew
from tests.support.served_agent import WAIT_S, Served


@pytest.mark.parametrize(
    ("content", "kind"),
    [("", "user"), (7, "user"), ("x", "system"), ("x", None), ("a\x03", "user"), (None, "raw")],
)
def test_a_malformed_message_is_refused_and_nothing_is_sent(
    shared: Crew, served: Served, content: object, kind: object
) -> None:
    before = shared.received()

    refused = served.post(content, kind)

    assert refused.status_code == 422
    assert served.get("/status")["status"] == "stable"
    assert shared.received() == before
    assert len(served.talk()) == 1


def test_a_prompt_of_one_character_too_many_is_refused(shared: Crew, served: Served) -> None:
    before = shared.received()

    assert served.post("ä" * 262_145).status_code == 422
    assert served.post("x" * 2_097_152).status_code == 413
    assert shared.received() == before


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
    shared: Crew,
    served: Served,
) -> None:
    before = shared.received()

    found = [int(served.raw(r.encode("latin-1")).split(b" ", 2)[1]) for r, _ in REQUESTS]

    assert found == [status for _, status in REQUESTS]
    assert shared.received() == before
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


def test_readers_of_events_over_the_limit_are_refused_and_messages_still_come(
    shared: Crew, served: Served
) -> None:
    request = b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n"
    held = [socket.create_connection(("127.0.0.1", served.port), WAIT_S) for _ in range(32)]
    for sock in held:
        sock.sendall(request)
    heads = [sock.recv(12) for sock in held]
    refused = served.raw(request)
    answer = served.post("hello")
    for sock in held:
        sock.close()

    assert heads == [b"HTTP/1.1 200"] * 32
    assert refused.startswith(b"HTTP/1.1 503")
    assert b"32 clients follow the events already" in refused
    assert answer.status_code == 200
    shared.server.wait_text(served.said["pane"], "5 characters: hello")
