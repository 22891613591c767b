"""Observe and control streams over a real socket."""

from __future__ import annotations

import base64
import json
import stat
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.support import backend
from tests.support.backend import capture, create, locator, refusal
from tests.support.live import LineStream, LiveServer

OBSERVE, CONTROL = "terminal.backend.observe", "terminal.backend.control"
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJg"
    "gg=="
)


@contextmanager
def followed(
    live: LiveServer, method: str, row: dict[str, Any], *, auth: str | None = None, **view: Any
) -> Iterator[LineStream]:
    """Open a stream and take its acknowledgement."""
    with live.stream(method, locator(row, **view), auth=auth) as stream:
        started = stream.line()
        assert started is not None
        assert started["result"]["type"] == "terminal_backend_stream", started
        yield stream


def act(stream: LineStream, action: str, request: str = "a", **params: Any) -> dict[str, Any]:
    """Send an action and return its reply, passing over frames."""
    raw(stream, json.dumps({"id": request, "action": action, "params": params}).encode())
    reply = next(line for line in stream.lines() if "id" in line)
    assert reply.pop("id") == request
    return reply


def raw(stream: LineStream, line: bytes) -> None:
    stream.sock.sendall(line + b"\n")


def frame_with(stream: LineStream, text: str) -> dict[str, Any]:
    """Return the data of the next frame that shows a text."""
    for line in stream.lines():
        if line.get("event") == "terminal.frame" and text in line["data"]["text"]:
            return dict(line["data"])
    raise AssertionError(f"the stream ended without {text!r}")


def streams(live: LiveServer) -> int:
    return int(live.call("uhp.stats")["events"]["terminal_streams"])


def test_a_stream_says_what_it_is_then_shows_the_screen_at_once(live: LiveServer) -> None:
    made = create(live, "printf 'one\\ntwo '; exec cat")
    backend.wait_shown(live, made, "two")
    view = {"mode": "visible", "lines": 2, "ansi": False, "cursor": True}

    with live.stream(OBSERVE, locator(made, **view)) as stream:
        started, first = stream.line(), stream.line()
        quiet = stream.silent_for(0.1)

    assert started is not None
    assert first is not None
    revision = capture(live, made)["content_revision"]
    assert started == {
        "id": "s",
        "result": {
            "type": "terminal_backend_stream",
            "mode": "observe",
            **locator(made),
            "sequence": started["result"]["sequence"],
            "content_revision": revision,
            "ansi": False,
            "capture_mode": "visible",
            "lines": 2,
            "frame_bytes": 65_536,
            "queue_capacity": 2,
            "loss_behavior": "resync_required_then_close",
        },
    }
    assert first == {
        "event": "terminal.frame",
        "sequence": first["sequence"],
        "data": {
            **locator(made),
            "content_revision": revision,
            "mode": "visible",
            "ansi": False,
            "text": "one\ntwo",
            "lines": 2,
            "bytes": 7,
            "truncated": False,
            "cursor": {"offset": 7, "padding_cells": 1},
        },
    }
    assert quiet


def test_the_last_line_of_a_program_that_falls_silent_is_shown(live: LiveServer) -> None:
    made = create(live, "read go; echo last line; exec sleep 1000")

    for method in (OBSERVE, CONTROL):
        with followed(live, method, made, mode="recent_unwrapped", lines=200) as stream:
            backend.call(live, "submit_text", locator(made, text="go"))
            data = frame_with(stream, "last line")

        assert "cursor" not in data
        assert data["bytes"] == len(data["text"].encode())
        assert data["lines"] == data["text"].count("\n") + 1


def test_frames_rise_in_revision_while_output_goes_on(live: LiveServer) -> None:
    made = create(live, "read go; for n in $(seq 300); do echo row $n; done; echo end; read x")

    with followed(live, OBSERVE, made, lines=200) as stream:
        backend.call(live, "submit_text", locator(made, text="go"))
        revisions = []
        for line in stream.lines():
            revisions.append(line["data"]["content_revision"])
            if "end" in line["data"]["text"]:
                break

    assert revisions == sorted(set(revisions))


