"""Rules of workspaces."""

from __future__ import annotations

from typing import Any

import pytest

from luvus_service.uhp.domain import workspaces
from luvus_service.uhp.domain.changes import (
    PaneClosed,
    PaneCreated,
    PaneFocused,
    TabClosed,
    TabCreated,
    TabFocused,
    WorkspaceBlockMoved,
    WorkspaceClosed,
    WorkspaceCreated,
    WorkspaceFocused,
    WorkspaceMetadataReported,
    WorkspaceMoved,
    WorkspacePinned,
    WorkspaceRenamed,
)
from luvus_service.uhp.domain.errors import DomainError, InvalidRequest, LimitExceeded
from luvus_service.uhp.domain.structure import MAX_PANES
from tests.support.desks import Desk


def test_opening_a_folder_makes_a_workspace_of_one_tab_and_one_pane() -> None:
    desk = Desk()
    record = desk.record()

    outcome = desk.topology.do(
        workspaces.open_workspace, workspace_id="W", tab_id="T", pane=record, cwd="/work/api"
    )

    assert outcome.changes == (
        WorkspaceCreated(0, "W"),
        TabCreated("W", 1, "T"),
        PaneCreated(1, record.terminal_id),
        WorkspaceFocused(0, "W"),
        TabFocused("W", 1, "T"),
        PaneFocused(1),
    )
    assert (outcome.workspace, outcome.tab, outcome.pane, outcome.ended) == (0, 1, 1, ())
    assert desk.topology.session.workspaces[0].name == "api"


def test_opening_an_open_folder_focuses_it_and_gives_the_new_pane_back() -> None:
    desk = Desk("/a", "/b")
    record = desk.record()

    outcome = desk.topology.do(
        workspaces.open_workspace, workspace_id="X", tab_id="Y", pane=record, cwd="/a"
    )

    assert outcome.ended == (record,)
    assert outcome.changes == (WorkspaceFocused(0, "W1"), TabFocused("W1", 1, "T1"), PaneFocused(1))
    assert desk.names() == ["W1", "W2"]
    assert sorted(desk.topology.session.panes) == [1, 2]


def test_opening_without_focus_leaves_the_active_workspace() -> None:
    desk = Desk("/a")
    desk.open("/b", focus=False)

    assert desk.topology.session.active == "W1"
    assert workspaces.find_path(desk.topology.session, "/b") == 1
    assert workspaces.find_path(desk.topology.session, "/c") is None


def test_the_first_workspace_is_active_even_without_focus() -> None:
    desk = Desk()
    desk.open("/a", focus=False)

    assert desk.topology.session.active == "W1"


def test_a_folder_may_be_open_twice_when_asked_for() -> None:
    desk = Desk("/a")
    desk.topology.do(
        workspaces.open_workspace,
        workspace_id="X",
        tab_id="Y",
        pane=desk.record(),
        cwd="/a",
        reuse=False,
    )

    assert desk.names() == ["W1", "X"]


@pytest.mark.parametrize(
    ("folder", "name"),
    [("/", "/"), ("/x/" + "n" * 50, "n" * 40), ("/x/a\nb", "a\ufffdb"), ("/x/ ", "workspace")],
)
def test_any_folder_gets_a_name_that_fits(folder: str, name: str) -> None:
    assert Desk(folder).topology.session.workspaces[0].name == name


def test_a_session_has_a_limit_of_panes() -> None:
    desk = Desk("/a")
    for _ in range(MAX_PANES - 1):
        desk.tab(focus=False)

    with pytest.raises(LimitExceeded, match="1024 panes"):
        desk.open("/b")


def test_a_pane_id_that_was_not_allocated_is_a_fault_of_the_caller() -> None:
    desk = Desk("/a")
    used = desk.topology.session.panes[1]

    with pytest.raises(ValueError, match="not allocated"):
        desk.topology.do(
            workspaces.open_workspace, workspace_id="X", tab_id="Y", pane=used, cwd="/b"
        )


def test_a_name_is_trimmed() -> None:
    desk = Desk("/a")

    outcome = desk.topology.do(workspaces.rename_workspace, 0, "  my work ")

    assert outcome.changes == (WorkspaceRenamed(0, "W1"),)
    assert desk.topology.session.workspaces[0].name == "my work"
    assert desk.topology.do(workspaces.rename_workspace, 0, "my work").changes == ()


@pytest.mark.parametrize("name", ["", "   ", "n" * 41, "a\x1b[31m", "a\nb", "a\u2028b"])
def test_a_name_that_cannot_be_shown_is_refused(name: str) -> None:
    desk = Desk("/a")
    before = desk.bytes()

    with pytest.raises(InvalidRequest):
        desk.topology.do(workspaces.rename_workspace, 0, name)

    assert desk.bytes() == before


def test_pinning_changes_the_display_and_not_the_position() -> None:
    desk = Desk("/a", "/b", "/c")

    outcome = desk.topology.do(workspaces.pin_workspace, 2, pinned=True)

    assert outcome.changes == (WorkspacePinned(2, "W3"),)
    assert desk.names() == ["W1", "W2", "W3"]
    assert workspaces.display_positions(desk.topology.session, {}) == (1, 2, 0)
    assert desk.topology.do(workspaces.pin_workspace, 2, pinned=True).changes == ()


