"""Calls that the reference page shows and a test runs."""

from __future__ import annotations

from luvus_service.rpc.declare import Example

EXAMPLES = (
    Example("tab.new", {}, {"type": "tab", "tab": "2", "revision": 9}),
    Example("tab.rename", {"tab": 2, "name": "build"}, {"type": "ok", "revision": 9}),
    Example(
        "tab.get",
        {"workspace": 0, "tab": 2},
        {
            "type": "tab",
            "workspace": "0",
            "workspace_id": "workspace_00000000000000000000000000000000",
            "tab": "2",
            "tab_id": "tab_00000000000000000000000000000000",
            "active": True,
            "name": "build",
            "kind": "panes",
            "focus": "2",
            "panes": ["2"],
            "revision": 9,
        },
    ),
    Example("tab.focus", {"tab": 1}, {"type": "ok", "revision": 10}),
)
