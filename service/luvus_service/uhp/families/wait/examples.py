"""Calls that the reference page shows and a test runs."""

from __future__ import annotations

from luvus_service.rpc.declare import Example

EXAMPLES = (
    Example(
        "wait.output",
        {"pane": "1", "match": "no such text", "timeout_s": 0},
        {"type": "wait", "matched": False},
    ),
)
