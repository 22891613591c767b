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
    Example(
        "tab.move",
        {"tab": 3, "to": 1},
        {"type": "tab_move", "from": "3", "to": "1", "active": "2", "revision": 11},
    ),
    Example(
        "tab.move",
        {"direction": "right"},
        {"type": "tab_move", "from": "2", "to": "3", "active": "3", "revision": 12},
        "The active tab, by one position.",
    ),
    Example(
        "tab.swap",
        {"tab": 1, "with": 3},
        {"type": "tab_swap", "tab": "1", "with": "3", "active": "1", "revision": 13},
    ),
)
