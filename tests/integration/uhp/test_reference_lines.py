"""The protocol's example lines sent to a real server, and its answers judged by them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.support.judging import misfits
from tests.support.live import LiveServer
from tests.support.reference import documents, lines, needs_reference, schema

pytestmark = needs_reference

MALFORMED = {"invalid_request", "invalid_params"}


def known(served: LiveServer, line: bytes) -> str | None:
    """Return the method of a request line when the server has it."""
    method = json.loads(line).get("method")
    return method if method in served.call("uhp.capabilities")["methods"] else None


def answer(served: LiveServer, line: bytes) -> dict[str, Any]:
    """Send a line as it is and return the first line of the answer."""
    with served.connect() as sock:
        sock.sendall(line + b"\n")
        raw = b""
        while not raw.endswith(b"\n"):
            raw += sock.recv(65536)
    return dict(json.loads(raw.splitlines()[0]))


def assert_unknown(served: LiveServer, line: bytes) -> None:
    """A method that is not announced is refused by its name, whatever its parameters."""
    request = json.loads(line)

    assert answer(served, line) == {
        "id": request["id"],
        "error": {
            "code": "invalid_request",
            "message": f"unknown method '{request['method']}'",
        },
    }


@pytest.mark.parametrize("line", lines("fixtures/valid/requests.jsonl"))
def test_a_valid_request_line_is_not_called_malformed(served: LiveServer, line: bytes) -> None:
    request = json.loads(line)
    if known(served, line) is None:
        assert_unknown(served, line)
        return
    request["params"].pop("timeout_s", None)
    if request["method"] == "events.wait":
        request["params"]["timeout_s"] = 0

    found = answer(served, json.dumps(request).encode())

    assert found["id"] == request["id"]
    if "error" in found:
        # Without the token, panes and sequences of the example the request is refused for what it
        # names, never for its shape.
        assert found["error"]["code"] not in MALFORMED or "sequence" in found["error"], found


@pytest.mark.parametrize(
    "line",
    lines("fixtures/invalid/requests.jsonl") + lines("terminal/fixtures/invalid/requests.jsonl"),
)
def test_an_invalid_request_line_is_refused_as_malformed(served: LiveServer, line: bytes) -> None:
    method = json.loads(line).get("method", "")
    if method and known(served, line) is None:
        assert_unknown(served, line)
        return
    before = served.call("session.snapshot")

    found = answer(served, line)

    assert found["error"]["code"] in MALFORMED
    assert served.call("session.snapshot") == before


@pytest.mark.parametrize("line", lines("fixtures/valid/events.jsonl"))
def test_a_valid_event_line_fits_the_published_catalogue(served: LiveServer, line: bytes) -> None:
    event = json.loads(line)
    document = json.loads(served.python("-m", "luvus_client.cli.main", "uhp", "schema").stdout)
    found = document["event_catalog"]["properties"].get(event["event"])
    if found is None:
        pytest.skip("an event of a later release")

    assert misfits({**document["event_catalog"], **found}, event["data"]) == []


def test_answers_fit_the_response_schema(served: LiveServer) -> None:
    requests: list[tuple[str, dict[str, Any]]] = [
        ("ping", {}),
        ("uhp.capabilities", {}),
        ("session.snapshot", {}),
    ]
    requests += [("workspace.get", {}), ("pane.get", {"pane": 999}), ("no.such.method", {})]
    for method, params in requests:
        found = {"id": "t", **served.answer(method, params)}
        assert misfits(schema("schema/response.schema.json"), found, documents()) == []


def test_published_events_fit_the_reference_catalogue(live: LiveServer) -> None:
    catalogue = schema("schema/event-catalog.schema.json")
    with live.stream("events.subscribe") as events:
        events.line()
        live.call("workspace.open", {"path": "/"})
        live.call("tab.new")
        live.call("pane.split")
        live.call("pane.rename", {"name": "a"})
        live.call("pane.close")
        live.call("workspace.close")
        seen: set[str] = set()
        while "workspace.closed" not in seen:
            event = events.line()
            assert event is not None
            seen.add(event["event"])
            # The catalogue's entries for terminals point into a part that is not stored.
            target = catalogue["$id"] + f"#/properties/{event['event']}", event["data"]
            if event["event"].startswith("terminal."):
                target = schema("terminal/schema/event.schema.json")["$id"], event
            assert misfits({"$ref": target[0]}, target[1], documents()) == []

    assert {"tab.created", "pane.created", "terminal.closed", "pane.renamed"} <= seen
