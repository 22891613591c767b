"""The rules of a request on the newline-JSON socket, against a real server."""

from __future__ import annotations

import json
import socket
from typing import Any

import pytest

from tests.support.backend import create, locator
from tests.support.live import FRAME, LiveServer, read_all

PING = b'{"id":"1","method":"ping","params":{}}\n'


def answers(raw: bytes) -> list[dict[str, Any]]:
    """Read the answer lines of one connection."""
    assert raw == b"" or raw.endswith(b"\n")
    return [json.loads(line) for line in raw.splitlines()]


def refused(raw: bytes) -> tuple[str, str]:
    """Return (id, code) of the only answer, which must be an error."""
    (answer,) = answers(raw)
    return answer["id"], answer["error"]["code"]


def test_a_request_without_its_newline_is_not_carried_out_nor_answered(served: LiveServer) -> None:
    before = served.call("session.snapshot")

    raw = served.exchange(b'{"id":"1","method":"tab.new","params":{}}', half_close=True)

    assert raw == b""
    assert served.call("session.snapshot") == before


def test_of_two_requests_in_one_write_only_the_first_is_answered(served: LiveServer) -> None:
    second = b'{"id":"2","method":"tab.new","params":{}}\n'

    raw = served.exchange(PING + second, half_close=True)

    assert [a["id"] for a in answers(raw)] == ["1"]
    assert len(served.call("tab.list")["tabs"]) == 1


def test_a_request_sent_byte_by_byte_is_answered(served: LiveServer) -> None:
    with served.connect() as sock:
        for byte in PING:
            sock.sendall(bytes([byte]))
        raw = read_all(sock)

    assert answers(raw)[0]["result"]["type"] == "pong"


def test_a_frame_of_one_mebibyte_is_read_and_one_byte_more_is_refused(served: LiveServer) -> None:
    fits = PING[:-2] + b" " * (FRAME - len(PING)) + b"}\n"
    assert len(fits) == FRAME

    assert answers(served.exchange(fits))[0]["result"]["type"] == "pong"
    assert refused(served.exchange(b" " * FRAME + b"x\n")) == ("0", "frame_too_large")


@pytest.mark.parametrize(
    ("frame", "answered"),
    [
        (b'{"id":"1","id":"1","method":"ping","params":{}}', ("0", "invalid_request")),
        (b'{"id":"1","method":"ping","params":{"a":{"b":1,"b":2}}}', ("0", "invalid_request")),
        (b'{"id":"1\\n","method":"ping","params":{}}', ("0", "invalid_request")),
        (b'{"id":"","method":"ping","params":{}}', ("0", "invalid_request")),
        (b'{"id":1,"method":"ping","params":{}}', ("0", "invalid_request")),
        (b'{"id":"\xc3\xa9","method":"ping","params":{}}', ("0", "invalid_request")),
        (b'{"method":"ping","params":{}}', ("0", "invalid_request")),
        (b'{"id":"1","method":"ping","params":{"n":NaN}}', ("0", "invalid_request")),
        (b"not json", ("0", "invalid_request")),
        (b"\xff\xfe", ("0", "invalid_request")),
        (b"[" * 100_000, ("0", "invalid_request")),
        (b'{"id":"1","method":"no.such.method","params":{}}', ("1", "invalid_request")),
        (b'{"id":"1","method":"host.info","params":{}}', ("1", "invalid_request")),
        (b'{"id":"1","method":"ping","auth":"luv_tok_\xc3\xa9"}', ("1", "invalid_request")),
        (b'{"id":"1","method":"ping","auth":"luv_tok_unknown"}', ("1", "forbidden")),
        (b'{"id":"1","method":"uhp.stats","params":{"x":1}}', ("1", "invalid_request")),
        (b'{"id":"1","method":"uhp.stats","params":[]}', ("1", "invalid_request")),
        (b'{"id":"1","method":"uhp.stats","params":{},"more":1}', ("1", "invalid_request")),
        (b'{"id":"1","method":"pane.list","params":{"all_tabs":"true"}}', ("1", "invalid_request")),
        (b'{"id":"1","method":"events.subscribe","params":{"x":1}}', ("1", "invalid_params")),
        (
            b'{"id":"1","method":"events.subscribe","params":{"after_sequence":-1}}',
            ("1", "invalid_params"),
        ),
        (
            b'{"id":"1","method":"events.subscribe","params":{"after_sequence":99999}}',
            ("1", "invalid_params"),
        ),
        (
            b'{"id":"1","method":"events.wait","params":{"event":"x","after_sequence":99999}}',
            ("1", "invalid_request"),
        ),
        (b'{"id":"1","method":"session.snapshot","params":{},"x":1}', ("1", "invalid_request")),
        (b'{"id":"1","method":"server.reload_config","params":{},"x":1}', ("1", "invalid_request")),
    ],
)
def test_a_malformed_request_gets_the_error_of_its_kind(
    served: LiveServer, frame: bytes, answered: tuple[str, str]
) -> None:
    assert refused(served.exchange(frame + b"\n")) == answered


