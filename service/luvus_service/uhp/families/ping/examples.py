"""Calls that the reference page shows and a test runs."""

from __future__ import annotations

from luvus_service.rpc.declare import Example

EXAMPLES = (
    Example(
        "ping",
        {},
        {
            "type": "pong",
            "version": "0.1.0",
            "protocol": 1,
            "session": "default",
            "revision": 3,
        },
    ),
)
