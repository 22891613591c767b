"""Rows and details of tabs, made from the session's structure."""

from __future__ import annotations

from luvus_service.uhp.domain.structure import Session, Where
from luvus_service.uhp.domain.topology import Outcome
from luvus_service.uhp.families.tab.models import TabDetail, TabMoved, TabRow, TabSwapped


def rows(structure: Session) -> list[TabRow]:
    """Return a row for each tab of the active workspace."""
    workspace = structure.workspaces[structure.active_index]
    return [
        TabRow(
            tab=str(position),
            tab_id=tab.tab_id,
            active=tab.tab_id == workspace.active_tab,
            name=tab.name,
            kind=tab.kind,
        )
        for position, tab in enumerate(workspace.tabs, 1)
    ]


def detail(where: Where) -> TabDetail:
    """Return everything about one tab."""
    return TabDetail(
        workspace=str(where.workspace_index),
        workspace_id=where.workspace.workspace_id,
        tab=str(where.tab_index + 1),
        tab_id=where.tab.tab_id,
        active=where.tab.tab_id == where.workspace.active_tab,
        name=where.tab.name,
        kind=where.tab.kind,
        focus=str(where.tab.focus),
        panes=[str(pane) for pane in where.tab.panes],
    )


def moved(structure: Session, before: Where, outcome: Outcome) -> TabMoved:
    """Return where a tab was and is."""
    active = structure.workspaces[before.workspace_index].active_index + 1
    return TabMoved(from_=str(before.tab_index + 1), to=str(outcome.tab), active=str(active))


def swapped(structure: Session, first: Where, other: Where) -> TabSwapped:
    """Return which tabs were exchanged, by the positions they had."""
    active = structure.workspaces[first.workspace_index].active_index + 1
    return TabSwapped(
        tab=str(first.tab_index + 1), with_=str(other.tab_index + 1), active=str(active)
    )
