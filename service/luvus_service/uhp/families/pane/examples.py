"""Calls that the reference page shows and a test runs."""

from __future__ import annotations

from luvus_service.rpc.declare import Example

EXAMPLES = (
    Example(
        "pane.split",
        {"down": True},
        {"type": "ok", "pane": "3", "workspace": "0", "tab": "1", "revision": 14},
    ),
    Example("pane.run", {"pane": "3", "command": "make test"}, {"type": "ok", "revision": 14}),
    Example("pane.send_input", {"pane": "3", "text": "yes"}, {"type": "ok", "revision": 14}),
    Example(
        "pane.read",
        {"pane": "3", "lines": 2},
        {"type": "pane_read", "text": "$ make test\n12 passed", "revision": 15},
    ),
    Example(
        "pane.rename",
        {"pane": "3", "name": "tests"},
        {"type": "pane_rename", "pane": "3", "name": "tests", "revision": 16},
    ),
    Example("pane.focus", {"pane": "3"}, {"type": "ok", "revision": 16}),
    Example(
        "pane.get",
        {"pane": "3"},
        {
            "type": "pane",
            "pane": "3",
            "workspace": "0",
            "workspace_id": "workspace_00000000000000000000000000000000",
            "tab": "1",
            "tab_id": "tab_00000000000000000000000000000000",
            "terminal_id": "00000000000000000000000000000000",
            "focused": True,
            "name": "tests",
            "cwd": "/work/api",
            "command": "/bin/bash",
            "agent": None,
            "status": "unknown",
            "history_budget_bytes": 10485760,
            "history_bytes": 0,
            "module": None,
            "revision": 16,
        },
    ),
    Example("pane.close", {"pane": "3"}, {"type": "ok", "revision": 18}),
)
