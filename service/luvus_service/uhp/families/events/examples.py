"""Calls that the reference page shows and a test runs."""

from __future__ import annotations

from luvus_service.rpc.declare import Example

EXAMPLES = (
    Example(
        "events.subscribe",
        {},
        {
            "type": "subscription_started",
            "sequence": 3,
            "replayed": 0,
            "queue_capacity": 256,
            "loss_behavior": "resync_required_then_close",
        },
        note="After this line every event arrives as a line of its own.",
    ),
    Example(
        "events.wait",
        {"event": "pane.closed", "where": {"pane": "7"}, "timeout_s": 0},
        {"type": "event_wait", "matched": False, "sequence": 3, "event": None},
    ),
)
