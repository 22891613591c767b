"""Calls that the reference page shows and a test runs."""

from __future__ import annotations

from luvus_service.rpc.declare import Example

EXAMPLES = (
    Example(
        "web.status",
        {},
        {"type": "web_status", "running": False, "url": None, "browsers": 0},
    ),
)
