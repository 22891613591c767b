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
)
