"""Whole sessions behind the real dispatcher, in a world that starts no program."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from luvus_service.rpc.errors import RpcError
from luvus_service.uhp.domain import tabs as tab_rules
from luvus_service.uhp.domain.geometry import terminal_sizes
from luvus_service.uhp.domain.structure import PaneRecord, Session, problems
from tests.support.fake_world import Stage, subfolders

Call = tuple[str, dict[str, Any]]

CALLS = 15
DIRECTIONS = st.sampled_from(["left", "right", "up", "down"])
CELLS = st.sampled_from([1, 7, 60, 1000, 0])
Values = dict[str, st.SearchStrategy[Any]]


def changes(structure: Session) -> dict[str, Values]:
    """Return the changes that can be asked for, mostly of what is there at this moment."""
    workspaces = st.sampled_from(range(len(structure.workspaces) + 1))
    active = structure.workspaces[structure.active_index]
    tabs = st.sampled_from([*range(1, len(active.tabs) + 1), 1, 2, 99])
    near = st.sampled_from([*active.active.panes, *structure.panes])
    panes = st.sampled_from([*structure.panes, *active.active.panes, 99])
    return {
        "tab.new": {},
        "tab.focus": {"tab": tabs},
        "tab.close": {"tab": tabs},
        "tab.move": {"tab": tabs, "to": tabs},
        "tab.swap": {"tab": tabs, "with": tabs},
        "workspace.focus": {"workspace": workspaces},
        "workspace.close": {"workspace": workspaces},
        "workspace.pin": {"workspace": workspaces, "pinned": st.booleans()},
        "workspace.move": {"workspace": workspaces, "to": workspaces},
        "workspace.move_block": {
            "workspaces": st.lists(workspaces, min_size=1, max_size=2, unique=True),
            "to": workspaces,
        },
        "pane.split": {
            "pane": panes,
            "direction": st.sampled_from(["right", "down", "auto"]),
            "focus": st.booleans(),
        },
        "pane.close": {"pane": panes},
        "pane.focus": {"pane": panes},
        "pane.swap": {"pane": near, "with": near},
        "pane.focus_direction": {"pane": panes, "direction": DIRECTIONS},
        "pane.resize": {"pane": panes, "direction": DIRECTIONS, "cells": CELLS},
        "pane.zoom": {"pane": panes},
        "pane.move": {"pane": panes, "tab": tabs},
        "pane.rename": {"pane": panes, "name": st.sampled_from(["", "a", "b"])},
        "layout.set_split_ratio": {
            "path": st.lists(st.sampled_from(["a", "b"]), max_size=1),
            "ratio": st.floats(0, 1),
        },
    }


OTHERS: dict[str, Values] = {
    "pane.move": {"new_tab": st.just(value=True)},
    "pane.zoom": {},
    "tab.move": {"direction": st.sampled_from(["left", "right"])},
    "workspace.report_metadata": {"workspace": st.just(0), "branch": st.none()},
}
"""Other ways to ask for some of them."""


def draw_call(data: st.DataObject, structure: Session) -> Call:
    """Draw a change; some of them are refused."""
    known = changes(structure)
    method = data.draw(st.sampled_from([*known, *OTHERS, "pane.split", "pane.split"]))
    values = known.get(method, {})
    if method in OTHERS and (method not in known or data.draw(st.booleans())):
        values = OTHERS[method]
    return method, {name: data.draw(value) for name, value in values.items()}


@pytest.fixture(scope="module")
def folders() -> Iterator[list[str]]:
    """Yield three folders that can be opened."""
    with tempfile.TemporaryDirectory() as folder:
        yield subfolders(Path(folder), 3)


@settings(max_examples=50, deadline=None)
@given(data=st.data())
def test_whatever_is_asked_the_session_stays_sound(folders: list[str], data: st.DataObject) -> None:
    async def play() -> None:
        stage = Stage()
        await furnish(stage, folders)
        for _ in range(CALLS):
            method, params = draw_call(data, stage.session.structure)
            before = stage.session.topology.to_state()
            revision = stage.session.events.sequence
            try:
                await stage.call(method, params)
            except RpcError:
                after = stage.session.topology.to_state()
                # A pane id that was taken before the refusal is not given out again.
                assert {**after, "next_pane": 0} == {**before, "next_pane": 0}
                assert stage.session.events.sequence == revision
            assert problems(stage.session.structure) == []
        await same_when_applied_again(stage)
        await sized_as_laid_out(stage)
        await stage.close()

    asyncio.run(play())


async def furnish(stage: Stage, folders: list[str]) -> None:
    """Open two workspaces of one pane and one of three tabs with six panes."""
    for folder in folders:
        await stage.call("workspace.open", {"path": folder})
    for direction in ("right", "down", "right"):
        await stage.call("pane.split", {"pane": 3, "direction": direction})
    await stage.call("tab.new")
    await stage.call("tab.new")


async def same_when_applied_again(stage: Stage) -> None:
    """Apply each tab's exported layout, which must change nothing."""
    before = stage.session.topology.to_state()
    for index, workspace in enumerate(stage.session.structure.workspaces):
        for position in range(1, len(workspace.tabs) + 1):
            where = {"workspace": index, "tab": position}
            found = await stage.call("layout.export", where)
            given_back = {**where, "tree": found["tree"], "focus": found["focus"]}
            await stage.call("layout.apply", given_back)
            again = await stage.call("layout.export", where)
            assert {**again, "revision": 0} == {**found, "revision": 0}
    assert stage.session.topology.to_state() == before


