from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from luvus_service.rpc.errors import Unavailable
from luvus_service.uhp.engine.errors import CursorAhead, ResyncRequired
from luvus_service.uhp.engine.events import (
    QUEUE,
    REPLAY_BYTES,
    REPLAY_FRAMES,
    SUBSCRIBERS,
    WAITERS,
    EventBus,
    Subscription,
)

NOTHING: Mapping[str, Any] = {}


async def take(subscription: Subscription, count: int) -> list[dict[str, Any]]:
    """Return the next frames of a subscription, fewer when it ends."""
    found: list[dict[str, Any]] = []
    async with asyncio.timeout(5):
        async for frame in subscription.frames():
            found.append(json.loads(frame))
            if len(found) == count:
                break
    return found


def sequences(bus: EventBus, after: int) -> list[int]:
    """Return the sequences of the retained frames after one."""
    return [sequence for _, sequence, _ in bus.retained(after)]


async def test_every_event_gets_the_next_sequence_and_goes_to_every_reader() -> None:
    bus = EventBus()
    first, replayed = bus.subscribe()
    second, _ = bus.subscribe(0)

    assert [bus.publish("tab.created", {"tab": "1"}), bus.publish("tab.closed", {})] == [1, 2]

    expected = [
        {"event": "tab.created", "sequence": 1, "data": {"tab": "1"}},
        {"event": "tab.closed", "sequence": 2, "data": {}},
    ]
    assert (replayed, bus.sequence, bus.subscribers) == (0, 2, 2)
    assert await take(first, 2) == expected
    assert await take(second, 2) == expected
    assert bus.counters.event_frames_delivered == 4


async def test_a_reader_that_waits_is_woken_by_the_next_event() -> None:
    bus = EventBus()
    subscription, _ = bus.subscribe()

    async with asyncio.TaskGroup() as group:
        taken = group.create_task(take(subscription, 2))
        for _ in range(2):
            await asyncio.sleep(0)
            bus.publish("a", NOTHING)

    assert [frame["sequence"] for frame in taken.result()] == [1, 2]


async def test_a_reader_resumes_after_the_last_event_it_has_seen() -> None:
    bus = EventBus()
    for _ in range(5):
        bus.publish("a", NOTHING)

    subscription, replayed = bus.subscribe(3)
    bus.publish("b", NOTHING)

    assert replayed == 2
    assert [f["sequence"] for f in await take(subscription, 3)] == [4, 5, 6]


async def test_a_reader_that_is_up_to_date_gets_no_replay() -> None:
    bus = EventBus()
    bus.publish("a", NOTHING)

    _, replayed = bus.subscribe(1)

    assert replayed == 0


async def test_a_terminal_reader_gets_events_of_terminals_only() -> None:
    bus = EventBus()
    bus.publish("terminal.created", NOTHING)
    bus.publish("pane.created", NOTHING)

    subscription, replayed = bus.subscribe(0, terminal_only=True)
    bus.publish("pane.closed", NOTHING)
    bus.publish("terminal.closed", NOTHING)

    assert replayed == 1
    assert [f["event"] for f in await take(subscription, 2)] == [
        "terminal.created",
        "terminal.closed",
    ]


def test_the_newest_frames_are_retained_up_to_their_number() -> None:
    bus = EventBus()
    for _ in range(REPLAY_FRAMES):
        bus.publish("a", NOTHING)
    assert sequences(bus, 0) == list(range(1, REPLAY_FRAMES + 1))

    bus.publish("a", NOTHING)

    assert sequences(bus, 1) == list(range(2, REPLAY_FRAMES + 2))
    with pytest.raises(ResyncRequired) as refused:
        bus.retained(0)
    assert refused.value.body() == {
        "code": "resync_required",
        "message": "events after 0 are no longer retained; take a new snapshot and subscribe",
        "sequence": REPLAY_FRAMES + 1,
    }


