"""The life of a terminal as a program drives it, over a real socket."""

from __future__ import annotations

import json
from typing import Any

from tests.support import backend
from tests.support.backend import capture, create, locator, refusal, rows
from tests.support.live import LiveServer
from tests.support.terminal_replay import Replica

DONE = {"type": "terminal_backend_action", "state": "succeeded", "dispatch": "executed"}
QUEUED = DONE | {"dispatch": "queued"}


def test_a_terminal_is_created_driven_followed_and_closed(live: LiveServer) -> None:
    with live.stream("terminal.backend.events.subscribe") as stream:
        started = stream.line()
        assert started is not None
        made = create(live, "exec cat", label="review", restore=False)
        snapshot = backend.call(live, "snapshot")
        copy = Replica(snapshot)
        appeared = stream.until("terminal.created", terminal_id=made["terminal_id"])
        copy.apply(appeared)
        baseline = capture(live, made)["content_revision"]

        queued = backend.call(live, "submit_text", locator(made, text="marker"))
        wanted = {"after_revision": baseline, "match": "marker", "timeout_ms": 3000}
        waited = backend.call(live, "wait_output", locator(made, **wanted))
        output = stream.until("terminal.output_ready", terminal_id=made["terminal_id"])
        copy.apply(output)
        shown = capture(live, made)
        closed = backend.call(live, "close", locator(made))
        gone = stream.until("terminal.closed", terminal_id=made["terminal_id"])

    row = {r["terminal_id"]: r for r in snapshot["terminals"]}[made["terminal_id"]]
    assert started["result"] == {
        "type": "subscription_started",
        "sequence": started["result"]["sequence"],
        "queue_capacity": 256,
        "loss_behavior": "resync_required_then_close",
    }
    assert (row["label"], row["restore"], made["restore"]) == ("review", False, False)
    assert started["result"]["sequence"] < appeared["sequence"] <= snapshot["event_sequence"]
    assert not copy.needs_snapshot
    assert queued == QUEUED
    assert baseline < waited["content_revision"]
    assert copy.rows[made["terminal_id"]]["content_revision"] >= waited["content_revision"]
    assert "marker" in shown["text"]
    assert closed == DONE
    assert gone["data"]["detail"] == {"reason": "closed"}
    copy.apply(gone)
    assert made["terminal_id"] not in copy.rows
    assert not copy.needs_snapshot
    assert backend.call(live, "validate", locator(made))["state"] == "gone"


def test_creating_answers_with_the_whole_identity_and_moves_no_focus(live: LiveServer) -> None:
    before = live.call("pane.current")

    made = create(live, "exec cat", label="x")

    listed = rows(live)[made["terminal_id"]]
    assert made == {
        "type": "terminal_backend_created",
        "state": "succeeded",
        "dispatch": "executed",
        "server_generation": live.call("uhp.capabilities")["server_generation"],
        "terminal_id": listed["terminal_id"],
        "pane_id": listed["pane_id"],
        "placement": {"kind": "workspace", "workspace": 1, "tab": 2},
        "cwd": str(live.folder),
        "root_process": listed["root_process"],
    }
    assert listed == {
        "terminal_id": made["terminal_id"],
        "pane_id": made["pane_id"],
        "workspace": {"index": 1, "name": live.folder.name, "root": str(live.folder)},
        "tab": {"index": 2, "name": None},
        "cwd": str(live.folder),
        "root_process": made["root_process"],
        "content_revision": 0,
        "terminal_title": None,
        "label": "x",
        "restore": True,
    }
    assert live.call("pane.current")["pane"] == before["pane"]


def test_a_folder_that_is_not_open_becomes_a_workspace_without_focus(live: LiveServer) -> None:
    other = live.home / "other"
    other.mkdir()

    made = create(live, "exec cat", cwd=str(other))
    beside = create(live, "exec cat", beside=made)

    assert made["placement"] == {"kind": "workspace", "workspace": 2, "tab": 1}
    assert beside["placement"] == {"kind": "sibling", "workspace": 2, "tab": 1}
    assert [w["active"] for w in live.call("workspace.list")["workspaces"]] == [True, False]
    assert rows(live)[made["terminal_id"]]["workspace"]["root"] == str(other)


