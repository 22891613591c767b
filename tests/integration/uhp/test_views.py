"""Live views over a real socket: snapshot and bytes, slow viewers, rights, sizes."""

from __future__ import annotations

import json
from typing import Any

from tests.support.live import LineStream, LiveServer

QUEUE_BYTES = 262_144


def send(view: LineStream, **line: Any) -> None:
    view.sock.sendall(json.dumps(line).encode() + b"\n")


def text_until(view: LineStream, wanted: str, *, acks: bool = False) -> str:
    """Return what a viewer shows once the wanted text has come; a snapshot begins anew."""
    shown = ""
    for line in view.lines():
        if line["event"] == "view.snapshot":
            shown = ""
        shown += str(line["data"].get("text", ""))
        if acks:
            send(view, action="ack", end=line["data"]["end"])
        if wanted in shown:
            return shown
    raise AssertionError(f"the view ended without {wanted!r}: {shown[-200:]!r}")


def test_a_view_begins_with_the_screen_and_goes_on_with_what_is_typed(live: LiveServer) -> None:
    live.call("pane.run", {"pane": "1", "command": "echo be''fore"})
    live.wait_text("1", "before")

    with live.stream("view.pane", {"pane": "1"}) as view:
        started = view.line()
        assert started is not None
        terminal_id = started["result"].pop("terminal_id")
        assert started["result"] == {"type": "view_started", "pane": "1", "writable": True}
        assert len(terminal_id) == 32
        snapshot = view.line()
        assert snapshot is not None
        assert snapshot["event"] == "view.snapshot"
        assert (snapshot["data"]["cols"], snapshot["data"]["rows"]) == (120, 40)
        assert "before" in snapshot["data"]["text"]

        send(view, action="type", text="echo li''ve\r")
        text_until(view, "live")


def test_a_view_ends_with_a_closing_frame_when_its_pane_is_closed(live: LiveServer) -> None:
    pane = live.call("pane.split", {})["pane"]

    with live.stream("view.pane", {"pane": pane}) as view:
        view.line()
        live.call("pane.close", {"pane": pane})

        # How the program ended may be known by then, or not yet.
        assert list(view.lines())[-1]["event"] == "view.closed"


def test_a_viewer_that_does_not_read_gets_a_new_snapshot_and_no_backlog(live: LiveServer) -> None:
    with live.stream("view.pane", {"pane": "1", "acknowledges": True}) as view:
        view.line()
        flood = "head -c 8000000 /dev/zero | tr '\\0' x; echo; echo e''nd\r"
        send(view, action="type", text=flood)
        live.wait_text("1", "end")
        received = 0
        snapshots = 0
        shown = ""
        for line in view.lines():
            snapshots += line["event"] == "view.snapshot"
            shown = line["data"]["text"] if line["event"] == "view.snapshot" else shown
            shown += line["data"]["text"] if line["event"] == "view.output" else ""
            received += len(line["data"]["text"])
            send(view, action="ack", end=line["data"]["end"])
            if "end" in shown and snapshots >= 2:
                break

        assert received < 4 * QUEUE_BYTES


def test_the_scrollback_comes_back_once_a_flood_is_over(live: LiveServer) -> None:
    with live.stream("view.pane", {"pane": "1", "acknowledges": True}) as view:
        view.line()
        command = "head -c 4000000 /dev/zero | tr '\\0' x; echo; seq 1000 1200; echo e''nd\r"
        send(view, action="type", text=command)
        live.wait_text("1", "end")

        text_until(view, "1001\r\n", acks=True)


def test_a_viewer_with_a_reading_token_sees_and_may_not_type(live: LiveServer) -> None:
    made = live.call("uhp.token.create", {"scopes": ["read"], "ttl_s": 600})

    with live.stream("view.pane", {"pane": "1"}, auth=made["token"]) as view:
        started = view.line()
        assert started is not None
        assert started["result"]["writable"] is False
        view.line()
        send(view, action="type", text="touch typed\r")

        assert view.until("view.refused")["data"]["code"] == "forbidden"

    assert not (live.folder / "typed").exists()


def test_a_bad_line_of_a_viewer_is_refused_and_the_view_goes_on(live: LiveServer) -> None:
    with live.stream("view.pane", {"pane": "1"}) as view:
        view.line()
        view.line()
        for raw in (b"nonsense\n", b'{"action":"dance"}\n', b'{"action":"type","text":""}\n'):
            view.sock.sendall(raw)
            assert view.until("view.refused")["data"]["code"].startswith("invalid_")

        send(view, action="type", text="echo st''ill\r")
        text_until(view, "still")


