"""Whatever is refused leaves the session as it was, byte for byte."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.live import LiveServer

LEAF_1: dict[str, Any] = {"Leaf": 1}
LEAF_2: dict[str, Any] = {"Leaf": 2}


def split(a: Any = LEAF_1, b: Any = LEAF_2, axis: Any = 0, ratio: Any = 0.5) -> dict[str, Any]:
    """Return a split as it goes over the wire."""
    return {"Split": {"axis": axis, "ratio": ratio, "a": a, "b": b}}


def deep(levels: int) -> dict[str, Any]:
    """Return a tree with this many splits above its deepest leaf."""
    tree = LEAF_1
    for _ in range(levels):
        tree = split(tree, LEAF_2)
    return tree


@pytest.fixture(scope="module")
def arranged(served: LiveServer) -> Iterator[LiveServer]:
    """A server with panes 1 and 2 side by side in tab 1, pane 3 in tab 2, pane 4 elsewhere."""
    served.call("pane.split", {"pane": 1, "direction": "right"})
    served.call("tab.new")
    other = served.home / "other"
    other.mkdir()
    served.call("workspace.open", {"path": str(other), "focus": False})
    served.call("tab.focus", {"tab": 1})
    served.call("pane.focus", {"pane": 1})
    for pane in ("1", "2", "3", "4"):
        served.wait_text(pane, "$")
    yield served


def everything(live: LiveServer) -> bytes:
    """Return all that can be seen of the session's structure."""
    shown = [
        live.call("session.snapshot"),
        live.call("workspace.list"),
        live.call("layout.export", {"workspace": 0, "tab": 1}),
        live.call("layout.export", {"workspace": 0, "tab": 2}),
        live.call("layout.export", {"workspace": 1}),
    ]
    return json.dumps(shown).encode()


REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("workspace.pin", {"pinned": True}, "invalid_request"),
    ("workspace.pin", {"workspace": 0}, "invalid_request"),
    ("workspace.pin", {"workspace": 0, "pinned": 1}, "invalid_request"),
    ("workspace.pin", {"workspace": 0, "pinned": "true"}, "invalid_request"),
    ("workspace.pin", {"workspace": 2, "pinned": True}, "not_found"),
    ("workspace.pin", {"workspace": -1, "pinned": True}, "invalid_request"),
    ("workspace.pin", {"workspace_id": "workspace_x", "pinned": True}, "not_found"),
    ("workspace.pin", {"workspace": 0, "workspace_id": "x", "pinned": True}, "invalid_request"),
    ("node.pin", {"node": 5, "pinned": True}, "not_found"),
    ("pane.split", {"down": True, "direction": "right"}, "invalid_request"),
    ("pane.split", {"pane": 1, "down": True, "direction": "right"}, "invalid_request"),
    ("pane.split", {"down": True, "direction": "up"}, "invalid_request"),
    ("workspace.move", {"to": 0}, "invalid_request"),
    ("workspace.move", {"workspace": 0}, "invalid_request"),
    ("workspace.move", {"workspace": 0, "to": 2}, "invalid_request"),
    ("workspace.move", {"workspace": 2, "to": 0}, "invalid_request"),
    ("workspace.move", {"workspace": 0, "to": -1}, "invalid_request"),
    ("workspace.move", {"workspace": 0, "to": 1.5}, "invalid_request"),
    ("workspace.move", {"workspace": 0, "to": "01"}, "invalid_request"),
    ("workspace.move", {"workspace": 0, "to": None}, "invalid_request"),
    ("workspace.move", {"workspace_id": "workspace_x", "to": 0}, "not_found"),
    ("workspace.move", {"workspace": 0, "to": 1, "extra": 1}, "invalid_request"),
    ("workspace.move_block", {"to": 0}, "invalid_request"),
    ("workspace.move_block", {"workspaces": [1]}, "invalid_request"),
    ("workspace.move_block", {"workspaces": [], "to": 0}, "limit_exceeded"),
    ("workspace.move_block", {"workspaces": [0] * 257, "to": 0}, "limit_exceeded"),
    ("workspace.move_block", {"workspace_ids": ["x"] * 257, "to": 0}, "limit_exceeded"),
    ("workspace.move_block", {"workspaces": [0, 0], "to": 0}, "invalid_request"),
    ("workspace.move_block", {"workspaces": [1, 2], "to": 0}, "invalid_request"),
    ("workspace.move_block", {"workspaces": [0, 1], "to": 1}, "invalid_request"),
    ("workspace.move_block", {"workspaces": [True], "to": 1}, "invalid_request"),
    ("workspace.move_block", {"workspaces": "0", "to": 1}, "invalid_request"),
    ("workspace.move_block", {"workspaces": [0], "workspace_ids": [], "to": 0}, "invalid_request"),
    ("workspace.move_block", {"workspace_ids": ["workspace_x"], "to": 0}, "not_found"),
    ("workspace.move_block", {"workspace_ids": [1], "to": 0}, "invalid_request"),
    ("workspace.report_metadata", {"branch": "x"}, "invalid_request"),
    ("workspace.report_metadata", {"workspace": 9, "branch": "x"}, "not_found"),
    ("workspace.report_metadata", {"workspace": 0, "branch": "x" * 513}, "invalid_request"),
    ("workspace.report_metadata", {"workspace": 0, "branch": 7}, "invalid_request"),
    ("workspace.report_metadata", {"workspace": 0, "ahead": -1}, "invalid_request"),
    ("workspace.report_metadata", {"workspace": 0, "ahead": 2**32}, "invalid_request"),
    ("workspace.report_metadata", {"workspace": 0, "behind": "1"}, "invalid_request"),
    ("workspace.report_metadata", {"workspace": 0, "behind": True}, "invalid_request"),
    ("workspace.report_metadata", {"workspace": 0, "dirty": True}, "invalid_request"),
    ("tab.move", {}, "invalid_request"),
    ("tab.move", {"to": 2}, "invalid_request"),
    ("tab.move", {"tab": 1}, "invalid_request"),
    ("tab.move", {"tab": 0, "to": 1}, "invalid_request"),
    ("tab.move", {"tab": 1, "to": 0}, "invalid_request"),
    ("tab.move", {"tab": 1, "to": 1}, "invalid_request"),
    ("tab.move", {"tab": 1, "to": 3}, "invalid_request"),
    ("tab.move", {"tab": 3, "to": 1}, "invalid_request"),
    ("tab.move", {"tab": 1, "to": 2, "direction": "right"}, "invalid_request"),
    ("tab.move", {"direction": "left"}, "invalid_request"),
    ("tab.move", {"tab": 2, "direction": "right"}, "invalid_request"),
    ("tab.move", {"direction": "up"}, "invalid_request"),
    ("tab.move", {"tab_id": "tab_x", "to": 1}, "not_found"),
    ("tab.move", {"tab": 1, "tab_id": "tab_x", "to": 2}, "invalid_request"),
    ("tab.swap", {"tab": 1}, "invalid_request"),
    ("tab.swap", {"with": 1}, "invalid_request"),
    ("tab.swap", {"tab": 1, "with": 1}, "invalid_request"),
    ("tab.swap", {"tab": 1, "with": 0}, "invalid_request"),
    ("tab.swap", {"tab": 1, "with": 3}, "invalid_request"),
    ("tab.swap", {"tab": 3, "with": 1}, "invalid_request"),
    ("tab.swap", {"tab": 1, "with_id": "tab_x"}, "not_found"),
    ("tab.swap", {"tab": 1, "with": 2, "with_id": "tab_x"}, "invalid_request"),
    ("pane.layout", {"pane": 9}, "not_found"),
    ("pane.layout", {"pane": 2**32}, "invalid_request"),
    ("pane.layout", {"pane": "x"}, "invalid_request"),
    ("pane.layout", {"extra": 1}, "invalid_request"),
    ("pane.edges", {"pane": 9}, "not_found"),
    ("pane.edges", {"pane": True}, "invalid_request"),
    ("pane.neighbor", {}, "invalid_request"),
    ("pane.neighbor", {"direction": "north"}, "invalid_request"),
    ("pane.neighbor", {"direction": "left", "pane": 9}, "not_found"),
    ("pane.move", {"pane": 1}, "invalid_request"),
    ("pane.move", {"pane": 1, "tab": 2, "new_tab": True}, "invalid_request"),
    ("pane.move", {"pane": 1, "new_tab": False}, "invalid_request"),
    ("pane.move", {"pane": 1, "new_tab": "yes"}, "invalid_request"),
    ("pane.move", {"pane": 1, "tab": 1}, "invalid_request"),
    ("pane.move", {"pane": 1, "tab": 0}, "invalid_request"),
    ("pane.move", {"pane": 1, "tab": 3}, "invalid_request"),
    ("pane.move", {"pane": 3, "new_tab": True}, "invalid_request"),
    ("pane.move", {"pane": 4, "tab": 2}, "invalid_request"),
    ("pane.move", {"pane": 4, "tab": 1}, "invalid_request"),
    ("pane.move", {"pane": 9, "tab": 1}, "not_found"),
    ("pane.move", {"pane": 1, "tab_id": "tab_x"}, "not_found"),
    ("pane.swap", {"pane": 1}, "invalid_request"),
    ("pane.swap", {"pane": 1, "with": 1}, "invalid_request"),
    ("pane.swap", {"pane": 1, "with": 3}, "invalid_request"),
    ("pane.swap", {"pane": 1, "with": 9}, "not_found"),
    ("pane.swap", {"pane": 9, "with": 1}, "not_found"),
    ("pane.swap", {"pane": 1, "with": None}, "invalid_request"),
    ("pane.focus_direction", {}, "invalid_request"),
    ("pane.focus_direction", {"pane": 1, "direction": "left"}, "not_found"),
    ("pane.focus_direction", {"pane": 2, "direction": "down"}, "not_found"),
    ("pane.focus_direction", {"pane": 9, "direction": "down"}, "not_found"),
    ("pane.focus_direction", {"direction": ["right"]}, "invalid_request"),
    ("pane.resize", {}, "invalid_request"),
    ("pane.resize", {"pane": 1, "direction": "left"}, "not_found"),
    ("pane.resize", {"pane": 1, "direction": "up"}, "not_found"),
    ("pane.resize", {"pane": 1, "direction": "right", "cells": 0}, "invalid_request"),
    ("pane.resize", {"pane": 1, "direction": "right", "cells": 1001}, "invalid_request"),
    ("pane.resize", {"pane": 1, "direction": "right", "cells": "2"}, "invalid_request"),
    ("pane.resize", {"pane": 1, "direction": "right", "cells": 1.5}, "invalid_request"),
    ("pane.resize", {"pane": 9, "direction": "right"}, "not_found"),
    ("pane.zoom", {"pane": 9}, "not_found"),
    ("pane.zoom", {"pane": 1, "enabled": "yes"}, "invalid_request"),
    ("pane.zoom", {"pane": 1, "enabled": 1}, "invalid_request"),
    ("pane.zoom", {"pane": 1, "on": True}, "invalid_request"),
    ("layout.export", {"tab": 3}, "not_found"),
    ("layout.export", {"tab": 0}, "invalid_request"),
    ("layout.export", {"workspace": 2}, "not_found"),
    ("layout.export", {"workspace": 0, "node": 0}, "invalid_request"),
    ("layout.export", {"tab": 1, "tab_id": "x"}, "invalid_request"),
    ("layout.export", {"tab_id": "tab_x"}, "not_found"),
    ("layout.export", {"pane": 1}, "invalid_request"),
    ("layout.apply", {}, "invalid_request"),
    ("layout.apply", {"tree": None}, "invalid_request"),
    ("layout.apply", {"tree": []}, "invalid_request"),
    ("layout.apply", {"tree": {}}, "invalid_request"),
    ("layout.apply", {"tree": LEAF_1}, "invalid_request"),
    ("layout.apply", {"tree": {"Leaf": "1"}}, "invalid_request"),
    ("layout.apply", {"tree": {"Leaf": True}}, "invalid_request"),
    ("layout.apply", {"tree": {"Leaf": 1, "Split": {}}}, "invalid_request"),
    ("layout.apply", {"tree": {"Leafs": 1}}, "invalid_request"),
    ("layout.apply", {"tree": split(LEAF_1, LEAF_1)}, "invalid_request"),
    ("layout.apply", {"tree": split(split(), LEAF_2)}, "invalid_request"),
    ("layout.apply", {"tree": split(LEAF_1, {"Leaf": 3})}, "invalid_request"),
    ("layout.apply", {"tree": split(split(), {"Leaf": 4})}, "invalid_request"),
    ("layout.apply", {"tree": split(split(), {"Leaf": 99})}, "invalid_request"),
    ("layout.apply", {"tree": split(axis=2)}, "invalid_request"),
    ("layout.apply", {"tree": split(axis=True)}, "invalid_request"),
    ("layout.apply", {"tree": split(axis="0")}, "invalid_request"),
    ("layout.apply", {"tree": split(ratio=1.1)}, "invalid_request"),
    ("layout.apply", {"tree": split(ratio=-0.1)}, "invalid_request"),
    ("layout.apply", {"tree": split(ratio="0.5")}, "invalid_request"),
    ("layout.apply", {"tree": split(ratio=None)}, "invalid_request"),
    ("layout.apply", {"tree": {"Split": {"axis": 0, "a": LEAF_1, "b": LEAF_2}}}, "invalid_request"),
    ("layout.apply", {"tree": {"Split": {**split()["Split"], "c": 1}}}, "invalid_request"),
    ("layout.apply", {"tree": deep(65)}, "limit_exceeded"),
    ("layout.apply", {"tree": deep(90)}, "limit_exceeded"),
    ("layout.apply", {"tree": split(), "focus": 3}, "invalid_request"),
    ("layout.apply", {"tree": split(), "focus": 9}, "not_found"),
    ("layout.apply", {"tree": split(), "focus": "x"}, "invalid_request"),
    ("layout.apply", {"tree": split(), "tab": 2}, "invalid_request"),
    ("layout.apply", {"tree": split(), "workspace": 1}, "invalid_request"),
    ("layout.apply", {"tree": split(), "workspace": 7}, "not_found"),
    ("layout.apply", {"tree": split(), "force": True}, "invalid_request"),
    ("layout.set_split_ratio", {"ratio": 0.5}, "invalid_request"),
    ("layout.set_split_ratio", {"path": []}, "invalid_request"),
    ("layout.set_split_ratio", {"path": [], "ratio": 1.01}, "invalid_request"),
    ("layout.set_split_ratio", {"path": [], "ratio": -1}, "invalid_request"),
    ("layout.set_split_ratio", {"path": [], "ratio": True}, "invalid_request"),
    ("layout.set_split_ratio", {"path": ["c"], "ratio": 0.5}, "invalid_request"),
    ("layout.set_split_ratio", {"path": "a", "ratio": 0.5}, "invalid_request"),
    ("layout.set_split_ratio", {"path": ["a"], "ratio": 0.5}, "not_found"),
    ("layout.set_split_ratio", {"path": ["a", "b"], "ratio": 0.5}, "not_found"),
    ("layout.set_split_ratio", {"path": ["a"] * 65, "ratio": 0.5}, "limit_exceeded"),
    ("layout.set_split_ratio", {"path": [], "ratio": 0.5, "tab": 2}, "not_found"),
]