def test_a_pin_lifts_the_whole_worktree_group_in_its_order() -> None:
    desk = Desk("/a", "/b", "/a-fix", "/c", "/a-new")
    groups = {"W1": "repo", "W3": "repo", "W5": "repo"}

    assert workspaces.display_positions(desk.topology.session, groups) == (0, 3, 1, 4, 2)

    desk.topology.do(workspaces.pin_workspace, 3, pinned=True)
    assert workspaces.display_positions(desk.topology.session, groups) == (1, 4, 2, 0, 3)

    desk.topology.do(workspaces.pin_workspace, 4, pinned=True)
    assert workspaces.display_positions(desk.topology.session, groups) == (0, 4, 1, 3, 2)


@pytest.mark.parametrize(
    ("block", "to", "order"),
    [
        ((3, 1), 0, ["W4", "W2", "W1", "W3"]),
        ((0, 1), 2, ["W3", "W4", "W1", "W2"]),
        ((2, 0), 1, ["W2", "W3", "W1", "W4"]),
        ((1,), 3, ["W1", "W3", "W4", "W2"]),
    ],
)
def test_a_block_keeps_its_order_and_starts_at_the_final_position(
    block: tuple[int, ...], to: int, order: list[str]
) -> None:
    desk = Desk("/a", "/b", "/c", "/d")

    outcome = desk.topology.do(workspaces.move_block, block, to)

    positions = tuple(range(to, to + len(block)))
    assert desk.names() == order
    assert outcome.changes == (WorkspaceBlockMoved(block, positions),)
    assert desk.topology.session.active == "W4"


def test_moving_one_workspace_is_a_move_of_its_own() -> None:
    desk = Desk("/a", "/b")

    assert desk.topology.do(workspaces.move_workspace, 0, 1).changes == (WorkspaceMoved(0, 1),)
    assert desk.names() == ["W2", "W1"]
    assert desk.topology.do(workspaces.move_workspace, 1, 1).changes == ()


@pytest.mark.parametrize(
    ("block", "to", "error"),
    [
        ((), 0, LimitExceeded),
        (tuple(range(257)), 0, LimitExceeded),
        ((0, 0), 0, InvalidRequest),
        ((0, 9), 0, InvalidRequest),
        ((-1,), 0, InvalidRequest),
        ((0, 1), 2, InvalidRequest),
        ((0,), -1, InvalidRequest),
    ],
)
def test_a_block_that_cannot_move_is_refused(
    block: tuple[int, ...], to: int, error: type[DomainError]
) -> None:
    desk = Desk("/a", "/b", "/c")
    before = desk.bytes()

    with pytest.raises(error):
        desk.topology.do(workspaces.move_block, block, to)

    assert desk.bytes() == before


Facts = tuple[str | None, int | None, int | None]
REPORTS: list[tuple[list[dict[str, Any]], Facts]] = [
    ([{}], (None, None, None)),
    ([{"branch": "main"}], ("main", None, None)),
    ([{"branch": "main"}, {"branch": None}], (None, None, None)),
    ([{"branch": "main"}, {"ahead": 2}], ("main", 2, 0)),
    ([{"ahead": 2, "behind": 3}, {"behind": 0}], (None, 2, 0)),
    ([{"ahead": 2**32 - 1}], (None, 2**32 - 1, 0)),
]


@pytest.mark.parametrize(("reports", "facts"), REPORTS)
def test_metadata_that_is_not_told_stays(reports: list[dict[str, Any]], facts: Facts) -> None:
    desk = Desk("/a")

    for report in reports:
        outcome = desk.topology.do(workspaces.report_metadata, 0, **report)
        assert outcome.changes == (WorkspaceMetadataReported(0, "W1"),)

    known = desk.topology.session.workspaces[0]
    assert (known.branch, known.ahead, known.behind) == facts


@pytest.mark.parametrize("report", [{"branch": "b" * 513}, {"ahead": -1}, {"behind": 2**32}])
def test_metadata_out_of_range_is_refused(report: dict[str, Any]) -> None:
    with pytest.raises(InvalidRequest):
        Desk("/a").topology.do(workspaces.report_metadata, 0, **report)


def test_closing_a_workspace_ends_all_its_panes_and_activates_the_next() -> None:
    desk = Desk("/a", "/b", "/c")
    second_tab = desk.tab(1)
    beside = desk.split(second_tab)
    terminals = [desk.topology.session.panes[pane] for pane in (2, second_tab, beside)]

    outcome = desk.topology.do(workspaces.close_workspace, 1)

    assert outcome.changes == (
        PaneClosed(second_tab),
        PaneClosed(beside),
        TabClosed("W2", 2, "T4"),
        PaneClosed(2),
        TabClosed("W2", 1, "T2"),
        WorkspaceClosed(1, "W2"),
        WorkspaceFocused(1, "W3"),
        TabFocused("W3", 1, "T3"),
        PaneFocused(3),
    )
    assert list(outcome.ended) == terminals
    assert (outcome.workspace, outcome.emptied) == (None, False)


def test_closing_another_workspace_keeps_the_active_one() -> None:
    desk = Desk("/a", "/b")

    desk.topology.do(workspaces.close_workspace, 0)

    assert desk.topology.session.active == "W2"
    assert desk.topology.session.focused == 2


def test_closing_the_last_workspace_says_that_the_session_is_empty() -> None:
    desk = Desk("/a")

    outcome = desk.topology.do(workspaces.close_workspace, 0)

    assert outcome.emptied
    assert outcome.changes == (PaneClosed(1), TabClosed("W1", 1, "T1"), WorkspaceClosed(0, "W1"))
    assert desk.topology.session.focused is None
    assert desk.open("/home") == 2
