"""What a terminal's methods refuse, over a real socket, and that refusals do nothing."""

from __future__ import annotations

import json
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from luvus_service.uhp.engine.workspaces import EARLY_EXITS
from tests.support import backend
from tests.support.backend import capture, create, locator, refusal, rows
from tests.support.live import LiveServer

ZEROS = "0" * 32
RAW_AND_DEAF = "stty raw -echo; printf ready; exec sleep 1000"


def test_each_wrong_part_of_a_locator_is_told_apart_and_changes_nothing(
    live: LiveServer,
) -> None:
    made = create(live, "exec cat", label="kept")
    root = made["root_process"]
    wrong: dict[str, dict[str, Any]] = {
        "stale_server": {"server_generation": ZEROS},
        "stale_terminal": {"terminal_id": ZEROS},
        "stale_route": {"pane_id": str(int(made["pane_id"]) + 1000)},
        "process_mismatch": {"expected_root": {"pid": root["pid"], "start_marker": "linux:0"}},
    }

    calls: dict[str, dict[str, Any]] = {
        "set_title": {"title": "changed"},
        "notify": {"title": "", "body": ""},
        "type_literal": {"text": "x"},
        "submit_text": {"text": "x"},
        "send_key": {"key": "enter"},
        "capture": {"mode": "visible", "lines": 1, "ansi": False},
        "processes": {},
        "wait_change": {"after_revision": 0, "timeout_ms": 1},
        "observe": {},
        "control": {},
        "close": {},
    }

    for code, part in wrong.items():
        mine = locator(made, **part)
        refused = {name: refusal(live, name, mine | params) for name, params in calls.items()}
        assert set(refused.values()) == {(code, "rejected")}, code

    (row,) = [r for r in rows(live).values() if r["terminal_id"] == made["terminal_id"]]
    assert (row["label"], row["content_revision"]) == ("kept", 0)
    assert capture(live, made)["text"] == ""


def test_the_expected_root_of_the_inventory_is_accepted(live: LiveServer) -> None:
    made = create(live, "exec cat")
    pid = made["root_process"]["pid"]

    for expected in (made["root_process"], {"pid": pid}, {"pid": pid, "start_marker": None}):
        found = backend.call(live, "validate", locator(made, expected_root=expected))
        assert found == {"type": "terminal_backend_validation", "state": "alive"}


@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("send_key", {"key": "ctrl-z"}),
        ("send_key", {"key": "raw-bytes"}),
        ("submit_text", {"text": ""}),
        ("submit_text", {}),
        ("type_literal", {"text": "x", "extra": True}),
        ("observe", {"lines": 201}),
        ("observe", {"lines": True}),
        ("observe", {"mode": "detection"}),
        ("capture", {"mode": "visible", "lines": 301, "ansi": False}),
        ("capture", {"mode": "visible", "lines": 0, "ansi": False}),
        ("capture", {"mode": "visible", "lines": 10}),
        ("wait_change", {"after_revision": 0, "timeout_ms": 300_001}),
        ("wait_change", {"after_revision": -1, "timeout_ms": 1}),
        ("wait_output", {"after_revision": 0, "timeout_ms": 1, "match": "x" * 4097}),
        ("set_title", {"title": "é" * 129}),
        ("validate", {"expected_root": {"pid": 0}}),
        ("validate", {"pane_id": "07"}),
        ("validate", {"pane_id": 7}),
        ("validate", {"server_generation": "A" * 32}),
        ("inventory", {"extra": True}),
    ],
)
def test_params_that_do_not_fit_are_refused_before_anything_starts(
    served: LiveServer, name: str, params: dict[str, Any]
) -> None:
    whole = {"server_generation": ZEROS, "terminal_id": ZEROS, "pane_id": "1"} | params
    if name == "inventory":
        whole = params

    assert refusal(served, name, whole) == ("invalid_params", "not_started")


