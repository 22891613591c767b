"""Operations on panes that are refused, and that they change nothing."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from luvus_service.uhp.domain import panes
from luvus_service.uhp.domain.errors import DomainError, InvalidRequest, LimitExceeded, NotFound
from luvus_service.uhp.domain.geometry import Direction
from luvus_service.uhp.domain.layout import Axis, Leaf, Split
from tests.support.desks import AREA, Desk

COLUMNS, ROWS = Axis.COLUMNS, Axis.ROWS


# Workspace 0: tab 1 with panes 1 and 2, tab 2 with pane 3, tab 3 the git dashboard with pane 4;
# workspace 1 with pane 5.
REFUSALS: list[tuple[str, Callable[[Desk], object], type[DomainError]]] = [
    ("focus of no pane", lambda d: d.topology.do(panes.focus_pane, 99), NotFound),
    ("focus of pane 0", lambda d: d.topology.do(panes.focus_pane, 0), NotFound),
    ("split of no pane", lambda d: d.split(99), NotFound),
    ("split of a dashboard", lambda d: d.split(4), InvalidRequest),
    ("zoom of no pane", lambda d: d.topology.do(panes.zoom_pane, 99), NotFound),
    ("zoom of a dashboard", lambda d: d.topology.do(panes.zoom_pane, 4), InvalidRequest),
    ("swap across tabs", lambda d: d.topology.do(panes.swap_panes, 1, 3), InvalidRequest),
    ("swap with itself", lambda d: d.topology.do(panes.swap_panes, 1, 1), InvalidRequest),
    ("swap with no pane", lambda d: d.topology.do(panes.swap_panes, 1, 99), NotFound),
    (
        "resize without a divider",
        lambda d: d.topology.do(panes.resize_pane, 3, Direction.UP, 1, area=AREA),
        NotFound,
    ),
    (
        "resize by too much",
        lambda d: d.topology.do(panes.resize_pane, 1, Direction.RIGHT, 1001, area=AREA),
        InvalidRequest,
    ),
    (
        "resize of a dashboard",
        lambda d: d.topology.do(panes.resize_pane, 4, Direction.UP, 1, area=AREA),
        InvalidRequest,
    ),
    (
        "move to its own tab",
        lambda d: d.topology.do(panes.move_to_tab, 1, d.where(0), area=AREA),
        InvalidRequest,
    ),
    (
        "move to a dashboard",
        lambda d: d.topology.do(panes.move_to_tab, 1, d.where(2), area=AREA),
        InvalidRequest,
    ),
    (
        "move of a dashboard",
        lambda d: d.topology.do(panes.move_to_tab, 4, d.where(0), area=AREA),
        InvalidRequest,
    ),
    (
        "move to another workspace",
        lambda d: d.topology.do(panes.move_to_tab, 1, d.where(0, 1), area=AREA),
        InvalidRequest,
    ),
    (
        "move of no pane",
        lambda d: d.topology.do(panes.move_to_tab, 99, d.where(1), area=AREA),
        NotFound,
    ),
    (
        "the only pane to a new tab",
        lambda d: d.topology.do(panes.move_to_new_tab, 3, tab_id="X"),
        InvalidRequest,
    ),
    ("a bad alias", lambda d: d.topology.do(panes.rename_pane, 1, "Worker"), InvalidRequest),
    ("an alias for no pane", lambda d: d.topology.do(panes.rename_pane, 99, "w"), NotFound),
    ("close of no pane", lambda d: d.topology.do(panes.close_pane, 99), NotFound),
    (
        "a layout with a missing pane",
        lambda d: d.topology.do(panes.apply_layout, d.where(0), Leaf(1)),
        InvalidRequest,
    ),
    (
        "a layout with a pane of another tab",
        lambda d: d.topology.do(panes.apply_layout, d.where(0), Split(ROWS, 0.5, Leaf(1), Leaf(3))),
        InvalidRequest,
    ),
    (
        "a layout with the focus elsewhere",
        lambda d: d.topology.do(panes.apply_layout, d.where(1), Leaf(3), 1),
        InvalidRequest,
    ),
    (
        "a layout with a dead focus",
        lambda d: d.topology.do(panes.apply_layout, d.where(1), Leaf(3), 99),
        NotFound,
    ),
    (
        "a layout of a dashboard",
        lambda d: d.topology.do(panes.apply_layout, d.where(2), Leaf(4)),
        InvalidRequest,
    ),
    (
        "a ratio where no split is",
        lambda d: d.topology.do(panes.set_split_ratio, d.where(0), ("a",), 0.5, area=AREA),
        NotFound,
    ),
    (
        "a ratio out of range",
        lambda d: d.topology.do(panes.set_split_ratio, d.where(0), (), 2, area=AREA),
        InvalidRequest,
    ),
    (
        "a path that is too long",
        lambda d: d.topology.do(panes.set_split_ratio, d.where(0), ("a",) * 65, 0.5, area=AREA),
        LimitExceeded,
    ),
    (
        "a ratio of a dashboard",
        lambda d: d.topology.do(panes.set_split_ratio, d.where(2), (), 0.5, area=AREA),
        InvalidRequest,
    ),
]


@pytest.mark.parametrize(("act", "error"), [r[1:] for r in REFUSALS], ids=[r[0] for r in REFUSALS])
def test_a_refused_operation_changes_nothing(
    act: Callable[[Desk], object], error: type[DomainError]
) -> None:
    desk = Desk("/a")
    desk.split(1)
    desk.tab()
    desk.tab(kind="git")
    desk.open("/b")
    before = {k: v for k, v in desk.topology.to_state().items() if k != "next_pane"}

    with pytest.raises(error):
        act(desk)

    after = {k: v for k, v in desk.topology.to_state().items() if k != "next_pane"}
    assert after == before
