"""The rules of a replayed snapshot, as clients are told them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.terminal_replay import Replica

GENERATION, TERMINAL = "1" * 32, "2" * 32


def replica() -> Replica:
    row = {"terminal_id": TERMINAL, "content_revision": 4, "label": None}
    return Replica({"server_generation": GENERATION, "event_sequence": 12, "terminals": [row]})


def frame(name: str, sequence: int, revision: int = 5, **other: Any) -> dict[str, Any]:
    data = {
        "server_generation": GENERATION,
        "terminal_id": TERMINAL,
        "content_revision": revision,
        "detail": {},
    }
    return {"event": f"terminal.{name}", "sequence": sequence, "data": data | other}


def test_events_up_to_the_fence_are_ignored_and_later_ones_applied() -> None:
    copy = replica()

    copy.apply(frame("created", 12))
    copy.apply(frame("output_ready", 13))
    copy.apply(frame("metadata_changed", 14, detail={"label": "review"}))

    expected = {"terminal_id": TERMINAL, "content_revision": 5, "label": "review"}
    assert (copy.rows, copy.needs_snapshot) == ({TERMINAL: expected}, False)


def test_a_closed_terminal_leaves_without_a_new_snapshot() -> None:
    copy = replica()

    copy.apply(frame("closed", 13, detail={"reason": "closed"}))

    assert (copy.rows, copy.needs_snapshot) == ({}, False)


@pytest.mark.parametrize(
    "found",
    [
        frame("created", 13),
        frame("moved", 13),
        frame("exited", 13),
        frame("output_ready", 13, terminal_id="3" * 32),
        frame("output_ready", 13, server_generation="4" * 32),
        frame("output_ready", 13, revision=3),
        {
            "event": "terminal.resync_required",
            "sequence": 13,
            "data": {"reason": "subscriber_overflow"},
        },
    ],
)
def test_what_a_client_cannot_apply_demands_a_snapshot_for_good(found: dict[str, Any]) -> None:
    copy = replica()

    copy.apply(found)
    copy.apply(frame("output_ready", 14))

    assert copy.needs_snapshot


def test_sequences_that_do_not_rise_are_an_error() -> None:
    copy = replica()
    copy.apply(frame("output_ready", 13))

    with pytest.raises(ValueError, match="13 after 13"):
        copy.apply(frame("output_ready", 13))