def test_viewing_resizes_nothing_and_a_lease_reverts_when_its_holder_leaves(
    live: LiveServer,
) -> None:
    with live.stream("view.pane", {"pane": "1"}) as view:
        view.line()
        assert sized(view) == (120, 40)
        with live.stream("view.size", {"cols": 90, "rows": 30}) as first:
            first.line()
            assert sized(view) == (90, 30)
            with live.stream("view.size", {"cols": 50, "rows": 20}) as second:
                second.line()
                assert second.until("view.size")["data"] == {"cols": 90, "rows": 30, "yours": False}
                send(second, action="take")
                assert sized(view) == (50, 20)
                first.until("view.size", cols=50, yours=False)
            assert sized(view) == (90, 30)
            send(first, action="size", cols=100, rows=25)
            assert sized(view) == (100, 25)
        assert sized(view) == (120, 40)


def test_a_size_that_is_too_small_for_any_layout_is_refused(live: LiveServer) -> None:
    with live.stream("view.size", {"cols": 2, "rows": 1}) as size:
        refused = size.line()

        assert refused is not None
        assert refused["error"]["code"] == "invalid_params"


def sized(view: LineStream) -> tuple[int, int]:
    data = view.until("view.snapshot")["data"]
    return data["cols"], data["rows"]


def test_bytes_that_are_no_text_are_typed_as_they_are(live: LiveServer) -> None:
    live.call("pane.run", {"pane": "1", "command": "stty raw; echo rea''dy; head -c 3 > got"})
    live.wait_text("1", "ready")
    with live.stream("view.pane", {"pane": "1"}) as view:
        view.line()
        send(view, action="type_bytes", base64="/4AB")
        send(view, action="type_bytes", base64="*")
        assert view.until("view.refused")["data"]["code"] == "invalid_params"
        live.wait_text("1", "$")

    assert (live.folder / "got").read_bytes() == b"\xff\x80\x01"


def test_a_viewer_can_ask_for_a_new_snapshot_and_for_no_scrollback(live: LiveServer) -> None:
    live.call("pane.run", {"pane": "1", "command": "seq 100; echo e''nd"})
    live.wait_text("1", "end")
    with live.stream("view.pane", {"pane": "1", "scrollback_bytes": 0}) as view:
        view.line()
        first = view.until("view.snapshot")["data"]["text"]
        send(view, action="refresh")

        assert view.until("view.snapshot")["data"]["text"] == first
        assert "100\r\nend\r\n$ " in first
        assert "\r\n61\r\n" not in first


def test_a_view_says_how_its_program_ended(live: LiveServer) -> None:
    pane = live.call("pane.split", {})["pane"]
    with live.stream("view.pane", {"pane": pane}) as view:
        view.line()
        send(view, action="type", text="exit 3\r")

        assert list(view.lines())[-1] == {"event": "view.closed", "data": {"exit_code": 3}}


def test_the_size_of_one_pane_can_be_leased_without_touching_the_others(live: LiveServer) -> None:
    other = live.call("pane.split", {"direction": "right"})["pane"]
    with (
        live.stream("view.pane", {"pane": other}) as view,
        live.stream("view.pane", {"pane": "1"}) as untouched,
    ):
        view.line()
        untouched.line()
        before = sized(untouched)
        own = sized(view)
        with live.stream("view.size", {"pane": other, "cols": 90, "rows": 30}) as first:
            first.line()
            assert sized(view) == (90, 30)
            with live.stream(
                "view.size", {"pane": other, "cols": 50, "rows": 20, "take": True}
            ) as second:
                second.line()
                assert sized(view) == (50, 20)
                assert second.until("view.size")["data"] == {"cols": 50, "rows": 20, "yours": True}
                first.until("view.size", cols=50, yours=False)
            assert sized(view) == (90, 30)
        assert sized(view) == own
        send(untouched, action="refresh")
        assert sized(untouched) == before


def test_a_size_is_refused_for_a_pane_that_is_not_there(live: LiveServer) -> None:
    with live.stream("view.size", {"pane": "99", "cols": 90, "rows": 30}) as size:
        refused = size.line()

        assert refused is not None
        assert refused["error"]["code"] == "not_found"


def test_a_leased_size_does_not_outlive_a_server_that_crashes(live: LiveServer) -> None:
    with live.stream("view.size", {"pane": "1", "cols": 50, "rows": 20}) as size:
        size.line()
        with live.stream("view.pane", {"pane": "1"}) as view:
            view.line()
            view.until("view.snapshot", cols=50)
        live.kill()
    live.start()
    live.wait_text("1", "$")

    with live.stream("view.pane", {"pane": "1"}) as view:
        view.line()
        view.until("view.snapshot", cols=120, rows=40)