async def sized_as_laid_out(stage: Stage) -> None:
    """Check that every terminal has the size of its place, and no terminal is left over."""
    await stage.session.tasks.drain()
    session = stage.session
    wanted = {
        session.structure.panes[pane].terminal_id: size
        for workspace in session.structure.workspaces
        for tab in workspace.tabs
        for pane, size in terminal_sizes(tab.tree, session.area, tab.zoomed).items()
    }
    found = {t.terminal_id: (t.cols, t.rows) for t in stage.host.terminals.values()}
    assert found == wanted


async def test_a_dashboard_has_no_layout_and_takes_no_pane(folders: list[str]) -> None:
    stage = Stage()
    await stage.call("workspace.open", {"path": folders[0]})
    await stage.call("pane.split")
    pane = stage.session.topology.allocate_pane()
    stage.session.commit(
        tab_rules.new_tab, 0, tab_id="tab_dash", pane=PaneRecord(pane, kind="view"), kind="git"
    )
    before = stage.session.topology.to_state()

    refused: list[Call] = [
        ("layout.export", {}),
        ("layout.apply", {"tree": {"Leaf": pane}}),
        ("layout.set_split_ratio", {"path": [], "ratio": 0.5}),
        ("pane.zoom", {"pane": pane}),
        ("pane.resize", {"pane": pane, "direction": "left"}),
        ("pane.split", {"pane": pane}),
        ("pane.move", {"pane": 1, "tab": 2}),
        ("pane.move", {"pane": pane, "tab": 1}),
        ("pane.move", {"pane": pane, "new_tab": True}),
        ("tab.rename", {"tab": 2, "name": "x"}),
    ]

    codes = [await stage.refusal(method, params) for method, params in refused]

    assert codes == ["invalid_request"] * 10
    assert {**stage.session.topology.to_state(), "next_pane": 0} == {**before, "next_pane": 0}
    assert (await stage.call("pane.layout", {"pane": pane}))["tree"] == {"Leaf": pane}
    await stage.close()


async def test_without_a_workspace_nothing_can_be_arranged() -> None:
    stage = Stage()

    methods = ["layout.export", "pane.layout", "pane.zoom", "tab.move", "workspace.pin"]
    params: list[dict[str, Any]] = [{}, {}, {}, {"direction": "left"}, {"pinned": True}]
    codes = [await stage.refusal(m, p) for m, p in zip(methods, params, strict=True)]

    assert codes == ["no_session"] * 5
    await stage.close()