@pytest.mark.parametrize(
    ("method", "params", "code"),
    REFUSED,
    ids=[f"{number}-{method}" for number, (method, _, _) in enumerate(REFUSED)],
)
def test_a_refused_change_of_topology_changes_nothing(
    arranged: LiveServer, method: str, params: dict[str, Any], code: str
) -> None:
    before = everything(arranged)

    error = arranged.refusal(method, params)

    assert error["code"] == code, error
    assert everything(arranged) == before


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("workspace.pin", {"workspace": 0, "pinned": True}),
        ("workspace.move", {"workspace": 0, "to": 1}),
        ("workspace.move_block", {"workspaces": [1], "to": 0}),
        ("workspace.report_metadata", {"workspace": 0, "branch": "x"}),
        ("tab.move", {"tab": 1, "to": 2}),
        ("tab.swap", {"tab": 1, "with": 2}),
        ("pane.move", {"pane": 1, "new_tab": True}),
        ("pane.swap", {"pane": 1, "with": 2}),
        ("pane.focus_direction", {"pane": 1, "direction": "right"}),
        ("pane.resize", {"pane": 1, "direction": "right"}),
        ("pane.zoom", {"pane": 1}),
        ("layout.apply", {"tree": split()}),
        ("layout.set_split_ratio", {"path": [], "ratio": 0.2}),
    ],
)
def test_a_change_for_another_revision_changes_nothing(
    arranged: LiveServer, method: str, params: dict[str, Any]
) -> None:
    before = everything(arranged)

    error = arranged.refusal(method, {**params, "if_revision": 0})

    assert error["code"] == "revision_conflict"
    assert everything(arranged) == before


@pytest.mark.parametrize(
    "method",
    ["pane.layout", "pane.neighbor", "pane.edges", "layout.export", "workspace.get", "tab.get"],
)
def test_a_method_that_only_reads_takes_no_guard(arranged: LiveServer, method: str) -> None:
    assert arranged.refusal(method, {"if_revision": 0})["code"] == "invalid_request"


def test_a_refusal_says_where_a_tree_is_wrong_and_with_which_value(arranged: LiveServer) -> None:
    tree = split(split(axis=7), LEAF_2)

    error = arranged.refusal("layout.apply", {"tree": tree})

    assert error["message"] == ("tree.Split.a.Split.axis must be 0 (columns) or 1 (rows), not 7")