def test_a_text_over_the_limit_is_too_large_whatever_its_characters(live: LiveServer) -> None:
    made = create(live, "stty raw -echo; exec cat >/dev/null")
    limit = 262_144

    for name in ("type_literal", "paste_text", "submit_text"):
        fits = backend.call(live, name, locator(made, text="a" * limit))
        assert fits["dispatch"] == "queued"
        for text in ("a" * (limit + 1), "é" * (limit // 2 + 1)):
            refused = refusal(live, name, locator(made, text=text))
            assert refused == ("input_too_large", "not_started")


def test_a_program_that_does_not_read_fills_its_queue_and_nothing_else(live: LiveServer) -> None:
    made = create(live, RAW_AND_DEAF)
    backend.wait_shown(live, made, "ready")
    whole = locator(made, text="a" * 262_144)
    accepted = 0
    while "result" in (answer := live.answer("terminal.backend.type_literal", whole)):
        assert answer["result"]["dispatch"] == "queued"
        accepted += 1
        assert accepted < 64

    error = answer["error"]
    limits = live.call("uhp.capabilities")["terminal"]["limits"]

    assert (error["code"], error["dispatch"]) == ("send_failed", "rejected")
    assert "queue is full" in error["message"]
    assert limits["queued_input_bytes"] == 8_388_608
    assert accepted * 262_144 <= 8_388_608 + 1_048_576
    assert backend.call(live, "close", locator(made))["dispatch"] == "executed"
    assert backend.call(live, "validate", locator(made))["state"] == "gone"


@pytest.mark.parametrize("character", ['"', '"\u2028'], ids=["quote", "separator"])
def test_a_text_that_grows_over_the_frame_in_an_answer_is_too_large(
    live: LiveServer, character: str
) -> None:
    program = f"print({character!r} * 530_000, '', 'end', sep='\\n'); input()"
    made = create(live, command=[sys.executable, "-c", program])
    live.wait_text(made["pane_id"], "end")

    code, dispatch = refusal(
        live, "capture", {**locator(made), "mode": "recent_unwrapped", "lines": 300, "ansi": False}
    )

    assert (code, dispatch) == ("capture_too_large", "rejected")
    assert capture(live, made, lines=1)["text"] == "end"


def test_a_quiet_terminal_answers_a_wait_with_a_timeout(live: LiveServer) -> None:
    made = create(live, "exec cat")
    revision = capture(live, made)["content_revision"]

    change = locator(made, after_revision=revision, timeout_ms=50)
    output = change | {"match": "never"}

    assert refusal(live, "wait_change", change) == ("timeout", None)
    assert refusal(live, "wait_output", output) == ("timeout", None)
    assert capture(live, made)["content_revision"] == revision


def test_an_answer_that_nobody_reads_does_not_undo_the_change(live: LiveServer) -> None:
    made = create(live, "exec cat")
    params = locator(made, title="kept")
    request = {"id": "1", "method": "terminal.backend.set_title", "params": params}

    with live.stream("terminal.backend.events.subscribe") as stream:
        stream.line()
        with live.connect() as sock:
            sock.sendall(json.dumps(request).encode() + b"\n")
        told = stream.until("terminal.metadata_changed")

    assert told["data"]["detail"] == {"label": "kept"}
    assert rows(live)[made["terminal_id"]]["label"] == "kept"


def test_the_sixty_fifth_subscriber_is_refused_and_the_server_works_on(live: LiveServer) -> None:
    with ExitStack() as opened:
        for _ in range(64):
            stream = opened.enter_context(live.stream("terminal.backend.events.subscribe"))
            started = stream.line()
            assert started is not None
            assert started["result"]["type"] == "subscription_started"

        assert refusal(live, "events.subscribe") == ("unavailable", None)

    assert live.call("ping")["type"] == "pong"


def test_a_parked_wait_is_silent_until_its_terminal_closes(live: LiveServer) -> None:
    made = create(live, "exec cat")
    revision = capture(live, made)["content_revision"]
    waits = {
        "wait_change": locator(made, after_revision=revision, timeout_ms=5000),
        "wait_output": locator(made, after_revision=revision, timeout_ms=5000, match="never"),
    }
    with ExitStack() as opened:
        parked = [
            opened.enter_context(live.stream(f"terminal.backend.{name}", params))
            for name, params in waits.items()
        ]
        assert all(stream.silent_for(0.2) for stream in parked)
        began = time.monotonic()

        assert backend.call(live, "close", locator(made))["dispatch"] == "executed"

        answers = [stream.line(3.0) for stream in parked]
    codes = [answer["error"]["code"] for answer in answers if answer is not None]
    assert codes == ["terminal_gone", "terminal_gone"]
    assert time.monotonic() - began < 3


def test_of_one_terminal_sixty_four_waits_are_parked_and_one_more_refused(
    live: LiveServer,
) -> None:
    made = create(live, "exec cat")
    wait = locator(made, after_revision=0, timeout_ms=300_000)
    with ExitStack() as opened:
        for _ in range(64):
            opened.enter_context(live.stream("terminal.backend.wait_change", wait))

        assert refusal(live, "wait_change", wait)[0] == "limit_exceeded"

        backend.close(live, made)


def test_an_empty_server_lists_nothing_and_creates_the_first_terminal(short_tmp: Path) -> None:
    live = LiveServer(short_tmp)
    live.extra = {"LUVUS_SHELL": "/bin/false"}
    live.start()
    try:
        with live.stream("events.subscribe", {"after_sequence": 0}) as stream:
            for _ in range(1 + EARLY_EXITS):
                stream.until("workspace.closed")
        assert rows(live) == {}
        gone = {"server_generation": backend.call(live, "inventory")["server_generation"]}
        gone |= {"terminal_id": ZEROS, "pane_id": "1"}
        assert backend.call(live, "validate", gone)["state"] == "gone"

        made = create(live, "exec cat")

        assert rows(live).keys() == {made["terminal_id"]}
    finally:
        live.stop()


def test_a_wait_is_answered_by_the_first_output_that_has_the_text(live: LiveServer) -> None:
    made = create(live, "exec cat")

    for number in range(10):
        marker = f"marker{number}"
        baseline = capture(live, made)["content_revision"]
        with live.stream("terminal.backend.events.subscribe") as stream:
            stream.line()
            backend.call(live, "submit_text", locator(made, text=marker))
            wait = locator(made, after_revision=baseline, match=marker, timeout_ms=3000)
            waited = backend.call(live, "wait_output", wait)["content_revision"]
            first = stream.until("terminal.output_ready", terminal_id=made["terminal_id"])
        assert baseline < waited <= first["data"]["content_revision"]


def test_a_read_token_reads_terminals_and_cannot_type(live: LiveServer) -> None:
    made = create(live, "exec cat")
    token = live.call("uhp.token.create", {"scopes": ["read"], "ttl_s": 60})["token"]

    captured = live.call(
        "terminal.backend.capture",
        locator(made, mode="visible", lines=1, ansi=False),
        auth=token,
    )
    refused = [
        live.refusal(f"terminal.backend.{name}", locator(made, **params), auth=token)["code"]
        for name, params in (
            ("type_literal", {"text": "x"}),
            ("control", {}),
            ("close", {"no such": 1}),
        )
    ]

    assert captured["text"] == ""
    assert refused == ["forbidden"] * 3
