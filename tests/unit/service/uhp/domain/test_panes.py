"""Rules of panes and of a tab's layout."""

from __future__ import annotations

from dataclasses import replace

import pytest

from luvus_service.uhp.domain import panes, tabs, workspaces
from luvus_service.uhp.domain.changes import (
    LayoutApplied,
    LayoutRatioChanged,
    PaneClosed,
    PaneCreated,
    PaneFocused,
    PaneMoved,
    PaneRenamed,
    PaneResized,
    PaneSwapped,
    PaneUpdated,
    PaneZoomed,
    TabClosed,
    TabCreated,
    TabFocused,
    WorkspaceClosed,
    WorkspaceFocused,
)
from luvus_service.uhp.domain.errors import InvalidRequest, LimitExceeded, NotFound
from luvus_service.uhp.domain.geometry import Direction
from luvus_service.uhp.domain.layout import Axis, Leaf, Split
from luvus_service.uhp.domain.panes import SplitDirection
from luvus_service.uhp.domain.structure import PaneRecord
from tests.support.desks import AREA, Desk

COLUMNS, ROWS = Axis.COLUMNS, Axis.ROWS


@pytest.mark.parametrize(
    ("direction", "axis"), [("auto", COLUMNS), ("right", COLUMNS), ("down", ROWS), ("stack", ROWS)]
)
def test_a_split_places_the_new_pane_after_its_base(direction: SplitDirection, axis: Axis) -> None:
    desk = Desk("/a")
    record = desk.record()

    outcome = desk.topology.do(panes.split_pane, 1, record, direction=direction, area=AREA)

    assert desk.where(0).tab.tree == Split(axis, 0.5, Leaf(1), Leaf(2))
    assert outcome.changes == (PaneCreated(2, record.terminal_id), PaneFocused(2))
    assert (outcome.workspace, outcome.tab, outcome.pane) == (0, 1, 2)


def test_auto_follows_the_shape_of_the_pane() -> None:
    desk = Desk("/a")
    right = desk.split(1)
    desk.split(right, "auto")

    assert desk.where(0).tab.tree == Split(
        COLUMNS, 0.5, Leaf(1), Split(ROWS, 0.5, Leaf(2), Leaf(3))
    )


def test_a_split_without_focus_leaves_focus_zoom_tab_and_workspace() -> None:
    desk = Desk("/a", "/b")
    desk.topology.do(panes.zoom_pane, 1, True)
    desk.topology.do(panes.focus_pane, 2)

    record = desk.record()
    outcome = desk.topology.do(panes.split_pane, 1, record, area=AREA, focus=False)

    assert outcome.changes == (PaneCreated(3, record.terminal_id),)
    assert (desk.where(0).tab.focus, desk.where(0).tab.zoomed) == (1, 1)


def test_a_split_with_focus_ends_a_zoom_that_would_hide_the_new_pane() -> None:
    desk = Desk("/a")
    desk.topology.do(panes.zoom_pane, 1)
    record = desk.record()

    outcome = desk.topology.do(panes.split_pane, 1, record, area=AREA)

    assert outcome.changes == (
        PaneCreated(2, record.terminal_id),
        PaneZoomed(1, enabled=False),
        PaneFocused(2),
    )


def test_a_split_can_be_checked_before_a_shell_is_started() -> None:
    desk = Desk("/a")
    base = 1
    for _ in range(64):
        base = desk.split(base, focus=False)
    desk.tab(kind="git")
    before = desk.bytes()

    assert panes.check_split(desk.topology.session, 1).tab.tab_id == "T1"
    for pane, error in ((base, LimitExceeded), (66, InvalidRequest), (99, NotFound)):
        with pytest.raises(error):
            panes.check_split(desk.topology.session, pane)
    assert desk.bytes() == before


def test_focusing_a_pane_jumps_to_its_workspace_and_tab() -> None:
    desk = Desk("/a")
    desk.tab()
    desk.open("/b")

    outcome = desk.topology.do(panes.focus_pane, 1)

    assert outcome.changes == (WorkspaceFocused(0, "W1"), TabFocused("W1", 1, "T1"), PaneFocused(1))
    assert desk.topology.do(panes.focus_pane, 1).changes == ()


def test_focus_goes_to_the_neighbor_and_not_past_the_edge() -> None:
    desk = Desk("/a")
    desk.split(1)

    assert desk.topology.do(panes.focus_direction, 2, Direction.LEFT).pane == 1
    assert desk.topology.session.focused == 1
    with pytest.raises(NotFound, match="no pane left of pane 1"):
        desk.topology.do(panes.focus_direction, 1, Direction.LEFT)


