"""The server against the published example lines and schemas of the terminal namespace."""

from __future__ import annotations

import json
from typing import Any

from tests.support import reference
from tests.support.backend import create, locator
from tests.support.judging import misfits
from tests.support.live import LiveServer
from tests.support.reference import lines, needs_reference, schema

pytestmark = needs_reference

FIXTURES = "terminal/fixtures"
MALFORMED = {"invalid_request", "invalid_params", "frame_too_large"}


def first_line(live: LiveServer, raw: bytes) -> dict[str, Any]:
    with live.connect() as sock:
        sock.sendall(raw + b"\n")
        return dict(json.loads(sock.makefile("rb").readline()))


def valid_against(document: dict[str, Any], value: Any) -> None:
    assert misfits(document, value) == []


def test_every_valid_request_is_understood(served: LiveServer) -> None:
    for line in lines(f"{FIXTURES}/valid/requests.jsonl"):
        answer = first_line(served, line)
        assert answer["id"] == json.loads(line)["id"]
        assert answer.get("error", {}).get("code") not in MALFORMED, (line, answer)


def test_every_invalid_request_is_refused_as_malformed(served: LiveServer) -> None:
    for line in lines(f"{FIXTURES}/invalid/requests.jsonl"):
        assert first_line(served, line)["error"]["code"] in MALFORMED, line


def test_valid_actions_are_understood_and_invalid_ones_refused(live: LiveServer) -> None:
    made = create(live, "exec cat")
    with live.stream("terminal.backend.control", locator(made)) as stream:
        stream.line()

        def reply(line: bytes) -> dict[str, Any]:
            stream.sock.sendall(line + b"\n")
            return next(found for found in stream.lines() if "id" in found)

        for line in lines(f"{FIXTURES}/valid/control-frames.jsonl"):
            answer = reply(line)
            assert answer["id"] == json.loads(line)["id"]
            assert answer.get("error", {}).get("dispatch") != "not_started", (line, answer)
        for line in lines(f"{FIXTURES}/invalid/control-frames.jsonl"):
            assert reply(line)["error"]["dispatch"] == "not_started", line


def test_answers_and_frames_fit_the_published_schemas(live: LiveServer) -> None:
    response = schema("terminal/schema/response.schema.json")
    event = schema("terminal/schema/event.schema.json")

    def check(name: str, params: dict[str, Any]) -> dict[str, Any]:
        answer = live.answer(f"terminal.backend.{name}", params)
        valid_against(response, {"id": "t", **answer})
        return answer

    with live.stream("terminal.backend.events.subscribe") as events:
        valid_against(response, events.line())
        made = create(live, "exec cat", restore=False, label="x")
        valid_against(response, {"id": "t", "result": made})
        mine = locator(made)
        view = {"mode": "recent_unwrapped", "lines": 200, "ansi": True, "cursor": True}
        with live.stream("terminal.backend.control", mine | view) as stream:
            valid_against(response, stream.line())
            valid_against(event, stream.line())
            check("submit_text", mine | {"text": "marker"})
            valid_against(event, stream.line())
        for name, params in (
            ("inventory", {}),
            ("snapshot", {}),
            ("validate", mine),
            ("processes", mine),
            ("capture", mine | {"mode": "detection", "lines": 300, "ansi": False}),
            ("wait_change", mine | {"after_revision": 0, "timeout_ms": 1000}),
            ("wait_output", mine | {"after_revision": 0, "timeout_ms": 1000, "match": "marker"}),
            ("send_key", mine | {"key": "enter"}),
            ("set_title", mine | {"title": "y"}),
            ("notify", mine | {"title": "", "body": ""}),
            ("close", mine),
            ("close", mine),
        ):
            check(name, params)
        for line in events.lines():
            valid_against(event, line)
            if line["event"] == "terminal.closed":
                break


def test_the_fixture_files_have_the_lines_of_their_manifest() -> None:
    manifest = schema("terminal/fixtures/manifest.json")

    for entry in manifest["files"]:
        path = reference.FOLDER / "v1" / FIXTURES / entry["path"]
        if path.exists():
            assert len(path.read_bytes().splitlines()) == entry["count"], entry
