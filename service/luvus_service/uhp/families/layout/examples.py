"""Calls that the reference page shows and a test runs."""

from __future__ import annotations

from luvus_service.rpc.declare import Example

EXAMPLES = (
    Example(
        "layout.export",
        {"workspace": 0, "tab": 1},
        {
            "type": "layout",
            "workspace": "0",
            "tab": "1",
            "focus": "1",
            "zoomed": None,
            "tree": {
                "Split": {"axis": 0, "ratio": 0.5, "a": {"Leaf": 1}, "b": {"Leaf": 3}},
            },
            "revision": 16,
        },
    ),
    Example(
        "layout.apply",
        {
            "tree": {"Split": {"axis": 1, "ratio": 0.7, "a": {"Leaf": 3}, "b": {"Leaf": 1}}},
            "focus": 3,
        },
        {"type": "layout_applied", "workspace": "0", "tab": "1", "revision": 18},
    ),
    Example(
        "layout.set_split_ratio",
        {"path": ["b"], "ratio": 0.6},
        {
            "type": "layout_split_ratio",
            "workspace": "0",
            "tab": "1",
            "ratio": 0.6,
            "revision": 19,
        },
    ),
)