def test_with_focus_the_new_terminal_is_the_focused_one(live: LiveServer) -> None:
    made = create(live, "exec cat", focus=True)

    assert live.call("pane.current")["pane"] == made["pane_id"]


def test_what_cannot_be_created_leaves_nothing_behind(live: LiveServer) -> None:
    def wanted(**other: Any) -> dict[str, Any]:
        return {"cwd": "/", "placement": {"kind": "workspace"}, "focus": False, **other}

    before = rows(live).keys()
    stale = {"server_generation": "0" * 32, "terminal_id": "1" * 32, "pane_id": "1"}
    beside = {"placement": {"kind": "sibling", "of_terminal": stale}}

    refused = {
        "relative": refusal(live, "create", wanted(cwd="tmp")),
        "no folder": refusal(live, "create", wanted(cwd="/no/such/folder")),
        "no program": refusal(live, "create", wanted(command=["/no/such/program"])),
        "nothing to run": refusal(live, "create", wanted(command=[])),
        "long argument": refusal(live, "create", wanted(command=["a" * 16_385])),
        "many bytes": refusal(live, "create", wanted(command=["a" * 16_000] * 5)),
        "many arguments": refusal(live, "create", wanted(command=["a"] * 129)),
        "long label": refusal(live, "create", wanted(label="é" * 129)),
        "restore": refusal(live, "create", wanted(restore="false")),
        "stale sibling": refusal(live, "create", wanted(**beside)),
    }

    malformed = ("invalid_params", "not_started")
    assert refused == {
        "relative": malformed,
        "no folder": ("create_failed", "rejected"),
        "no program": ("create_failed", "rejected"),
        "nothing to run": malformed,
        "long argument": malformed,
        "many bytes": malformed,
        "many arguments": malformed,
        "long label": malformed,
        "restore": malformed,
        "stale sibling": ("stale_server", "rejected"),
    }
    assert rows(live).keys() == before


def test_the_last_terminal_closes_and_another_one_stands_in_the_home(live: LiveServer) -> None:
    (first,) = rows(live).values()
    mine = locator(first, server_generation=live.call("uhp.capabilities")["server_generation"])

    assert backend.call(live, "close", mine) == DONE

    (left,) = rows(live).values()
    assert left["terminal_id"] != first["terminal_id"]
    assert backend.call(live, "validate", mine)["state"] == "gone"


def test_a_label_is_shown_published_once_and_cleared_by_an_empty_one(live: LiveServer) -> None:
    made = create(live, "exec cat")
    with live.stream("terminal.backend.events.subscribe") as stream:
        stream.line()
        labels = []
        for title in ("review", "review", ""):
            assert backend.call(live, "set_title", locator(made, title=title)) == DONE
            labels.append(rows(live)[made["terminal_id"]]["label"])
        backend.close(live, made)
        told = [
            line["data"]["detail"]
            for line in stream_until_closed(stream)
            if line["event"] == "terminal.metadata_changed"
        ]

    assert labels == ["review", "review", None]
    assert told == [{"label": "review"}, {"label": None}]
    code = refusal(live, "set_title", locator(made, title="a\x1bb"))
    assert code == ("invalid_params", "not_started")


