"""Calls that the reference page shows and a test runs."""

from __future__ import annotations

from luvus_service.rpc.declare import Example

_ID = "workspace_00000000000000000000000000000000"

EXAMPLES = (
    Example(
        "workspace.open",
        {"path": "~"},
        {"type": "workspace", "workspace": "0", "revision": 4},
    ),
    Example(
        "workspace.list",
        {},
        {
            "type": "workspace_list",
            "workspaces": [
                {
                    "workspace": "0",
                    "workspace_id": _ID,
                    "name": "api",
                    "cwd": "/work/api",
                    "terminal_cwd": "/work/api/src",
                    "pinned": False,
                    "display_position": "0",
                    "active": True,
                    "tabs": 1,
                }
            ],
            "revision": 4,
        },
    ),
    Example(
        "workspace.get",
        {"workspace": 0},
        {
            "type": "workspace",
            "workspace": "0",
            "workspace_id": _ID,
            "name": "api",
            "cwd": "/work/api",
            "branch": "main",
            "terminal_cwd": "/work/api/src",
            "ahead": 0,
            "behind": 2,
            "pinned": False,
            "active": True,
            "display_position": "0",
            "active_tab": "1",
            "tabs": 1,
            "revision": 4,
        },
    ),
    Example(
        "workspace.rename",
        {"workspace": 0, "name": "the api"},
        {
            "type": "workspace_rename",
            "workspace": "0",
            "name": "the api",
            "cwd": "/work/api",
            "pinned": False,
            "display_position": "0",
            "revision": 4,
        },
    ),
    Example("workspace.focus", {"workspace": 0}, {"type": "ok", "revision": 4}),
    Example(
        "workspace.pin",
        {"workspace": 1, "pinned": True},
        {
            "type": "workspace_pin",
            "workspace": "1",
            "name": "the api",
            "cwd": "/work/api",
            "pinned": True,
            "display_position": "0",
            "revision": 4,
        },
    ),
    Example(
        "workspace.move",
        {"workspace": 0, "to": 2},
        {"type": "workspace_move", "workspace": "0", "to": "2", "revision": 5},
    ),
    Example(
        "workspace.move_block",
        {"workspaces": [3, 1], "to": 0},
        {
            "type": "workspace_move_block",
            "workspaces": [3, 1],
            "positions": [0, 1],
            "revision": 6,
        },
    ),
    Example(
        "workspace.report_metadata",
        {"workspace": 0, "branch": "feature", "ahead": 1},
        {
            "type": "workspace",
            "workspace": "0",
            "workspace_id": _ID,
            "name": "the api",
            "cwd": "/work/api",
            "branch": "feature",
            "terminal_cwd": "/work/api/src",
            "ahead": 1,
            "behind": 0,
            "pinned": False,
            "active": True,
            "display_position": "0",
            "active_tab": "1",
            "tabs": 1,
            "revision": 7,
        },
    ),
)
