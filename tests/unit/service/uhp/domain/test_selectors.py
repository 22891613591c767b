"""What the names in a request come to."""

from __future__ import annotations

from typing import Any

import pytest

from luvus_service.uhp.domain.errors import DomainError, InvalidRequest, NoSession, NotFound
from luvus_service.uhp.domain.selectors import (
    select_pane,
    select_tab,
    select_tab_anywhere,
    select_workspace,
    synonym,
)
from luvus_service.uhp.domain.structure import Session
from tests.support.desks import Desk


def session() -> Session:
    """Return W1 with T1 (panes 1, 2) and T2 (pane 3), and W2, active, with T3 (pane 4)."""
    desk = Desk("/a")
    desk.split(1)
    desk.open("/b")
    desk.tab(0, focus=False)
    return desk.topology.session


@pytest.mark.parametrize(("value", "pane"), [(None, 3), (1, 1), ("2", 2), ("4", 4)])
def test_an_omitted_pane_is_the_focused_one(value: object, pane: int) -> None:
    assert select_pane(session(), value) == pane


@pytest.mark.parametrize(
    ("value", "error"),
    [
        (0, NotFound),
        ("0", NotFound),
        (99, NotFound),
        (4294967295, NotFound),
        (4294967296, InvalidRequest),
        ("07", InvalidRequest),
        (7.0, InvalidRequest),
        (True, InvalidRequest),
        (-1, InvalidRequest),
    ],
)
def test_a_dead_pane_is_not_found_and_a_malformed_one_invalid(
    value: object, error: type[DomainError]
) -> None:
    with pytest.raises(error):
        select_pane(session(), value)


WORKSPACES: list[tuple[dict[str, Any], int | type[DomainError]]] = [
    ({}, 1),
    ({"index": 0}, 0),
    ({"index": "1"}, 1),
    ({"workspace_id": "W1"}, 0),
    ({"index": None, "workspace_id": None}, 1),
    ({"index": 2}, NotFound),
    ({"index": 2, "beyond": InvalidRequest}, InvalidRequest),
    ({"index": "01"}, InvalidRequest),
    ({"index": -1}, InvalidRequest),
    ({"index": False}, InvalidRequest),
    ({"workspace_id": 1}, InvalidRequest),
    ({"workspace_id": "W9"}, NotFound),
    ({"workspace_id": ""}, NotFound),
    ({"index": 0, "workspace_id": "W1"}, InvalidRequest),
    ({"required": True}, InvalidRequest),
]


@pytest.mark.parametrize(("names", "found"), WORKSPACES)
def test_a_workspace_is_named_by_position_or_id(
    names: dict[str, Any], found: int | type[DomainError]
) -> None:
    if isinstance(found, int):
        assert select_workspace(session(), **names) == found
    else:
        with pytest.raises(found):
            select_workspace(session(), **names)


TABS: list[tuple[dict[str, Any], str | type[DomainError]]] = [
    ({}, "T2"),
    ({"tab": 1}, "T2"),
    ({"tab": "1"}, "T2"),
    ({"tab_id": "T2"}, "T2"),
    ({"tab": 2, "workspace_index": 0}, "T3"),
    ({"tab": 3, "workspace_index": 0}, InvalidRequest),
    ({"tab": 0}, InvalidRequest),
    ({"tab": 2}, InvalidRequest),
    ({"tab": 2, "beyond": NotFound}, NotFound),
    ({"tab_id": "T1"}, NotFound),
    ({"tab": 1, "tab_id": "T2"}, InvalidRequest),
    ({"required": True}, InvalidRequest),
]


@pytest.mark.parametrize(("names", "found"), TABS)
def test_a_tab_is_one_of_the_active_workspace(
    names: dict[str, Any], found: str | type[DomainError]
) -> None:
    if isinstance(found, str):
        assert select_tab(session(), **names).tab.tab_id == found
    else:
        with pytest.raises(found):
            select_tab(session(), **names)


ANYWHERE: list[tuple[dict[str, Any], str | type[DomainError]]] = [
    ({}, "T2"),
    ({"workspace": 0}, "T1"),
    ({"workspace": 0, "tab": 2}, "T3"),
    ({"workspace_id": "W1", "tab_id": "T3"}, "T3"),
    ({"tab_id": "T3"}, "T3"),
    ({"workspace": 1, "tab_id": "T3"}, NotFound),
    ({"tab_id": "T9"}, NotFound),
    ({"workspace": 0, "tab": 3}, NotFound),
    ({"workspace": 9}, NotFound),
    ({"workspace": 0, "tab": 0}, InvalidRequest),
    ({"tab": 1, "tab_id": "T1"}, InvalidRequest),
    ({"workspace": 0, "workspace_id": "W1"}, InvalidRequest),
]


@pytest.mark.parametrize(("names", "found"), ANYWHERE)
def test_a_tab_can_be_named_in_any_workspace(
    names: dict[str, Any], found: str | type[DomainError]
) -> None:
    if isinstance(found, str):
        assert select_tab_anywhere(session(), **names).tab.tab_id == found
    else:
        with pytest.raises(found):
            select_tab_anywhere(session(), **names)


def test_an_empty_session_has_nothing_to_select() -> None:
    empty = Desk().topology.session

    for select in (select_pane, select_workspace, select_tab, select_tab_anywhere):
        with pytest.raises(NoSession, match=r"workspace\.open"):
            select(empty)


def test_two_names_of_one_field_exclude_each_other() -> None:
    assert synonym("workspace", 1, "node", None) == 1
    assert synonym("workspace", None, "node", 0) == 0
    assert synonym("workspace", None, "node", None) is None
    with pytest.raises(InvalidRequest, match="either workspace or node"):
        synonym("workspace", 1, "node", 1)
