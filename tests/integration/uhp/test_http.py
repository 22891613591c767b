"""The same methods over HTTP, WebSocket and server-sent events on http.sock."""

from __future__ import annotations

import json
import os
import socket
import stat
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.exceptions import ConnectionClosedError
from websockets.sync.client import unix_connect

from tests.support.judging import misfits
from tests.support.live import FRAME, LiveServer


def client(live: LiveServer) -> httpx.Client:
    """Return an HTTP client of a server's socket."""
    transport = httpx.HTTPTransport(uds=str(live.http))
    return httpx.Client(transport=transport, base_url="http://luvus", timeout=10)


def post(live: LiveServer, method: str, params: Any = None, **more: Any) -> httpx.Response:
    """Call a method over HTTP."""
    with client(live) as http:
        return http.post(f"/uhp/v1/{method}", json=params or {}, **more)


def test_a_method_answers_over_http_what_it_answers_on_the_line(served: LiveServer) -> None:
    for method in ("ping", "workspace.list", "pane.get", "session.snapshot", "uhp.capabilities"):
        answer = post(served, method)
        assert answer.status_code == 200
        assert answer.headers["content-type"] == "application/json"
        line = served.call(method)
        found = answer.json()
        for changing in ("limits", "revision", "event_sequence"):
            found.pop(changing, None)
            line.pop(changing, None)
        assert found == line


@pytest.mark.parametrize(
    ("method", "body", "status", "code"),
    [
        ("pane.get", b'{"pane":"07"}', 400, "invalid_request"),
        ("pane.get", b'{"pane":99}', 404, "not_found"),
        ("pane.get", b'{"a":1,"a":2}', 400, "invalid_request"),
        ("pane.get", b"[]", 400, "invalid_request"),
        ("pane.get", b"{", 400, "invalid_request"),
        ("pane.get", b"\xff", 400, "invalid_request"),
        ("no.such.method", b"{}", 400, "invalid_request"),
        ("tab.new", b'{"if_revision":0}', 409, "revision_conflict"),
        ("tab.new", b'{"if_revision":99999999999999999999999}', 409, "revision_conflict"),
        ("events.subscribe", b"{}", 426, "stream_required"),
        ("pane.get", b" " * (FRAME + 1), 413, "frame_too_large"),
    ],
)
def test_a_refusal_over_http_has_the_error_object_and_the_status_of_its_kind(
    served: LiveServer, method: str, body: bytes, status: int, code: str
) -> None:
    with client(served) as http:
        answer = http.post(f"/uhp/v1/{method}", content=body)

    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert answer.json()["message"]


@pytest.mark.parametrize(
    "params",
    [
        b'{"pane":1e400}',
        b'{"pane":-1e400}',
        b'{"pane":' + b"9" * 309 + b"}",
        b'{"pane":' + b"9" * 308 + b"}",
        b'{"pane":' + b"9" * 5000 + b"}",
        b'{"pane":NaN}',
        b'{"pane":"\\ud800"}',
        b'{"pane":"\xff"}',
        b'{"pane":1,"pane":1}',
        b'{"pane":{"a":1,"a":1}}',
        b'{"pane":[' + b"[" * 150 + b"]" * 150 + b"]}",
        b'{"pane":[' + b"[" * 300 + b"]" * 300 + b"]}",
        b'{"pane":01}',
        b'{"pane":1,}',
        b'{"pane":null}',
        b'{"pane":1.0}',
        b'{"if_revision":null}',
        b"[]",
        b"5",
    ],
)
def test_the_line_and_http_read_the_same_parameters_alike(
    served: LiveServer, params: bytes
) -> None:
    line = json.loads(served.exchange(b'{"id":"1","method":"pane.get","params":' + params + b"}\n"))
    with client(served) as http:
        answer = http.post("/uhp/v1/pane.get", content=params).json()

    assert answer.get("code") == line.get("error", {}).get("code")


def test_only_post_calls_a_method_and_unknown_paths_say_where_to_look(served: LiveServer) -> None:
    with client(served) as http:
        wrong = http.get("/uhp/v1/ping")
        lost = http.get("/nowhere")

    assert (wrong.status_code, wrong.headers["allow"]) == (405, "POST")
    assert lost.status_code == 404
    assert "/openapi.json" in lost.json()["message"]


@pytest.mark.parametrize("header", ["Basic abc", "Bearer", "Bearer a b", "Bearer " + "x" * 257])
def test_a_malformed_authorization_is_refused(served: LiveServer, header: str) -> None:
    answer = post(served, "ping", headers={"Authorization": header})

    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_request")


def test_a_token_limits_http_as_it_limits_the_line(live: LiveServer) -> None:
    secret = live.call("uhp.token.create", {"scopes": ["read"]})["token"]
    bearer = {"Authorization": f"Bearer {secret}"}

    assert post(live, "pane.list", headers=bearer).status_code == 200
    refused = post(live, "pane.close", {"unknown": 1}, headers=bearer)
    assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")
    unknown = post(live, "ping", headers={"Authorization": "Bearer luv_tok_0"})
    assert (unknown.status_code, unknown.json()["code"]) == (403, "forbidden")


def test_health_and_the_openapi_document_are_served(served: LiveServer) -> None:
    with client(served) as http:
        health = http.get("/healthz").json()
        document = http.get("/openapi.json").json()

    assert health.pop("uptime_ms") > 0
    assert health == {"status": "ok", "version": "0.1.0", "session": "default"}
    assert document["openapi"].startswith("3.1")
    assert "/uhp/v1/pane.split" in document["paths"]
    written = Path(__file__).parents[3] / "service" / "docs" / "openapi.json"
    assert document == json.loads(written.read_text())


