"""Rules of tabs."""

from __future__ import annotations

import pytest

from luvus_service.uhp.domain import tabs
from luvus_service.uhp.domain.changes import (
    PaneClosed,
    PaneCreated,
    PaneFocused,
    TabClosed,
    TabCreated,
    TabFocused,
    TabMoved,
    TabRenamed,
    WorkspaceClosed,
    WorkspaceFocused,
)
from luvus_service.uhp.domain.errors import InvalidRequest
from luvus_service.uhp.domain.structure import TabKind
from luvus_service.uhp.domain.topology import StalePlace
from tests.support.desks import Desk


def three_tabs() -> Desk:
    """Return a desk with tabs T1 to T3, the last one active."""
    desk = Desk("/a")
    desk.tab()
    desk.tab()
    return desk


def test_a_new_tab_comes_last_and_is_shown() -> None:
    desk = Desk("/a")
    record = desk.record()

    outcome = desk.topology.do(tabs.new_tab, 0, tab_id="T", pane=record, name=" build ")

    assert outcome.changes == (
        TabCreated("W1", 2, "T"),
        PaneCreated(2, record.terminal_id),
        TabFocused("W1", 2, "T"),
        PaneFocused(2),
    )
    assert (outcome.workspace, outcome.tab, outcome.pane) == (0, 2, 2)
    assert desk.where(1).tab.name == "build"


def test_a_tab_without_focus_changes_no_view() -> None:
    desk = Desk("/a", "/b")
    desk.tab(0, focus=False)

    session = desk.topology.session
    assert (session.active, session.focused) == ("W2", 2)
    assert session.workspaces[0].active_tab == "T1"


def test_focusing_a_tab_of_another_workspace_shows_both() -> None:
    desk = three_tabs()
    desk.open("/b")

    outcome = desk.topology.do(tabs.focus_tab, desk.where(1))

    assert outcome.changes == (WorkspaceFocused(0, "W1"), TabFocused("W1", 2, "T2"), PaneFocused(2))


@pytest.mark.parametrize(
    ("tab", "to", "order"),
    [(0, 3, ["T2", "T3", "T1"]), (2, 1, ["T3", "T1", "T2"]), (0, 2, ["T2", "T1", "T3"])],
)
def test_a_tab_moves_to_its_final_position(tab: int, to: int, order: list[str]) -> None:
    desk = three_tabs()

    outcome = desk.topology.do(tabs.move_tab, desk.where(tab), to)

    assert desk.tab_ids() == order
    assert outcome.changes == (TabMoved(0, tab + 1, to, order.index("T3") + 1),)
    assert desk.topology.session.workspaces[0].active_tab == "T3"


def test_a_tab_moves_by_one() -> None:
    desk = three_tabs()

    desk.topology.do(tabs.move_tab_towards, desk.where(2), "left")
    desk.topology.do(tabs.move_tab_towards, desk.where(0), "right")

    assert desk.tab_ids() == ["T3", "T1", "T2"]


def test_two_tabs_swap() -> None:
    desk = three_tabs()

    outcome = desk.topology.do(tabs.swap_tabs, desk.where(0), desk.where(2))

    change = TabMoved(0, 1, 3, 1, swapped=True)
    assert desk.tab_ids() == ["T3", "T2", "T1"]
    assert outcome.changes == (change,)
    assert change.data() == {
        "workspace": "0",
        "from": "1",
        "to": "3",
        "active": "1",
        "mode": "swap",
    }


def test_moves_that_are_none_are_refused() -> None:
    desk = three_tabs()
    desk.open("/b")
    before = desk.bytes()

    for to in (0, 4, -1, 2):
        with pytest.raises(InvalidRequest):
            desk.topology.do(tabs.move_tab, desk.where(1), to)
    with pytest.raises(InvalidRequest, match="further left"):
        desk.topology.do(tabs.move_tab_towards, desk.where(0), "left")
    with pytest.raises(InvalidRequest, match="further right"):
        desk.topology.do(tabs.move_tab_towards, desk.where(2), "right")
    with pytest.raises(InvalidRequest, match="itself"):
        desk.topology.do(tabs.swap_tabs, desk.where(1), desk.where(1))
    with pytest.raises(InvalidRequest, match="different workspaces"):
        desk.topology.do(tabs.swap_tabs, desk.where(1), desk.where(0, 1))

    assert desk.bytes() == before


def test_an_empty_name_clears_a_tabs_name() -> None:
    desk = Desk("/a")

    named = desk.topology.do(tabs.rename_tab, desk.where(0), "  logs ")
    assert named.changes == (TabRenamed("W1", 1, "T1"),)
    assert desk.where(0).tab.name == "logs"
    assert desk.topology.do(tabs.rename_tab, desk.where(0), "logs").changes == ()

    desk.topology.do(tabs.rename_tab, desk.where(0), "  ")
    assert desk.where(0).tab.name is None


def test_a_tab_name_of_more_than_forty_characters_is_refused() -> None:
    desk = Desk("/a")

    desk.topology.do(tabs.rename_tab, desk.where(0), " " + "n" * 40 + " ")
    with pytest.raises(InvalidRequest, match="at most 40"):
        desk.topology.do(tabs.rename_tab, desk.where(0), "n" * 41)


@pytest.mark.parametrize("kind", ["git", "orch", "mission"])
def test_a_dashboard_opens_once_and_cannot_be_renamed(kind: TabKind) -> None:
    desk = Desk("/a")
    first, again = desk.record(), desk.record()

    opened = desk.topology.do(tabs.open_dashboard, 0, kind, tab_id="D", pane=first)
    desk.topology.do(tabs.focus_tab, desk.where(0))
    shown = desk.topology.do(tabs.open_dashboard, 0, kind, tab_id="E", pane=again)

    assert (opened.tab, opened.ended) == (2, ())
    assert (shown.tab, shown.ended) == (2, (again,))
    assert desk.tab_ids() == ["T1", "D"]
    with pytest.raises(InvalidRequest, match="dashboard"):
        desk.topology.do(tabs.rename_tab, desk.where(1), "mine")


@pytest.mark.parametrize(("closed", "then"), [(0, "T2"), (1, "T3"), (2, "T2")])
def test_closing_the_active_tab_shows_the_next_one(closed: int, then: str) -> None:
    desk = three_tabs()
    desk.topology.do(tabs.focus_tab, desk.where(closed))

    outcome = desk.topology.do(tabs.close_tab, desk.where(closed))

    assert desk.topology.session.workspaces[0].active_tab == then
    assert outcome.changes[:2] == (
        PaneClosed(closed + 1),
        TabClosed("W1", closed + 1, f"T{closed + 1}"),
    )
    assert [record.pane for record in outcome.ended] == [closed + 1]


def test_closing_the_last_tab_closes_the_workspace() -> None:
    desk = Desk("/a", "/b")

    outcome = desk.topology.do(tabs.close_tab, desk.where(0))

    assert outcome.changes == (PaneClosed(1), TabClosed("W1", 1, "T1"), WorkspaceClosed(0, "W1"))
    assert not outcome.emptied
    assert desk.topology.do(tabs.close_tab, desk.where(0)).emptied


def test_a_place_of_an_earlier_session_is_not_used() -> None:
    desk = three_tabs()
    stale = desk.where(0)
    desk.topology.do(tabs.close_tab, desk.where(2))
    before = desk.bytes()

    with pytest.raises(StalePlace):
        desk.topology.do(tabs.close_tab, stale)

    assert desk.bytes() == before