def test_zoom_toggles_and_takes_the_focus() -> None:
    desk = Desk("/a")
    desk.split(1)

    on = desk.topology.do(panes.zoom_pane, 1)
    same = desk.topology.do(panes.zoom_pane, 1, True)
    off = desk.topology.do(panes.zoom_pane, 1)

    assert on.changes == (PaneZoomed(1, enabled=True), PaneFocused(1))
    assert same.changes == ()
    assert off.changes == (PaneZoomed(1, enabled=False),)


def test_zooming_another_pane_takes_the_zoom_over() -> None:
    desk = Desk("/a")
    desk.split(1)
    desk.topology.do(panes.zoom_pane, 1, True)

    outcome = desk.topology.do(panes.zoom_pane, 2, True)

    assert outcome.changes == (
        PaneZoomed(1, enabled=False),
        PaneZoomed(2, enabled=True),
        PaneFocused(2),
    )


def test_swapped_panes_keep_focus_and_shape() -> None:
    desk = Desk("/a")
    desk.split(1)

    outcome = desk.topology.do(panes.swap_panes, 1, 2)

    assert desk.where(0).tab.tree == Split(COLUMNS, 0.5, Leaf(2), Leaf(1))
    assert outcome.changes == (PaneSwapped(1, 2),)
    assert PaneSwapped(1, 2).data() == {"pane": "1", "with": "2"}


def test_resize_tells_the_cells_asked_for() -> None:
    desk = Desk("/a")
    desk.split(1)

    outcome = desk.topology.do(panes.resize_pane, 1, Direction.RIGHT, 8, area=AREA)
    clamped = desk.topology.do(panes.resize_pane, 1, Direction.RIGHT, 1000, area=AREA)
    stuck = desk.topology.do(panes.resize_pane, 1, Direction.RIGHT, 1, area=AREA)

    assert outcome.changes == (PaneResized(1, 8),)
    assert clamped.changes == (PaneResized(1, 1000),)
    assert stuck.changes == ()
    assert desk.where(0).tab.tree == Split(COLUMNS, 0.95, Leaf(1), Leaf(2))


def test_a_pane_moves_to_another_tab_and_leaves_no_empty_one() -> None:
    desk = Desk("/a")
    desk.tab()
    desk.tab()

    outcome = desk.topology.do(panes.move_to_tab, 1, desk.where(2), area=AREA)

    assert outcome.changes == (
        TabClosed("W1", 1, "T1"),
        PaneMoved(1, 0, 2),
        PaneFocused(1),
    )
    assert (outcome.workspace, outcome.tab, outcome.pane, outcome.ended) == (0, 2, 1, ())
    assert desk.tab_ids() == ["T2", "T3"]
    assert desk.where(1).tab.tree == Split(COLUMNS, 0.5, Leaf(3), Leaf(1))


def test_a_pane_moves_out_of_a_tab_that_stays_and_focus_follows_across_workspaces() -> None:
    desk = Desk("/a")
    desk.split(1)
    desk.tab()
    desk.topology.do(panes.zoom_pane, 2, True)
    desk.open("/b")

    outcome = desk.topology.do(panes.move_to_tab, 2, desk.where(1), area=AREA)

    assert outcome.changes == (
        PaneMoved(2, 0, 2),
        PaneZoomed(2, enabled=False),
        WorkspaceFocused(0, "W1"),
        TabFocused("W1", 2, "T2"),
        PaneFocused(2),
    )
    assert desk.where(0).tab.tree == Leaf(1)
    assert (desk.where(0).tab.focus, desk.where(0).tab.zoomed) == (1, None)


def test_a_pane_moves_to_a_new_tab_at_the_end() -> None:
    desk = Desk("/a")
    desk.split(1)
    desk.tab()

    outcome = desk.topology.do(panes.move_to_new_tab, 1, tab_id="N")

    assert outcome.changes == (
        TabCreated("W1", 3, "N"),
        PaneMoved(1, 0, 3),
        TabFocused("W1", 3, "N"),
        PaneFocused(1),
    )
    assert outcome.ended == ()


