"""A session written and read, and descriptions that are none."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from luvus_service.uhp.domain import panes, workspaces
from luvus_service.uhp.domain.layout import Axis, Leaf, Split, Tree
from luvus_service.uhp.domain.state import BrokenState
from luvus_service.uhp.domain.structure import (
    MAX_PANES,
    PaneRecord,
    Session,
    Tab,
    Workspace,
    problems,
)
from luvus_service.uhp.domain.topology import Topology
from tests.support.desks import Desk


def desk() -> Desk:
    """Return a desk with something in every field."""
    filled = Desk("/a", "/b")
    filled.split(1, "down")
    filled.tab(0, kind="git")
    topology = filled.topology
    topology.do(panes.rename_pane, 1, "worker")
    topology.do(panes.zoom_pane, 3, True)
    topology.do(workspaces.pin_workspace, 1, pinned=True)
    topology.do(workspaces.report_metadata, 0, branch="main", ahead=1)
    record = PaneRecord(
        2,
        kind="view",
        terminal_id=None,
        cwd="/b",
        command=("htop", "-d", "5"),
        label="top",
        restore=False,
    )
    topology.do(panes.update_pane, record)
    return filled


def test_a_session_written_and_read_is_the_same() -> None:
    topology = desk().topology

    read = Topology.from_state(json.loads(json.dumps(topology.to_state())))

    assert read.session == topology.session
    assert read.to_state() == topology.to_state()
    assert read.allocate_pane() == topology.allocate_pane()


def test_an_empty_session_is_one_too() -> None:
    assert Topology.from_state(Topology().to_state()).session == Topology().session


def test_a_state_looks_like_this() -> None:
    assert Desk("/a").topology.to_state() == {
        "version": 1,
        "next_pane": 2,
        "active": "W1",
        "workspaces": [
            {
                "workspace_id": "W1",
                "name": "a",
                "cwd": "/a",
                "pinned": False,
                "branch": None,
                "ahead": None,
                "behind": None,
                "active_tab": "T1",
                "tabs": [
                    {
                        "tab_id": "T1",
                        "name": None,
                        "kind": "panes",
                        "tree": {"Leaf": 1},
                        "focus": 1,
                        "zoomed": None,
                    }
                ],
            }
        ],
        "panes": [
            {
                "pane": 1,
                "kind": "terminal",
                "terminal_id": f"{1:032x}",
                "cwd": "/",
                "command": None,
                "name": None,
                "label": None,
                "restore": True,
                "agent": None,
                "agent_session": None,
            }
        ],
    }


def put(*way: str | int, value: object) -> Callable[[dict[str, Any]], None]:
    """Return a change that puts a value deep inside."""

    def change(state: dict[str, Any]) -> None:
        node: Any = state
        for step in way[:-1]:
            node = node[step]
        node[way[-1]] = value

    return change


BREAKS: list[tuple[Callable[[dict[str, Any]], Any], str]] = [
    (put("version", value=2), r"state\.version is 2"),
    (put("version", value=True), r"state\.version must be of type int"),
    (put("workspaces", value={}), r"state\.workspaces must be a list"),
    (put("workspaces", 0, value="W1"), r"state\.workspaces\[0\] must be an object"),
    (put("workspaces", 0, "pinned", value=1), r"workspaces\[0\]\.pinned must be of type bool"),
    (put("workspaces", 0, "ahead", value="1"), r"ahead must be of type int"),
    (put("workspaces", 0, "tabs", 0, "kind", value="x"), r"kind must be one of panes, git"),
    (put("workspaces", 0, "tabs", 0, "tree", value={"Leaf": "1"}), r"tabs\[0\]\.tree\.Leaf"),
    (put("workspaces", 0, "tabs", 0, "focus", value=9), "the focus 9 of T1"),
    (put("workspaces", 0, "tabs", 0, "zoomed", value=1), "zoomed pane 1 of T1 is not in focus"),
    (put("workspaces", 0, "tabs", 0, "tree", value={"Leaf": 1}), "not one of its panes|no leaf"),
    (put("workspaces", 0, "tabs", 1, "tab_id", value="T1"), "tab_id T1 is there 2 times"),
    (put("workspaces", 0, "active_tab", value="T2"), "W1 has no active tab"),
    (put("workspaces", 1, "workspace_id", value="W1"), "workspace_id W1 is there 2 times"),
    (put("workspaces", 0, "tabs", value=[]), "has no leaf|no active tab"),
    (put("active", value="W9"), "active workspace W9 is not open"),
    (put("active", value=None), "active workspace None is not open"),
    (put("next_pane", value=2), "was never given out"),
    (put("next_pane", value=2**33), "next pane id"),
    (put("panes", 0, "pane", value=2), "the same pane twice"),
    (put("panes", 0, "name", value="Not An Alias"), "invalid alias"),
    (put("panes", 0, "terminal_id", value=f"{3:032x}"), "terminal_id .* is there 2 times"),
    (put("panes", 1, "command", value=["a", 1]), r"command\[1\] must be of type str"),
    (put("panes", value=[]), "has no record"),
    (put("workspaces", 0, "tabs", 0, "kind", value="git"), "dashboard T1 has more than its"),
    (lambda state: state.pop("panes"), r"state\.panes is missing"),
]


@pytest.mark.parametrize(("change", "text"), BREAKS)
def test_a_broken_description_is_refused_with_its_place(
    change: Callable[[dict[str, Any]], Any], text: str
) -> None:
    state = copy.deepcopy(desk().topology.to_state())
    change(state)

    with pytest.raises(BrokenState, match=text):
        Topology.from_state(state)


@pytest.mark.parametrize("state", [None, [], "x", 1])
def test_something_else_is_no_description(state: object) -> None:
    with pytest.raises(BrokenState, match="state must be an object"):
        Topology.from_state(state)


def test_a_session_is_unsound_when_it_passes_its_limits() -> None:
    tree: Tree = Leaf(1)
    for pane in range(2, MAX_PANES + 2):
        tree = Split(Axis.ROWS, 0.5, Leaf(pane), tree)
    workspace = Workspace("W", "w", "/w", (Tab("T", tree, 1),), "T")
    records = {pane: PaneRecord(pane) for pane in range(1, MAX_PANES + 2)}

    assert problems(Session((workspace,), "W", records, MAX_PANES + 2)) == [
        "the tree of T is deeper than 64 splits",
        "there are more than 1024 panes",
    ]


def test_a_pane_can_get_a_new_terminal() -> None:
    filled = Desk("/a")
    known = filled.topology.session.panes[1]

    filled.topology.do(panes.update_pane, replace(known, terminal_id="f" * 32))

    assert filled.topology.session.panes[1].terminal_id == "f" * 32
