"""Recordings of real panes, played by a real player."""

from __future__ import annotations

import json
import stat

from tests.support.live import LiveServer
from tests.support.programs import needs


@needs("asciinema")
def test_a_recording_is_played_by_asciinema(live: LiveServer) -> None:
    live.call("pane.run", {"pane": 1, "command": "echo 'be''fore'"})
    live.wait_text("1", "\nbefore")
    started = live.call("record.start", {"pane": 1, "path": "demo.cast", "idle_limit": 1.5})
    live.call("pane.run", {"pane": 1, "command": "printf 'h\\303\\251llo \\033[31mred\\033[m\\n'"})
    live.wait_text("1", "\nhéllo red")
    live.call("pane.split", {"direction": "right"})

    stopped = live.call("record.stop", {"pane": 1})

    path = live.home / "demo.cast"
    assert started["path"] == stopped["path"] == str(path)
    assert (stopped["reason"], stopped["bytes"]) == ("stopped", path.stat().st_size)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    # It wants a terminal; a pane is one.
    live.call(
        "pane.run", {"pane": 1, "command": "asciinema cat demo.cast >played; echo 'pla''yed'"}
    )
    live.wait_text("1", "\nplayed")
    played = (live.home / "played").read_bytes()
    assert played.index(b"before") < played.index("héllo \x1b[31mred".encode())
    events = [json.loads(line) for line in path.read_bytes().splitlines()[1:]]
    assert [event[2] for event in events if event[1] == "r"] == ["60x40"]
    times = [event[0] for event in events]
    assert times == sorted(times)


def test_a_recording_goes_on_while_others_are_refused_and_ends_with_its_pane(
    live: LiveServer,
) -> None:
    live.call("pane.split")
    path = live.home / "two.cast"
    live.call("record.start", {"pane": 2, "path": str(path)})

    (row,) = live.call("record.list")["recordings"]
    assert (row["pane"], row["path"]) == ("2", str(path))
    again = live.refusal("record.start", {"pane": 2, "path": "other.cast"})
    assert again["code"] == "invalid_request"
    taken = live.refusal("record.start", {"pane": 1, "path": str(path)})
    assert taken["code"] == "file_not_writable"
    assert live.refusal("record.stop", {"pane": 1})["code"] == "not_found"
    assert live.refusal("record.start", {"pane": 9, "path": "x"})["code"] == "not_found"
    for bad in ({"path": ""}, {"path": "x", "idle_limit": 0}, {}, {"path": "x", "more": 1}):
        assert live.refusal("record.start", bad)["code"] == "invalid_request"

    with live.stream("events.subscribe") as events:
        assert events.line()
        live.call("pane.run", {"pane": 2, "command": "echo 'last ''words'; exit"})
        ended = events.until("record.ended")["data"]
    assert ended == {"pane": "2", "path": str(path), "reason": "pane_closed"}
    assert "last words" in path.read_text()
    assert live.call("record.list")["recordings"] == []
    assert not (live.home / "other.cast").exists()


def test_a_stop_of_the_server_completes_the_file(live: LiveServer) -> None:
    live.call("record.start", {"path": "a.cast"})
    live.call("pane.run", {"pane": 1, "command": "echo 'last ''words'"})
    live.wait_text("1", "\nlast words")

    live.stop()

    lines = (live.home / "a.cast").read_text().splitlines()
    assert any("last words" in json.loads(line)[2] for line in lines[1:])
