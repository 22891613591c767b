from __future__ import annotations

from typing import Any

import pytest

from luvus_client.endpoint import Evidence
from luvus_client.errors import BadAnswer, Forbidden, error_of
from luvus_client.feed import FIRST_DELAY_S, LONGEST_DELAY_S, Event, FeedState, Resync

FIRST = Evidence(1, 10, 100)
SECOND = Evidence(1, 10, 200)


def frame(sequence: int, name: str = "pane.closed") -> dict[str, Any]:
    return {"event": name, "sequence": sequence, "data": {}}


def running(after: int | None = None, names: list[str] | None = None, fence: int = 5) -> FeedState:
    state = FeedState(after, names)
    state.connecting(FIRST)
    assert state.acknowledged({"sequence": fence}) is None
    return state


def test_a_new_feed_asks_for_no_past_and_continues_from_the_fence() -> None:
    state = FeedState(None, None)
    assert state.params() == {}

    state.connecting(FIRST)
    assert state.acknowledged({"sequence": 5}) is None

    assert state.params() == {"after_sequence": 5}
    assert state.frame(frame(6)) == (Event(6, "pane.closed", {}),)
    assert state.params() == {"after_sequence": 6}


def test_a_replay_continues_from_the_cursor_and_not_from_the_fence() -> None:
    state = running(after=3, fence=5)

    assert state.frame(frame(4)) == (Event(4, "pane.closed", {}),)
    assert state.frame(frame(5)) == (Event(5, "pane.closed", {}),)


def test_events_of_other_names_move_the_cursor_and_are_not_shown() -> None:
    state = running(names=["pane.created"])

    assert state.frame(frame(6)) == ()
    assert state.frame(frame(7, "pane.created")) == (Event(7, "pane.created", {}),)


def test_a_gap_is_an_item_before_the_event_that_shows_it() -> None:
    assert running().frame(frame(9)) == (Resync(9, "gap"), Event(9, "pane.closed", {}))


def test_a_gap_is_declared_even_when_the_event_is_not_shown() -> None:
    assert running(names=["x"]).frame(frame(9)) == (Resync(9, "gap"),)


@pytest.mark.parametrize("sequence", [5, 2])
def test_a_sequence_that_does_not_rise_is_declared(sequence: int) -> None:
    found = running().frame(frame(sequence))

    assert found == (Resync(sequence, "sequence_went_back"), Event(sequence, "pane.closed", {}))


@pytest.mark.parametrize("name", ["events.resync_required", "terminal.resync_required"])
def test_an_announced_loss_is_an_item_and_keeps_the_cursor(name: str) -> None:
    state = running(names=["pane.created"])
    lost = {"event": name, "sequence": 400, "data": {"reason": "subscriber_overflow"}}

    assert state.frame(lost) == (Resync(400, "subscriber_overflow"),)
    assert state.params() == {"after_sequence": 5}


def test_another_server_at_the_same_path_owes_a_resync_from_its_fence() -> None:
    state = running()
    state.connecting(SECOND)
    assert state.params() == {}

    assert state.acknowledged({"sequence": 900}) == Resync(900, "server_restarted")
    assert state.frame(frame(901)) == (Event(901, "pane.closed", {}),)


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("resync_required", "resync_required"),
        ("invalid_params", "cursor_newer"),
        ("invalid_request", "cursor_newer"),
    ],
)
def test_a_refused_cursor_subscribes_afresh_and_owes_a_resync(code: str, reason: str) -> None:
    state = running()
    state.connecting(FIRST)

    assert state.refused(error_of({"code": code, "message": "m", "sequence": 2})) is True

    assert state.params() == {}
    assert state.acknowledged({"sequence": 2}) == Resync(2, reason)


def test_a_busy_server_is_tried_again_only_after_it_was_reached_once() -> None:
    busy = error_of({"code": "server_busy", "message": "m"})

    assert running().refused(busy) is False
    with pytest.raises(type(busy)):
        FeedState(3, None).refused(busy)


def test_a_refusal_that_will_not_change_is_raised() -> None:
    with pytest.raises(Forbidden):
        running().refused(error_of({"code": "forbidden", "message": "expired"}))


@pytest.mark.parametrize(
    "bad",
    [
        {"event": "x", "data": {}},
        {"event": "x", "sequence": True, "data": {}},
        {"event": "x", "sequence": -1, "data": {}},
        {"event": 1, "sequence": 6, "data": {}},
        {"event": "x", "sequence": 6},
    ],
)
def test_a_frame_that_is_no_event_is_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(BadAnswer):
        running().frame(bad)


def test_delays_double_up_to_their_limit_and_start_again_after_success() -> None:
    state = running()

    delays = [state.delay(1.0) for _ in range(8)]
    assert delays == [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, LONGEST_DELAY_S, LONGEST_DELAY_S]
    assert state.delay(0.0) == LONGEST_DELAY_S / 2

    state.connecting(FIRST)
    state.acknowledged({"sequence": 5})
    assert state.delay(1.0) == FIRST_DELAY_S