@pytest.mark.parametrize(
    "frame",
    [
        b'{"id":"1","method":"ping","params":{"unknown":1},"more":true}',
        b'{"id":"1","method":"ping"}',
        b'{"id":"1","method":"ping","params":null}',
        b'{"id":"1","method":"uhp.stats"}',
        b'{"id":"1","method":"uhp.stats","params":null}',
    ],
)
def test_older_methods_tolerate_what_existing_clients_send(
    served: LiveServer, frame: bytes
) -> None:
    (answer,) = answers(served.exchange(frame + b"\n"))

    assert "result" in answer


@pytest.mark.parametrize(
    ("pane", "code"),
    [
        (0, "not_found"),
        ("0", "not_found"),
        (999, "not_found"),
        (4294967295, "not_found"),
        (4294967296, "invalid_request"),
        ("4294967296", "invalid_request"),
        ("07", "invalid_request"),
        (" 7", "invalid_request"),
        ("1\n", "invalid_request"),
        ("+1", "invalid_request"),
        (-1, "invalid_request"),
        (1.0, "invalid_request"),
        (True, "invalid_request"),
        ([], "invalid_request"),
        ("", "invalid_request"),
    ],
)
def test_a_pane_id_that_is_not_live_or_not_well_formed_changes_nothing(
    served: LiveServer, pane: Any, code: str
) -> None:
    before = served.call("session.snapshot")

    for method, more in [("pane.close", {}), ("pane.run", {"command": "x"}), ("pane.get", {})]:
        error = served.refusal(method, {"pane": pane, **more})
        assert error["code"] == code
        if code == "not_found":
            assert str(pane) in error["message"]

    assert served.call("session.snapshot") == before


@pytest.mark.parametrize("separator", ["\u2028", "\u2029", "\u0085"])
def test_an_answer_and_a_frame_are_one_line_to_every_reader(
    live: LiveServer, separator: str
) -> None:
    text = f"a{separator}b"
    made = create(live, "exec cat")
    live.call("terminal.backend.submit_text", {**locator(made), "text": text})
    live.call(
        "terminal.backend.wait_output",
        {**locator(made), "match": "b", "after_revision": 0, "timeout_ms": 5000},
    )
    request = {"id": "1", "method": "pane.read", "params": {"pane": made["pane_id"]}}

    raw = live.exchange(json.dumps(request).encode() + b"\n").decode()

    assert raw.splitlines() == [raw[:-1]]
    shown = json.loads(raw)["result"]["text"]
    assert text in shown or separator == "\u0085"
    with live.connect() as sock:
        request = {"id": "1", "method": "terminal.backend.observe", "params": locator(made)}
        sock.sendall(json.dumps(request).encode() + b"\n")
        lines = sock.makefile("rb")
        for line in (lines.readline().decode(), lines.readline().decode()):
            assert line.splitlines() == [line[:-1]]


def test_a_null_pane_is_the_focused_one(served: LiveServer) -> None:
    assert served.call("pane.get", {"pane": None})["pane"] == "1"


def test_connection_81_is_told_that_the_server_is_busy(live: LiveServer) -> None:
    held = [live.connect() for _ in range(80)]
    try:
        raw = live.exchange(PING)
    finally:
        for sock in held:
            sock.close()

    (answer,) = answers(raw)
    assert answer["id"] == "0"
    assert answer["error"]["code"] == "server_busy"
    assert answer["error"]["retryable"] is True
    assert live.call("uhp.stats")["connections"]["rejected"] == 1


def test_a_silent_client_is_let_go_after_five_seconds_and_counted(live: LiveServer) -> None:
    with live.connect() as sock:
        assert read_all(sock) == b""

    assert live.call("uhp.stats")["connections"]["initial_frame_timeouts"] == 1


def test_a_client_that_vanishes_after_its_request_still_gets_it_done(live: LiveServer) -> None:
    sequence = live.call("uhp.capabilities")["event_sequence"]

    with live.connect() as sock:
        sock.sendall(b'{"id":"1","method":"tab.new","params":{}}\n')

    live.call("events.wait", {"event": "tab.created", "after_sequence": sequence})
    assert len(live.call("tab.list")["tabs"]) == 2


def test_a_client_that_never_reads_its_answer_holds_nobody_up(live: LiveServer) -> None:
    with live.connect() as sock:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        sock.sendall(b'{"id":"1","method":"uhp.capabilities","params":{}}\n')

        assert live.call("ping")["type"] == "pong"
