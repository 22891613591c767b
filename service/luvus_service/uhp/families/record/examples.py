"""Calls that the reference page shows and a test runs."""

from __future__ import annotations

from luvus_service.rpc.declare import Example

EXAMPLES = (
    Example(
        "record.start",
        {"pane": "1", "path": "/home/me/demo.cast", "idle_limit": 2},
        {"type": "record_started", "pane": "1", "path": "/home/me/demo.cast", "revision": 9},
    ),
    Example(
        "record.stop",
        {"pane": "1"},
        {
            "type": "record_stopped",
            "pane": "1",
            "path": "/home/me/demo.cast",
            "seconds": 12.5,
            "bytes": 4096,
            "reason": "stopped",
            "revision": 10,
        },
    ),
)