def test_an_alias_moves_to_the_pane_that_gets_it_last() -> None:
    desk = Desk("/a")
    desk.split(1)

    first = desk.topology.do(panes.rename_pane, 1, "worker")
    taken = desk.topology.do(panes.rename_pane, 2, "worker")
    same = desk.topology.do(panes.rename_pane, 2, "worker")
    cleared = desk.topology.do(panes.rename_pane, 2, "")

    assert first.changes == (PaneRenamed(1, "worker"),)
    assert taken.changes == (PaneRenamed(1, None), PaneRenamed(2, "worker"))
    assert same.changes == ()
    assert cleared.changes == (PaneRenamed(2, None),)
    assert panes.alias_owner(desk.topology.session, "worker") is None


def test_what_is_known_of_a_pane_can_change_but_not_its_alias() -> None:
    desk = Desk("/a")
    desk.topology.do(panes.rename_pane, 1, "worker")
    record = replace(desk.topology.session.panes[1], cwd="/a/b", label="x", name="other")

    assert desk.topology.do(panes.update_pane, record).changes == (PaneUpdated(1),)
    assert desk.topology.session.panes[1] == replace(record, name="worker")
    assert desk.topology.do(panes.update_pane, record).changes == ()
    with pytest.raises(NotFound):
        desk.topology.do(panes.update_pane, PaneRecord(9))


def test_closing_a_pane_gives_the_focus_to_the_one_beside_it() -> None:
    desk = Desk("/a")
    right = desk.split(1)
    below = desk.split(right, "down")
    desk.topology.do(panes.zoom_pane, below, True)
    record = desk.topology.session.panes[below]

    outcome = desk.topology.do(panes.close_pane, below)

    assert outcome.changes == (PaneClosed(below), PaneFocused(right))
    assert outcome.ended == (record,)
    assert desk.where(0).tab.tree == Split(COLUMNS, 0.5, Leaf(1), Leaf(2))
    assert desk.where(0).tab.zoomed is None


def test_closing_a_pane_out_of_focus_leaves_focus_and_zoom() -> None:
    desk = Desk("/a")
    desk.split(1)
    desk.topology.do(panes.zoom_pane, 2, True)

    assert desk.topology.do(panes.close_pane, 1).changes == (PaneClosed(1),)
    assert (desk.where(0).tab.focus, desk.where(0).tab.zoomed) == (2, 2)


def test_closing_the_last_pane_closes_tab_and_workspace_and_empties_the_session() -> None:
    desk = Desk("/a")
    desk.tab()

    assert desk.topology.do(panes.close_pane, 2).changes == (
        PaneClosed(2),
        TabClosed("W1", 2, "T2"),
        TabFocused("W1", 1, "T1"),
        PaneFocused(1),
    )
    last = desk.topology.do(panes.close_pane, 1)
    assert last.changes == (PaneClosed(1), TabClosed("W1", 1, "T1"), WorkspaceClosed(0, "W1"))
    assert last.emptied


def test_a_layout_is_applied_to_the_same_panes() -> None:
    desk = Desk("/a")
    desk.split(1)
    desk.topology.do(panes.zoom_pane, 2, True)
    tree = Split(ROWS, 0.0, Leaf(2), Leaf(1))

    outcome = desk.topology.do(panes.apply_layout, desk.where(0), tree, 1)

    assert desk.where(0).tab.tree == tree
    assert outcome.changes == (
        LayoutApplied(0, 1),
        PaneZoomed(2, enabled=False),
        PaneFocused(1),
    )
    assert outcome.ended == ()


def test_a_ratio_is_clamped_in_the_layout_and_told_as_asked_for() -> None:
    desk = Desk("/a")
    desk.split(1)

    outcome = desk.topology.do(panes.set_split_ratio, desk.where(0), (), 0, area=AREA)

    assert outcome.changes == (LayoutRatioChanged(0, 1, (), 0.0),)
    assert desk.where(0).tab.tree == Split(COLUMNS, 0.05, Leaf(1), Leaf(2))


def test_a_dashboard_can_be_closed_and_focused() -> None:
    desk = Desk("/a")
    placeholder = desk.tab(kind="mission")

    desk.topology.do(panes.focus_pane, 1)
    desk.topology.do(panes.focus_pane, placeholder)
    outcome = desk.topology.do(panes.close_pane, placeholder)

    assert outcome.changes[:2] == (PaneClosed(placeholder), TabClosed("W1", 2, "T2"))


def test_a_pane_id_is_never_given_out_twice() -> None:
    desk = Desk("/a", "/b")
    desk.topology.do(workspaces.close_workspace, 1)
    desk.topology.do(tabs.close_tab, desk.where(0))

    assert desk.topology.allocate_pane() == 3