def test_a_frame_holds_no_more_than_its_bytes_and_says_so(live: LiveServer) -> None:
    made = create(live, "head -c 200000 /dev/zero | tr '\\0' x; echo; echo end; exec cat")
    backend.wait_shown(live, made, "end")

    with followed(live, OBSERVE, made, mode="recent_unwrapped", lines=200, ansi=False) as stream:
        data = frame_with(stream, "end")

    assert data["bytes"] <= 65_536
    assert data["truncated"]


def test_observing_never_resizes_the_terminal(live: LiveServer) -> None:
    made = create(live, "trap 'stty size' WINCH; stty size; while read x; do stty size; done")
    backend.wait_shown(live, made, "40 120")

    with followed(live, OBSERVE, made, lines=5):
        backend.call(live, "submit_text", locator(made, text="x"))
        backend.wait_shown(live, made, "40 120\nx\n40 120")


def test_the_ninth_stream_is_refused_and_a_closed_one_makes_room(live: LiveServer) -> None:
    made = create(live, "exec cat")
    with ExitStack() as opened:
        for _ in range(8):
            opened.enter_context(followed(live, OBSERVE, made))
        assert streams(live) == 8

        assert refusal(live, "observe", locator(made)) == ("limit_exceeded", "rejected")
        assert refusal(live, "control", locator(made)) == ("limit_exceeded", "rejected")

    while streams(live):
        live.call("events.wait", {"event": "none", "timeout_s": 0})
    with followed(live, OBSERVE, made):
        assert streams(live) == 1


@pytest.mark.parametrize("fence", [0, None, "x"])
def test_a_stream_that_changes_things_is_not_opened_at_another_revision(
    live: LiveServer, fence: Any
) -> None:
    made = create(live, "exec cat")
    now = live.call("uhp.capabilities")["event_sequence"]

    for method, params in ((CONTROL, locator(made)), ("view.size", {"cols": 40, "rows": 12})):
        error = live.refusal(method, {**params, "if_revision": fence})
        assert (error["code"], error["expected"]) == ("revision_conflict", fence)
        assert error["actual"] >= now
    assert streams(live) == 0

    fits = live.call("uhp.capabilities")["event_sequence"]
    with live.stream(CONTROL, {**locator(made), "if_revision": fits}) as stream:
        started = stream.line()
        assert started is not None
        assert started["result"]["mode"] == "control"
        stream.sock.sendall(b'{"id":"1","action":"type_literal","params":{"text":"x"}}\n')
        answered = next(line for line in stream.lines() if "id" in line)
        assert answered["result"]["dispatch"] == "queued"


def test_a_terminal_has_one_controller_and_any_observers(live: LiveServer) -> None:
    made, other = create(live, "exec cat"), create(live, "exec cat")
    with followed(live, CONTROL, made), followed(live, CONTROL, other):
        assert refusal(live, "control", locator(made)) == ("control_conflict", "rejected")
        with followed(live, OBSERVE, made):
            assert streams(live) == 3

    while streams(live):
        live.call("events.wait", {"event": "none", "timeout_s": 0})
    with followed(live, CONTROL, made):
        assert streams(live) == 1


def test_a_stream_ends_when_its_terminal_closes(live: LiveServer) -> None:
    made = create(live, "read x; echo goodbye")
    with followed(live, OBSERVE, made) as stream, followed(live, CONTROL, made) as controlled:
        act(controlled, "submit_text", text="x")
        shown = [line["data"]["text"] for line in stream.lines()]
        assert list(controlled.lines()) is not None

    assert "goodbye" in shown[-1]