def test_results_of_a_live_server_fit_the_published_schemas(live: LiveServer) -> None:
    with client(live) as http:
        document = http.get("/openapi.json").json()
    live.call("pane.split")

    for method in ("pane.list", "pane.get", "tab.get", "workspace.get", "session.snapshot"):
        schema = document["paths"][f"/uhp/v1/{method}"]["post"]["responses"]["200"]
        schema = {**schema["content"]["application/json"]["schema"]}
        schema["components"] = document["components"]
        assert misfits(schema, live.call(method)) == []


def test_a_stream_is_a_websocket_on_the_same_path(live: LiveServer) -> None:
    uri = "ws://luvus/uhp/v1/events.subscribe"
    with unix_connect(str(live.http), uri) as websocket:
        websocket.send("{}")
        acknowledged = json.loads(websocket.recv(timeout=10))
        live.call("pane.rename", {"name": "a"})
        while (event := json.loads(websocket.recv(timeout=10)))["event"] != "pane.renamed":
            pass

    assert acknowledged["result"]["type"] == "subscription_started"
    assert event["data"] == {"pane": "1", "name": "a"}


@pytest.mark.parametrize(
    ("method", "params", "code"),
    [
        ("events.subscribe", '{"after_sequence":-1}', "invalid_params"),
        ("events.subscribe", '{"x":1}', "invalid_params"),
        ("events.subscribe", "not json", "invalid_request"),
        ("ping", "{}", "invalid_request"),
        ("no.such.stream", "{}", "invalid_request"),
    ],
)
def test_a_refused_stream_gets_one_error_and_a_close(
    served: LiveServer, method: str, params: str, code: str
) -> None:
    with unix_connect(str(served.http), f"ws://luvus/uhp/v1/{method}") as websocket:
        websocket.send(params)
        frame = json.loads(websocket.recv(timeout=10))
        with pytest.raises(ConnectionClosedError) as closed:
            websocket.recv(timeout=10)

    assert frame["error"]["code"] == code
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 1008


def blocks(response: httpx.Response) -> Iterator[dict[str, str]]:
    """Yield server-sent events as their fields; comments are left out."""
    fields: dict[str, str] = {}
    for line in response.iter_lines():
        if line.startswith(":"):
            continue
        if line:
            name, _, value = line.partition(": ")
            fields[name] = value
        elif fields:
            yield fields
            fields = {}


def test_events_as_server_sent_events_resume_after_the_last_id(live: LiveServer) -> None:
    sequence = live.call("pane.rename", {"name": "a"})["revision"]
    live.call("pane.rename", {"name": "b"})
    with client(live) as http:
        header = {"Last-Event-ID": str(sequence - 1)}
        with http.stream("GET", "/uhp/v1/events", headers=header) as response:
            assert response.headers["content-type"].startswith("text/event-stream")
            renamed = (b["data"] for b in blocks(response) if b["event"] == "pane.renamed")
            names = [json.loads(next(renamed))["data"]["name"] for _ in range(2)]
    assert names == ["a", "b"]


@pytest.mark.parametrize("cursor", [0, 10**9])
def test_a_cursor_that_cannot_be_served_becomes_an_explicit_resync(
    live: LiveServer, cursor: int
) -> None:
    for number in range(260):
        live.call("pane.rename", {"name": f"n{number}"})
    with client(live) as http:
        header = {"Last-Event-ID": str(cursor)}
        with http.stream("GET", "/uhp/v1/events", headers=header) as response:
            events = blocks(response)
            first = next(events)
            live.call("pane.rename", {"name": "after"})
            later = next(e for e in events if e["event"] == "pane.renamed")

    assert first["event"] == "events.resync_required"
    assert json.loads(first["data"])["sequence"] == int(first["id"]) >= 260
    assert json.loads(later["data"])["data"]["name"] == "after"


def test_a_malformed_last_event_id_is_refused(served: LiveServer) -> None:
    with client(served) as http:
        answer = http.get("/uhp/v1/events", headers={"Last-Event-ID": "x"})

    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_request")


def test_sockets_are_for_the_owner_only_from_the_first_instant(short_tmp: Path) -> None:
    old = os.umask(0)
    try:
        live = LiveServer(short_tmp / "home")
        live.folder = short_tmp
        live.start()
        try:
            modes = {
                path.name: stat.S_IMODE(path.lstat().st_mode)
                for path in (live.home, live.socket, live.http, live.home / "host.sock")
            }
        finally:
            live.stop()
    finally:
        os.umask(old)

    assert modes == {"home": 0o700, "luvus.sock": 0o600, "http.sock": 0o600, "host.sock": 0o600}


def test_a_vanished_websocket_gives_its_subscription_back(live: LiveServer) -> None:
    uri = "ws://luvus/uhp/v1/events.subscribe"
    sockets = [socket.socket(socket.AF_UNIX) for _ in range(3)]
    for sock in sockets:
        sock.connect(str(live.http))
        with unix_connect(sock=sock, uri=uri) as websocket:
            websocket.send("{}")
            assert "subscription_started" in str(websocket.recv(timeout=10))

    # The server hears of the last one's end a moment later.
    deadline = time.monotonic() + 10
    while live.call("pane.list")["render_performance"]["subscribers"]:
        assert time.monotonic() < deadline
