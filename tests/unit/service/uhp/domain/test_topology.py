"""Any sequence of operations leaves a sound session; a refused one leaves the very same."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Concatenate, ParamSpec

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from luvus_service.uhp.domain import panes, tabs, workspaces
from luvus_service.uhp.domain.changes import PaneClosed, PaneCreated, PaneFocused, PaneZoomed
from luvus_service.uhp.domain.errors import DomainError, LimitExceeded
from luvus_service.uhp.domain.geometry import Area, Direction
from luvus_service.uhp.domain.ids import MAX_PANE_ID
from luvus_service.uhp.domain.layout import Axis, leaves
from luvus_service.uhp.domain.layout import Step as PathStep
from luvus_service.uhp.domain.layout_json import tree_from_json, tree_to_json
from luvus_service.uhp.domain.step import Step
from luvus_service.uhp.domain.structure import PaneRecord, Session, TabKind, Where, problems
from luvus_service.uhp.domain.topology import Topology
from tests.support.layout_trees import AREAS, AXES, RATIOS

P = ParamSpec("P")
DIRECTIONS = st.sampled_from(list(Direction))
INDICES = st.integers(0, 20)
FLAGS = st.booleans()
PATH_STEPS: tuple[PathStep, ...] = ("a", "b")


class Sessions(RuleBasedStateMachine):
    """A session under any operations, allowed and refused."""

    def __init__(self) -> None:
        super().__init__()
        self.topology = Topology()
        self.ids = 0

    def do(
        self,
        operation: Callable[Concatenate[Session, P], Step],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> None:
        """Apply an operation and compare what it tells with what it did."""
        before = self.topology.session
        state = json.dumps(self.topology.to_state())
        try:
            outcome = self.topology.do(operation, *args, **kwargs)
        except DomainError:
            assert json.dumps(self.topology.to_state()) == state
            return
        after = self.topology.session
        gone = before.panes.keys() - after.panes.keys()
        came = after.panes.keys() - before.panes.keys()
        changes = outcome.changes
        assert sorted(c.pane for c in changes if isinstance(c, PaneClosed)) == sorted(gone)
        assert sorted(c.pane for c in changes if isinstance(c, PaneCreated)) == sorted(came)
        assert gone <= {record.pane for record in outcome.ended}
        assert not after.panes.keys() & {record.pane for record in outcome.ended}
        focused = [c.pane for c in changes if isinstance(c, PaneFocused)]
        moved = after.focused is not None and after.focused != before.focused
        assert focused == ([after.focused] if moved else [])
        for change in changes:
            assert not isinstance(change, PaneZoomed) or change.pane in after.panes
        assert outcome.emptied == (bool(before.workspaces) and not after.workspaces)

    def new_id(self, prefix: str) -> str:
        self.ids += 1
        return f"{prefix}{self.ids}"

    def record(self) -> PaneRecord:
        pane = self.topology.allocate_pane()
        return PaneRecord(pane, terminal_id=f"{pane:032x}")

    def workspace(self, index: int) -> int:
        return index % len(self.topology.session.workspaces)

    def tab(self, workspace: int, tab: int) -> Where:
        index = self.workspace(workspace)
        count = len(self.topology.session.workspaces[index].tabs)
        return self.topology.session.tab_at(index, tab % count)

    def pane(self, index: int) -> int:
        """Return a live pane, or now and then a dead one."""
        live = [*sorted(self.topology.session.panes), 0]
        return live[index % len(live)]

    @property
    def filled(self) -> bool:
        return bool(self.topology.session.workspaces)

    @initialize(splits=st.integers(0, 4))
    def start(self, splits: int) -> None:
        self.open("a", focus=True, reuse=True)
        for _ in range(splits):
            self.split(splits, "auto", Area(80, 24), focus=True)

    @rule(folder=st.sampled_from("abcd"), focus=FLAGS, reuse=FLAGS)
    def open(self, folder: str, focus: bool, reuse: bool) -> None:
        self.do(
            workspaces.open_workspace,
            workspace_id=self.new_id("W"),
            tab_id=self.new_id("T"),
            pane=self.record(),
            cwd=f"/{folder}",
            focus=focus,
            reuse=reuse,
        )

    @precondition(lambda self: self.filled)
    @rule(index=INDICES, name=st.text(max_size=45), pinned=FLAGS)
    def describe_workspace(self, index: int, name: str, pinned: bool) -> None:
        self.do(workspaces.rename_workspace, self.workspace(index), name)
        self.do(workspaces.pin_workspace, self.workspace(index), pinned=pinned)
        self.do(workspaces.focus_workspace, self.workspace(index))
        self.do(workspaces.report_metadata, self.workspace(index), branch=name, ahead=index - 1)

    @precondition(lambda self: self.filled)
    @rule(block=st.lists(st.integers(-1, 5), max_size=4), to=st.integers(-1, 5))
    def move_block(self, block: list[int], to: int) -> None:
        active, focused = self.topology.session.active, self.topology.session.focused
        self.do(workspaces.move_block, block, to)
        assert (self.topology.session.active, self.topology.session.focused) == (active, focused)

    # Rare enough that sessions grow, and yet every session can become empty.
    @precondition(lambda self: self.filled and self.ids % 4 == 0)
    @rule(index=INDICES)
    def close_workspace(self, index: int) -> None:
        self.do(workspaces.close_workspace, self.workspace(index))

    @precondition(lambda self: self.filled)
    @rule(index=INDICES, name=st.text(max_size=5), focus=FLAGS)
    def new_tab(self, index: int, name: str, focus: bool) -> None:
        record, tab_id = self.record(), self.new_id("T")
        at = self.workspace(index)
        self.do(tabs.new_tab, at, tab_id=tab_id, pane=record, name=name, focus=focus)

    @precondition(lambda self: self.filled)
    @rule(index=INDICES, kind=st.sampled_from(["git", "orch", "mission"]))
    def open_dashboard(self, index: int, kind: TabKind) -> None:
        record, tab_id = self.record(), self.new_id("T")
        self.do(tabs.open_dashboard, self.workspace(index), kind, tab_id=tab_id, pane=record)

    @precondition(lambda self: self.filled)
    @rule(workspace=INDICES, tab=INDICES, to=st.integers(-1, 5), right=FLAGS, name=st.text())
    def arrange_tab(self, workspace: int, tab: int, to: int, right: bool, name: str) -> None:
        self.do(tabs.move_tab, self.tab(workspace, tab), to)
        self.do(tabs.move_tab_towards, self.tab(workspace, tab), "right" if right else "left")
        self.do(tabs.swap_tabs, self.tab(workspace, tab), self.tab(to, to))
        self.do(tabs.rename_tab, self.tab(workspace, tab), name)
        self.do(tabs.focus_tab, self.tab(workspace, tab))

    @precondition(lambda self: self.filled)
    @rule(workspace=INDICES, tab=INDICES)
    def close_tab(self, workspace: int, tab: int) -> None:
        self.do(tabs.close_tab, self.tab(workspace, tab))

    @precondition(lambda self: self.filled)
    @rule(
        base=INDICES,
        direction=st.sampled_from(["auto", "right", "down", "stack"]),
        area=AREAS,
        focus=FLAGS,
    )
    def split(self, base: int, direction: panes.SplitDirection, area: Area, focus: bool) -> None:
        pane, record = self.pane(base), self.record()
        self.do(panes.split_pane, pane, record, direction=direction, area=area, focus=focus)

    @rule(pane=INDICES, other=INDICES, direction=DIRECTIONS)
    def look_around(self, pane: int, other: int, direction: Direction) -> None:
        self.do(panes.focus_pane, self.pane(pane))
        self.do(panes.focus_direction, self.pane(pane), direction)
        self.do(panes.swap_panes, self.pane(pane), self.pane(other))

    @rule(pane=INDICES, enabled=st.none() | FLAGS, other=INDICES)
    def zoom(self, pane: int, enabled: bool | None, other: int) -> None:
        self.do(panes.zoom_pane, self.pane(pane), enabled)
        self.do(panes.focus_pane, self.pane(other))
        self.do(panes.zoom_pane, self.pane(other), enabled)

    @rule(pane=INDICES, direction=DIRECTIONS, cells=st.integers(0, 1001), area=AREAS)
    def resize(self, pane: int, direction: Direction, cells: int, area: Area) -> None:
        self.do(panes.resize_pane, self.pane(pane), direction, cells, area=area)

    @precondition(lambda self: self.filled)
    @rule(pane=INDICES, workspace=INDICES, tab=INDICES, area=AREAS)
    def move_to_tab(self, pane: int, workspace: int, tab: int, area: Area) -> None:
        records = self.topology.session.panes
        self.do(panes.move_to_tab, self.pane(pane), self.tab(workspace, tab), area=area)
        assert self.topology.session.panes == records

    @rule(pane=INDICES)
    def move_to_new_tab(self, pane: int) -> None:
        records = self.topology.session.panes
        self.do(panes.move_to_new_tab, self.pane(pane), tab_id=self.new_id("T"))
        assert self.topology.session.panes == records

    @rule(pane=INDICES, other=INDICES, name=st.sampled_from(["", "a", "worker-1", "Bad", "9"]))
    def rename(self, pane: int, other: int, name: str) -> None:
        self.do(panes.rename_pane, self.pane(pane), name)
        self.do(panes.rename_pane, self.pane(other), name)

    @rule(pane=INDICES)
    def close_pane(self, pane: int) -> None:
        self.do(panes.close_pane, self.pane(pane))

    @precondition(lambda self: self.filled)
    @rule(workspace=INDICES, tab=INDICES, focus=st.none() | INDICES)
    def export_and_apply(self, workspace: int, tab: int, focus: int | None) -> None:
        where = self.tab(workspace, tab)
        tree = tree_from_json(json.loads(json.dumps(tree_to_json(where.tab.tree))))
        assert tree == where.tab.tree
        wanted = None if focus is None else self.pane(focus)
        self.do(panes.apply_layout, where, tree, wanted)
        assert self.tab(workspace, tab).tab.tree == tree

    @precondition(lambda self: self.filled)
    @rule(workspace=INDICES, tab=INDICES, axis=AXES, data=st.data())
    def apply_another(self, workspace: int, tab: int, axis: Axis, data: st.DataObject) -> None:
        where = self.tab(workspace, tab)
        order = data.draw(st.permutations(leaves(where.tab.tree)))
        tree: dict[str, object] = {"Leaf": order[0]}
        for pane in order[1:]:
            split = {"axis": int(axis), "ratio": 0.5, "a": {"Leaf": pane}, "b": tree}
            tree = {"Split": split}
        self.do(panes.apply_layout, where, tree_from_json(tree))

    @precondition(lambda self: self.filled)
    @rule(
        workspace=INDICES,
        tab=INDICES,
        path=st.lists(st.sampled_from(PATH_STEPS), max_size=3),
        ratio=RATIOS | st.just(1.5),
        area=AREAS,
    )
    def set_ratio(
        self, workspace: int, tab: int, path: list[PathStep], ratio: float, area: Area
    ) -> None:
        where = self.tab(workspace, tab)
        self.do(panes.set_split_ratio, where, tuple(path), ratio, area=area)

    @invariant()
    def the_session_is_sound(self) -> None:
        assert problems(self.topology.session) == []

    @invariant()
    def the_state_read_back_is_the_same(self) -> None:
        state = self.topology.to_state()
        read = Topology.from_state(json.loads(json.dumps(state)))
        assert read.session == self.topology.session
        assert read.to_state() == state


TestSessions = Sessions.TestCase
TestSessions.settings = settings(max_examples=30, stateful_step_count=30, deadline=None)


def test_pane_ids_end_with_the_last_one() -> None:
    topology = Topology(Session(next_pane=MAX_PANE_ID))

    assert topology.allocate_pane() == MAX_PANE_ID
    with pytest.raises(LimitExceeded, match="all pane ids"):
        topology.allocate_pane()
