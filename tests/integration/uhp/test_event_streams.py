"""Following and waiting for events, against a real server."""

from __future__ import annotations

import json

import pytest

from tests.support.live import LiveServer


def test_a_subscriber_gets_every_event_in_order_after_its_acknowledgement(
    live: LiveServer,
) -> None:
    with live.stream("events.subscribe") as events:
        started = events.line()
        assert started is not None
        sequence = started["result"].pop("sequence")
        assert started == {
            "id": "s",
            "result": {
                "type": "subscription_started",
                "replayed": 0,
                "queue_capacity": 256,
                "loss_behavior": "resync_required_then_close",
            },
        }

        live.call("tab.new")
        live.call("tab.close", {"tab": 2})

        names = []
        while "terminal.closed" not in names:
            event = events.line()
            assert event is not None
            sequence += 1
            assert event["sequence"] == sequence
            if event["event"] != "terminal.output_ready":
                names.append(event["event"])
    assert names[:4] == ["tab.created", "pane.created", "terminal.created", "pane.focused"]


def test_a_reader_goes_on_where_it_was_with_the_retained_events(live: LiveServer) -> None:
    before = live.call("uhp.capabilities")["event_sequence"]
    live.call("pane.rename", {"name": "one"})
    live.call("pane.rename", {"name": "two"})

    with live.stream("events.subscribe", {"after_sequence": before}) as events:
        started = events.line()
        assert started is not None
        assert started["result"]["replayed"] >= 2
        first = events.until("pane.renamed")
        second = events.until("pane.renamed")

    assert [first["data"]["name"], second["data"]["name"]] == ["one", "two"]


def test_a_cursor_that_is_too_old_or_ahead_is_told_to_take_a_snapshot(live: LiveServer) -> None:
    for number in range(130):
        live.call("pane.rename", {"name": f"n{number}"})
        live.call("pane.rename", {"name": ""})

    old = live.refusal("events.subscribe", {"after_sequence": 1})
    ahead = live.refusal("events.subscribe", {"after_sequence": 1_000_000})

    sequence = live.call("uhp.capabilities")["event_sequence"]
    assert (old["code"], old["sequence"]) == ("resync_required", sequence)
    assert (ahead["code"], ahead["sequence"]) == ("invalid_params", sequence)
    assert live.refusal("events.wait", {"event": "x", "after_sequence": 1})["code"] == (
        "resync_required"
    )


@pytest.mark.parametrize("method", ["events.subscribe", "terminal.backend.events.subscribe"])
@pytest.mark.parametrize(
    "said",
    [
        b"hello\n",
        b"\xff\xfe\n",
        b"x\n" * 200_000,
        b"x" * 3_000_000 + b"\n",
        b"x" * 3_000_000,
        b'{"id":"2","method":"tab.new","params":{}}\n',
    ],
    ids=["text", "no text", "much", "a long line", "a line without an end", "a request"],
)
def test_what_a_subscriber_says_is_ignored(live: LiveServer, method: str, said: bytes) -> None:
    with live.stream(method) as events:
        assert events.line() is not None
        events.sock.sendall(said)
        assert live.call("ping")["type"] == "pong"
        live.call("tab.new")

        events.until("terminal.created")

    assert len(live.call("tab.list")["tabs"]) == 2


def test_a_subscriber_that_stops_reading_is_told_once_and_cut_off(live: LiveServer) -> None:
    with live.stream("events.subscribe") as events:
        assert events.line()

        # More than its queue of 256 and what the kernel keeps for a socket.
        live.call("pane.run", {"pane": 1, "command": "while :; do printf x; sleep 0.001; done"})
        sequence = live.call("uhp.capabilities")["event_sequence"]
        for _ in range(2000):
            live.call("pane.rename", {"name": "a"})
            live.call("pane.rename", {"name": ""})
        received = list(events.lines())

    *before, last = received
    assert last["event"] == "events.resync_required"
    assert last["data"] == {"reason": "subscriber_overflow"}
    numbers = [event["sequence"] for event in before]
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
    assert last["sequence"] > numbers[-1] > sequence
    assert live.call("ping")["type"] == "pong"


def test_the_65th_subscriber_is_refused_and_a_place_is_free_again_later(live: LiveServer) -> None:
    opened = [live.connect() for _ in range(64)]
    try:
        for sock in opened:
            sock.sendall(b'{"id":"s","method":"events.subscribe","params":{}}\n')
            assert b"subscription_started" in sock.recv(65536)

        assert live.refusal("events.subscribe")["code"] == "unavailable"
    finally:
        for sock in opened:
            sock.close()

    # A place is free once the server has seen the end of one of them.
    for _ in range(100):
        answer = json.loads(_subscribe_once(live))
        if "result" in answer:
            return
    pytest.fail("no place became free")


def _subscribe_once(live: LiveServer) -> bytes:
    with live.connect() as sock:
        sock.sendall(b'{"id":"s","method":"events.subscribe","params":{}}\n')
        return sock.recv(65536).splitlines()[0]


def test_a_wait_ends_with_the_event_that_fits_exactly(live: LiveServer) -> None:
    request = {"event": "pane.renamed", "where": {"pane": "1", "name": "b"}, "timeout_s": 10}
    with live.stream("events.wait", request) as waiting:
        assert waiting.silent_for(0.05)
        live.call("pane.rename", {"name": "a"})
        assert waiting.silent_for(0.05)
        sequence = live.call("pane.rename", {"name": "b"})["revision"]

        answer = waiting.line()

    assert answer is not None
    result = answer["result"]
    assert result["matched"] is True
    assert result["event"] == {
        "event": "pane.renamed",
        "sequence": sequence,
        "data": {"pane": "1", "name": "b"},
    }
    assert result["sequence"] < sequence


def test_a_wait_compares_as_json_does_so_a_number_is_not_its_text(live: LiveServer) -> None:
    sequence = live.call("pane.rename", {"name": "a"})["revision"] - 1
    wait = {"event": "pane.renamed", "timeout_s": 0, "after_sequence": sequence}

    assert live.call("events.wait", {**wait, "where": {"pane": "1"}})["matched"] is True
    assert live.call("events.wait", {**wait, "where": {"pane": 1}})["matched"] is False
    assert live.call("events.wait", {**wait, "where": {"other": None}})["matched"] is False


def test_a_half_closed_waiter_is_still_answered(live: LiveServer) -> None:
    with live.stream("events.wait", {"event": "pane.renamed"}) as waiting:
        waiting.sock.shutdown(1)
        assert waiting.silent_for(0.1)

        live.call("pane.rename", {"name": "a"})

        answer = waiting.line()
    assert answer is not None
    assert answer["result"]["matched"] is True


def test_a_wait_for_output_ends_when_the_text_comes_and_when_the_pane_closes(
    live: LiveServer,
) -> None:
    live.call("pane.split")
    with (
        live.stream("wait.output", {"pane": "2", "match": "ready-42"}) as seen,
        live.stream("wait.output", {"pane": "2", "match": "never"}) as unseen,
    ):
        live.call("pane.run", {"pane": 2, "command": "echo ready-$((40+2))"})
        assert seen.line() == {"id": "s", "result": {"type": "wait", "matched": True, "pane": "2"}}
        assert unseen.silent_for(0.05)

        live.call("pane.close", {"pane": 2})

        assert unseen.line() == {"id": "s", "result": {"type": "wait", "matched": False}}