def test_the_newest_frames_are_retained_up_to_their_bytes() -> None:
    bus = EventBus()
    for _ in range(5):
        bus.publish("a", {"text": "x" * (REPLAY_BYTES // 4)})

    assert sequences(bus, 2) == [3, 4, 5]
    with pytest.raises(ResyncRequired):
        bus.retained(1)


def test_a_frame_over_the_limit_is_not_retained_and_nothing_before_it_either() -> None:
    bus = EventBus()
    bus.publish("a", NOTHING)
    bus.publish("huge", {"text": "x" * REPLAY_BYTES})
    bus.publish("b", NOTHING)

    assert sequences(bus, 2) == [3]
    with pytest.raises(ResyncRequired):
        bus.retained(1)


def test_a_cursor_from_the_future_is_refused_with_where_the_server_is() -> None:
    bus = EventBus()
    bus.publish("a", NOTHING)

    with pytest.raises(CursorAhead) as refused:
        bus.subscribe(2)

    assert refused.value.body() == {
        "code": "invalid_params",
        "message": "after_sequence 2 is ahead of the server, which is at 1; "
        "it has restarted since: take a new snapshot",
        "sequence": 1,
    }
    assert bus.subscribers == 0


@given(st.lists(st.integers(1, REPLAY_BYTES // 2), max_size=12), st.integers(0, 12))
def test_what_is_retained_is_a_gapless_end_within_its_bytes(sizes: list[int], after: int) -> None:
    bus = EventBus()
    for size in sizes:
        bus.publish("a", {"text": "x" * size})

    try:
        frames = bus.retained(after)
    except CursorAhead:
        assert after > len(sizes)
    except ResyncRequired:
        # Only what no longer fits may be gone.
        assert sum(sizes[after:]) + 64 * len(sizes) > REPLAY_BYTES
    else:
        assert [s for _, s, _ in frames] == list(range(after + 1, len(sizes) + 1))
        assert sum(len(frame) for _, _, frame in frames) <= REPLAY_BYTES


@pytest.mark.parametrize(
    ("terminal_only", "event", "resync"),
    [(False, "a", "events.resync_required"), (True, "terminal.a", "terminal.resync_required")],
)
async def test_a_reader_that_falls_behind_is_told_once_and_cut_off(
    terminal_only: bool, event: str, resync: str
) -> None:
    bus = EventBus()
    slow, _ = bus.subscribe(terminal_only=terminal_only)
    fast, _ = bus.subscribe()
    async with asyncio.TaskGroup() as group:
        taken = group.create_task(take(fast, QUEUE + 3))
        for _ in range(QUEUE + 3):
            bus.publish(event, NOTHING)
            await asyncio.sleep(0)

    assert await take(slow, QUEUE) == [
        {
            "event": resync,
            "sequence": QUEUE + 1,
            "data": {"reason": "subscriber_overflow"},
        }
    ]
    assert len(taken.result()) == QUEUE + 3
    assert bus.counters.event_readers_overflowed == 1


@pytest.mark.parametrize("replayed", [0, 1, REPLAY_FRAMES])
@pytest.mark.parametrize("taken", [0, 1, 10])
async def test_a_full_queue_is_still_delivered_whole_however_much_was_replayed(
    replayed: int, taken: int
) -> None:
    bus = EventBus()
    for _ in range(replayed):
        bus.publish("a", NOTHING)
    subscription, _ = bus.subscribe(0)
    early = await take(subscription, min(taken, replayed)) if replayed and taken else []
    for _ in range(QUEUE):
        bus.publish("a", NOTHING)

    frames = early + await take(subscription, QUEUE + replayed - len(early))

    assert [frame["sequence"] for frame in frames] == list(range(1, QUEUE + replayed + 1))
    assert bus.counters.event_readers_overflowed == 0


@pytest.mark.parametrize("replayed", [0, 1, REPLAY_FRAMES])
async def test_one_event_more_than_may_wait_cuts_a_reader_off_however_much_was_replayed(
    replayed: int,
) -> None:
    bus = EventBus()
    for _ in range(replayed):
        bus.publish("a", NOTHING)
    subscription, _ = bus.subscribe(0)
    for _ in range(QUEUE + 1):
        bus.publish("a", NOTHING)

    assert [frame["event"] for frame in await take(subscription, 1)] == ["events.resync_required"]


async def test_events_that_a_terminal_reader_does_not_get_do_not_fill_its_queue() -> None:
    bus = EventBus()
    subscription, _ = bus.subscribe(terminal_only=True)
    for _ in range(QUEUE + 1):
        bus.publish("pane.renamed", NOTHING)
    bus.publish("terminal.created", NOTHING)

    assert [f["event"] for f in await take(subscription, 1)] == ["terminal.created"]


def test_subscribers_are_limited_and_closing_gives_the_place_back() -> None:
    bus = EventBus()
    subscriptions = [bus.subscribe()[0] for _ in range(SUBSCRIBERS)]

    with pytest.raises(Unavailable, match=f"{SUBSCRIBERS} subscribers are connected"):
        bus.subscribe()
    subscriptions[0].close()
    subscriptions[0].close()
    assert bus.subscribers == SUBSCRIBERS - 1

    bus.subscribe()
    assert bus.subscribers == SUBSCRIBERS


async def test_a_closed_subscription_gets_nothing_more() -> None:
    bus = EventBus()
    subscription, _ = bus.subscribe()
    bus.publish("a", NOTHING)
    subscription.close()
    bus.publish("b", NOTHING)

    assert [f["event"] for f in await take(subscription, 1)] == ["a"]
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(anext(subscription.frames()), 0)


def test_a_listener_hears_every_event_until_it_stops() -> None:
    bus = EventBus()
    heard: list[tuple[str, int, Mapping[str, Any], Any]] = []

    stop = bus.listen(lambda *event: heard.append((*event[:3], json.loads(event[3]))))
    bus.publish("a", {"x": 1})
    stop()
    stop()
    bus.publish("b", NOTHING)

    assert heard == [("a", 1, {"x": 1}, {"event": "a", "sequence": 1, "data": {"x": 1}})]


def test_a_listener_may_stop_while_it_is_called() -> None:
    bus = EventBus()
    heard: list[str] = []

    def once(name: str, *_: Any) -> None:
        heard.append(name)
        stop()

    stop = bus.listen(once)
    bus.listen(lambda name, *_: heard.append(name.upper()))
    bus.publish("a", NOTHING)
    bus.publish("b", NOTHING)

    assert heard == ["a", "A", "B"]


def test_listeners_are_limited() -> None:
    bus = EventBus()
    stops = [bus.listen(lambda *_: None) for _ in range(WAITERS)]

    with pytest.raises(Unavailable, match=f"{WAITERS} calls are waiting"):
        bus.listen(lambda *_: None)
    stops[0]()

    bus.listen(lambda *_: None)
