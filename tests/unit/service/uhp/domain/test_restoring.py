"""Which panes come back, and under which ids."""

from __future__ import annotations

from dataclasses import replace
from itertools import count

from hypothesis import given
from hypothesis import strategies as st

from luvus_service.uhp.domain.layout import Tree, leaves
from luvus_service.uhp.domain.panes import close_pane, rename_pane, zoom_pane
from luvus_service.uhp.domain.restoring import Renewed, kept, renewed
from luvus_service.uhp.domain.structure import PaneRecord, Session, Tab, Workspace, problems
from tests.support.desks import Desk
from tests.support.layout_trees import trees


def fresh(session: Session) -> Renewed:
    numbers = count(0xF000)
    return renewed(session, lambda: f"{next(numbers):032x}")


def marked(session: Session, *panes: int) -> Session:
    for pane in panes:
        session = session.with_pane(replace(session.panes[pane], restore=False))
    return session


def test_panes_that_are_not_to_come_back_leave_their_place_to_the_others() -> None:
    desk = Desk("/a", "/b")
    desk.split(1)
    desk.tab()
    session = desk.topology.session

    found = kept(marked(session, 1, 2))

    expected = close_pane(close_pane(session, 1).session, 2).session
    assert replace(found, panes={}) == replace(expected, panes={})
    assert sorted(found.panes) == [3, 4]


def test_nothing_is_left_of_a_session_whose_panes_all_stay_away() -> None:
    desk = Desk("/a")

    assert kept(marked(desk.topology.session, 1)).workspaces == ()


def test_panes_get_new_ids_in_the_order_of_the_tabs_and_workspaces_keep_theirs() -> None:
    desk = Desk("/a", "/b")
    desk.tab(0)
    desk.split(3)
    desk.topology.do(rename_pane, 4, "tests")
    desk.topology.do(zoom_pane, 4)
    desk.topology.do(close_pane, 1)
    session = desk.topology.session
    session = session.with_pane(replace(session.panes[3], command=("htop",), label="top"))

    found = fresh(session)

    assert [before.pane for before in found.before.values()] == [3, 4, 2]
    assert list(found.before) == [1, 2, 3]
    new = found.session
    assert [w.workspace_id for w in new.workspaces] == [w.workspace_id for w in session.workspaces]
    assert new.active == session.active
    tab = new.workspaces[0].tabs[0]
    assert (tab.tab_id, tab.focus, tab.zoomed, tab.panes) == ("T3", 2, 2, (1, 2))
    assert new.panes[1] == PaneRecord(1, terminal_id=f"{0xF000:032x}", cwd="/", label="top")
    assert (new.panes[2].name, new.panes[3].name, new.next_pane) == ("tests", None, 4)


@given(trees(), st.data())
def test_any_tree_comes_back_sound_and_each_pane_knows_what_it_was(
    tree: Tree, data: st.DataObject
) -> None:
    shuffled = leaves(tree)
    focus = data.draw(st.sampled_from(shuffled))
    records = {pane: PaneRecord(pane, terminal_id=f"{pane:032x}") for pane in shuffled}
    tab = Tab("T", tree, focus)
    session = Session((Workspace("W", "w", "/", (tab,), "T"),), "W", records, len(shuffled) + 1)
    assert problems(session) == []

    found = fresh(session)

    assert problems(found.session) == []
    new = found.session.workspaces[0].tabs[0]
    assert [found.before[pane].pane for pane in new.panes] == list(shuffled)
    assert found.before[new.focus].pane == focus