def test_input_actions_are_carried_out_and_answered_in_order(live: LiveServer) -> None:
    made = create(live, "exec cat")
    queued = {
        "result": {
            "type": "terminal_backend_action",
            "state": "succeeded",
            "dispatch": "queued",
        }
    }
    with followed(live, CONTROL, made) as stream:
        replies = [
            act(stream, "type_literal", "1", text="typed "),
            act(stream, "paste_text", "2", text="pasted "),
            act(stream, "submit_text", "3", text="submitted"),
        ]
        backend.wait_shown(live, made, "typed pasted submitted\ntyped pasted submitted")
        replies += [
            act(stream, "send_key", "4", key="digit-7"),
            act(stream, "send_key", "5", key="enter"),
        ]

    assert replies == [queued] * 5
    backend.wait_shown(live, made, "typed pasted submitted\ntyped pasted submitted\n7\n7")


def test_bad_action_lines_are_answered_and_survived(live: LiveServer) -> None:
    made = create(live, "exec cat")
    lines = {
        b"no json": ("0", "invalid_request"),
        b"[]": ("0", "invalid_request"),
        b"\xff": ("0", "invalid_request"),
        b'{"id":"1","action":"type_literal","params":{"text":"\xc3"}}': ("0", "invalid_request"),
        b'{"id":"1","id":"1","action":"send_key","params":{"key":"tab"}}': ("0", "invalid_request"),
        b'{"id":"\xc3\xa9","action":"send_key","params":{"key":"tab"}}': ("0", "invalid_request"),
        b'{"id":"1","action":"send_key"}': ("1", "invalid_request"),
        b'{"id":"1","action":"send_key","params":{},"x":1}': ("1", "invalid_request"),
        b'{"id":"1","action":"run","params":{"command":"rm"}}': ("1", "unsupported_capability"),
        b'{"id":"1","action":"send_key","params":{"key":"ctrl-z"}}': ("1", "invalid_params"),
        b'{"id":"1","action":"type_literal","params":{"text":""}}': ("1", "invalid_params"),
        b'{"id":"1","action":"type_literal","params":{"text":"x","y":1}}': ("1", "invalid_params"),
        b'{"id":"1","action":"paste_image","params":{"png_base64":"!!!!"}}': (
            "1",
            "invalid_params",
        ),
        b'{"id":"1","action":"paste_image","params":{"png_base64":"aGVsbG8="}}': (
            "1",
            "invalid_params",
        ),
    }
    with followed(live, CONTROL, made) as stream:
        for line, expected in lines.items():
            raw(stream, line)
            reply = next(found for found in stream.lines() if "id" in found)
            assert (reply["id"], reply["error"]["code"]) == expected, line
            assert reply["error"]["dispatch"] == "not_started"
        assert "result" in act(stream, "submit_text", text="alive")

    backend.wait_shown(live, made, "alive\nalive")
    assert not (live.directory / "uploads").exists()


def test_an_observer_cannot_act(live: LiveServer) -> None:
    made = create(live, "exec cat")
    with followed(live, OBSERVE, made) as stream:
        stream.line()
        raw(stream, b'{"id":"1","action":"type_literal","params":{"text":"x"}}')

        assert stream.silent_for(0.1)

    assert capture(live, made)["text"] == ""


def test_a_revoked_token_ends_a_control_stream_without_a_byte(live: LiveServer) -> None:
    made = create(live, "exec cat")
    granted = live.call("uhp.token.create", {"scopes": ["terminal"], "ttl_s": 60})
    with followed(live, CONTROL, made, auth=granted["token"]) as stream:
        assert "result" in act(stream, "type_literal", text="before")
        live.call("uhp.token.revoke", {"id": granted["id"]})

        reply = act(stream, "type_literal", text=" after")
        rest = list(stream.lines())

    assert (reply["error"]["code"], reply["error"]["dispatch"]) == ("forbidden", "rejected")
    assert rest == []
    assert capture(live, made)["text"] == "before"