def stream_until_closed(stream: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for line in stream.lines():
        found.append(line)
        if line["event"] == "terminal.closed":
            break
    return found


def test_a_program_that_ends_by_itself_tells_how_and_is_gone(live: LiveServer) -> None:
    with live.stream("terminal.backend.events.subscribe") as stream:
        stream.line()
        made = create(live, "echo last words; exit 3")
        told = [
            (line["event"], line["data"]["detail"])
            for line in stream_until_closed(stream)
            if line["data"]["terminal_id"] == made["terminal_id"]
        ]

    status = {"exit_code": 3, "signal": None}
    assert told[0] == ("terminal.created", {})
    assert ("terminal.output_ready", {}) in told
    assert told[-2:] == [
        ("terminal.exited", status),
        ("terminal.closed", {"reason": "exited", **status}),
    ]


def test_a_notification_is_accepted_within_its_limits(live: LiveServer) -> None:
    made = create(live, "exec cat")

    done = backend.call(live, "notify", locator(made, title="Review", body="Ready"))

    assert done == DONE
    long_body = locator(made, title="", body="é" * 4097)
    assert refusal(live, "notify", long_body) == ("invalid_params", "not_started")
    assert refusal(live, "notify", locator(made, title="x"))[0] == "invalid_params"


def test_the_programs_of_a_terminal_are_named_without_their_arguments(live: LiveServer) -> None:
    made = create(live, "sleep 1000; true")
    backend.call(live, "submit_text", locator(made, text="x"))
    backend.wait_shown(live, made, "x")

    found = backend.call(live, "processes", locator(made))

    assert found.pop("executables")[0] == "sh"
    assert found == {
        "type": "terminal_backend_processes",
        **locator(made),
        "root_process": made["root_process"],
        "scan": "observed",
        "arguments_exposed": False,
    }
    assert "1000" not in json.dumps(found)


def test_capture_modes_show_the_screen_the_lines_and_the_last_rows(live: LiveServer) -> None:
    script = "for n in $(seq 60); do echo row $n; done; printf '\\033[31mred\\033[0m'; exec cat"
    made = create(live, script)
    backend.wait_shown(live, made, "red")

    visible = capture(live, made, lines=300)
    recent = capture(live, made, mode="recent_unwrapped", lines=3)
    detection = capture(live, made, mode="detection", lines=300)
    coloured = capture(live, made, lines=1, ansi=True)

    tail = ["row 59", "row 60", "red"]
    assert recent["text"].split("\n") == tail
    assert (recent["lines"], recent["bytes"], recent["truncated"]) == (3, 17, True)
    assert visible["text"].split("\n")[-3:] == tail
    assert visible["lines"] == 40
    assert detection["text"] == "\n".join(visible["text"].split("\n")[-14:])
    assert coloured["text"].startswith("\x1b[")
    assert {visible["content_revision"], detection["content_revision"]} == {
        coloured["content_revision"]
    }
    with_ansi = locator(made, mode="detection", lines=10, ansi=True)
    assert refusal(live, "capture", with_ansi) == ("invalid_params", "not_started")


def test_restarting_makes_the_old_generation_stale(live: LiveServer) -> None:
    (row,) = rows(live).values()
    old = live.call("uhp.capabilities")["server_generation"]
    evidence = live.socket.stat()
    live.stop()
    live.start()

    again = live.socket.stat()

    assert live.call("uhp.capabilities")["server_generation"] != old
    assert (evidence.st_ino, evidence.st_ctime_ns) != (again.st_ino, again.st_ctime_ns)
    mine = locator(row, server_generation=old)
    assert refusal(live, "validate", mine) == ("stale_server", "rejected")


def test_a_program_that_ends_at_once_is_still_noticed(live: LiveServer) -> None:
    for _ in range(20):
        with live.stream("terminal.backend.events.subscribe") as stream:
            stream.line()
            made = create(live, command=["/bin/false"])
            gone = stream.until("terminal.closed", terminal_id=made["terminal_id"])

        assert gone["data"]["detail"] == {"reason": "exited", "exit_code": 1, "signal": None}


def test_after_a_crash_of_the_server_its_terminals_are_there_under_a_new_generation(
    live: LiveServer,
) -> None:
    made = create(live, "echo ready; exec cat", label="kept", restore=False)
    backend.wait_shown(live, made, "ready")
    live.kill()
    live.start()

    generation = live.call("uhp.capabilities")["server_generation"]
    (row,) = [r for r in rows(live).values() if r["terminal_id"] == made["terminal_id"]]
    again = locator(row, server_generation=generation)

    assert generation != made["server_generation"]
    assert refusal(live, "validate", locator(made)) == ("stale_server", "rejected")
    assert (row["pane_id"], row["label"], row["restore"]) == (made["pane_id"], "kept", False)
    assert row["root_process"] == made["root_process"]
    assert capture(live, again)["text"] == "ready"
    assert backend.call(live, "submit_text", again | {"text": "alive"}) == QUEUED
    backend.wait_shown(live, again, "alive\nalive")


def test_every_capability_of_terminals_is_announced_with_its_methods(served: LiveServer) -> None:
    found = served.call("uhp.capabilities")

    assert len(found["terminal"]["capabilities"]) == 24
    assert found["terminal"]["features"] == ["stream_cursor", "create_restore_policy"]
    assert len([name for name in found["methods"] if name.startswith("terminal.backend.")]) == 18
