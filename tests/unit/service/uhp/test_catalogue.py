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
from luvus_service.uhp.domain.structure import PaneRecord, problems
from tests.support.fake_world import Stage, subfolders

Call = tuple[str, dict[str, Any]]

PANES = st.integers(0, 12)
TABS = st.integers(1, 4)
PLACES = st.integers(0, 4)
DIRECTIONS = st.sampled_from(["left", "right", "up", "down"])
CHANGES: dict[str, dict[str, st.SearchStrategy[Any]]] = {
    "tab.new": {},
    "tab.focus": {"tab": TABS},
    "tab.close": {"tab": TABS},
    "tab.move": {"tab": TABS, "to": TABS},
    "tab.swap": {"tab": TABS, "with": TABS},
    "workspace.focus": {"workspace": PLACES},
    "workspace.close": {"workspace": PLACES},
    "workspace.pin": {"workspace": PLACES, "pinned": st.booleans()},
    "workspace.move": {"workspace": PLACES, "to": PLACES},
    "workspace.move_block": {"workspaces": st.lists(PLACES, max_size=4), "to": PLACES},
    "pane.split": {
        "pane": PANES,
        "direction": st.sampled_from(["auto", "right", "down"]),
        "focus": st.booleans(),
    },
    "pane.close": {"pane": PANES},
    "pane.focus": {"pane": PANES},
    "pane.swap": {"pane": PANES, "with": PANES},
    "pane.focus_direction": {"pane": PANES, "direction": DIRECTIONS},
    "pane.resize": {"pane": PANES, "direction": DIRECTIONS, "cells": st.integers(0, 60)},
    "pane.zoom": {"pane": PANES},
    "pane.rename": {"pane": PANES, "name": st.sampled_from(["", "a", "b"])},
    "layout.set_split_ratio": {
        "path": st.lists(st.sampled_from(["a", "b"]), max_size=3),
        "ratio": st.floats(0, 1),
    },
}


@st.composite
def calls(draw: st.DrawFn) -> Call:
    """Draw a change; many of them are refused."""
    method = draw(st.sampled_from([*CHANGES, "pane.split", "pane.split", "pane.move"]))
    if method == "pane.move":
        target = draw(st.sampled_from(["tab", "new_tab"]))
        return method, {"pane": draw(PANES), target: draw(TABS) if target == "tab" else True}
    return method, {name: draw(values) for name, values in CHANGES[method].items()}


@pytest.fixture(scope="module")
def folders() -> Iterator[list[str]]:
    """Yield three folders that can be opened."""
    with tempfile.TemporaryDirectory() as folder:
        yield subfolders(Path(folder), 3)


@settings(max_examples=60, deadline=None)
@given(changes=st.lists(calls(), max_size=25))
def test_whatever_is_asked_the_session_stays_sound(folders: list[str], changes: list[Call]) -> None:
    async def play() -> None:
        stage = Stage()
        for folder in folders:
            await stage.call("workspace.open", {"path": folder})
        for method, params in changes:
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
