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
    Example(
        "pane.layout",
        {"pane": "1"},
        {
            "type": "pane_layout",
            "pane": "1",
            "workspace": "0",
            "tab": "1",
            "logical_size": {"width": 10000, "height": 10000},
            "rect": {"x": 0, "y": 0, "width": 5000, "height": 10000},
            "tree": {"Split": {"axis": 0, "ratio": 0.5, "a": {"Leaf": 1}, "b": {"Leaf": 3}}},
            "revision": 18,
        },
    ),
    Example(
        "pane.neighbor",
        {"pane": "1", "direction": "right"},
        {"type": "pane_neighbor", "pane": "1", "neighbor": "3", "revision": 18},
    ),
    Example(
        "pane.edges",
        {"pane": "1"},
        {
            "type": "pane_edges",
            "pane": "1",
            "edges": {"left": True, "right": False, "top": True, "bottom": True},
            "revision": 18,
        },
    ),
    Example(
        "pane.focus_direction",
        {"pane": "1", "direction": "right"},
        {"type": "pane_focus", "pane": "3", "revision": 19},
    ),
    Example(
        "pane.swap",
        {"pane": "1", "with": "3"},
        {"type": "pane_swap", "pane": "1", "with": "3", "revision": 20},
    ),
    Example(
        "pane.resize",
        {"pane": "1", "direction": "left", "cells": 8},
        {"type": "pane_resize", "pane": "1", "revision": 21},
    ),
    Example(
        "pane.zoom",
        {"pane": "1", "enabled": True},
        {"type": "pane_zoom", "pane": "1", "enabled": True, "revision": 23},
    ),
    Example(
        "pane.move",
        {"pane": "1", "new_tab": True},
        {"type": "pane_move", "pane": "1", "workspace": "0", "tab": "2", "revision": 27},
    ),
)