def test_a_file_is_uploaded_in_order_and_its_private_path_pasted(live: LiveServer) -> None:
    made = create(live, "printf '\\033[?2004h'; stty raw -echo; exec cat -v")
    data = bytes(range(256)) * 1000
    pieces = [data[:100_000], data[100_000:]]
    with followed(live, CONTROL, made, lines=200) as stream:
        frame_with(stream, "")
        begun = act(stream, "upload_start", name="my $(notes).txt", size=len(data))["result"]
        upload = begun["upload_id"]
        second = act(stream, "upload_start", name="b", size=1)["error"]
        offset = 0
        for piece in pieces:
            encoded = base64.b64encode(piece).decode()
            chunk = {"upload_id": upload, "data_base64": encoded}
            wrong = act(stream, "upload_chunk", offset=offset + 1, **chunk)["error"]
            early = act(stream, "upload_finish", upload_id=upload)["error"]
            state = act(stream, "upload_chunk", offset=offset, **chunk)["result"]
            offset = state["offset"]
            assert (wrong["code"], wrong["dispatch"]) == ("invalid_params", "rejected")
            assert (early["code"], early["dispatch"]) == ("invalid_params", "rejected")
        finished = act(stream, "upload_finish", upload_id=upload)["result"]

    path = live.directory / "uploads" / upload / "my___notes_.txt"
    assert begun == {
        "type": "terminal_backend_upload",
        "state": "succeeded",
        "dispatch": "executed",
        "upload_id": upload,
        "offset": 0,
        "size": len(data),
    }
    assert (second["code"], second["dispatch"]) == ("limit_exceeded", "rejected")
    assert finished["dispatch"] == "queued"
    assert path.read_bytes() == data
    assert modes(path.parent.parent, path.parent, path) == [0o700, 0o700, 0o600]
    shown = capture(live, made, mode="recent_unwrapped", lines=20)
    if str(path) not in shown["text"]:
        backend.wait_shown(live, made, str(path), after=shown["content_revision"])
    text = capture(live, made, mode="recent_unwrapped")["text"]
    assert text == f"^[[200~{path}^[[201~"


def modes(*paths: Path) -> list[int]:
    return [stat.S_IMODE(path.stat().st_mode) for path in paths]


def test_an_image_is_kept_and_its_path_pasted(live: LiveServer) -> None:
    made = create(live, "stty raw -echo; exec cat -v")
    with followed(live, CONTROL, made) as stream:
        reply = act(stream, "paste_image", png_base64=base64.b64encode(PNG).decode())

    (path,) = (live.directory / "uploads").glob("*/*.png")
    assert reply["result"]["dispatch"] == "queued"
    assert path.read_bytes() == PNG
    backend.wait_shown(live, made, str(path))


def test_a_cancelled_upload_and_one_whose_client_left_leave_no_file(live: LiveServer) -> None:
    made = create(live, "exec cat")
    folder = live.directory / "uploads"
    with followed(live, CONTROL, made) as stream:
        first = act(stream, "upload_start", name="a", size=5)["result"]["upload_id"]
        assert len(list(folder.iterdir())) == 1
        cancelled = act(stream, "upload_cancel", upload_id=first)
        unknown = act(stream, "upload_cancel", upload_id=first)
        assert list(folder.iterdir()) == []
        act(stream, "upload_start", name="b", size=5)

    while streams(live):
        live.call("events.wait", {"event": "none", "timeout_s": 0})
    assert cancelled["result"]["dispatch"] == "executed"
    assert unknown["error"]["code"] == "invalid_params"
    assert list(folder.iterdir()) == []
    assert capture(live, made)["text"] == ""


def test_a_reader_who_never_reads_is_cut_off_and_gives_its_place_back(live: LiveServer) -> None:
    made = create(live, "while :; do printf '%04096d\\n' $RANDOM; sleep 0.01; done")
    with live.stream(OBSERVE, locator(made, mode="recent_unwrapped", lines=200)) as stream:
        stream.line()
        while streams(live):
            live.call("events.wait", {"event": "none", "timeout_s": 0})
        last = None
        for line in stream.lines():
            last = line

    assert last is not None
    assert last["event"] in {"terminal.frame", "terminal.resync_required"}
    backend.close(live, made)
