"""Operations on tabs: each checks everything, then returns the next session.

Places come from `selectors`; a position to move to counts from 1, as people see it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from luvus_service.uhp.domain.changes import (
    Change,
    PaneClosed,
    PaneCreated,
    TabClosed,
    TabCreated,
    TabMoved,
    TabRenamed,
)
from luvus_service.uhp.domain.errors import InvalidRequest
from luvus_service.uhp.domain.layout import Leaf
from luvus_service.uhp.domain.names import clean_name
from luvus_service.uhp.domain.step import Step
from luvus_service.uhp.domain.structure import PaneRecord, Session, Tab, TabKind, Where, admit
from luvus_service.uhp.domain.workspaces import drop_workspace


def new_tab(
    session: Session,
    workspace_index: int,
    *,
    tab_id: str,
    pane: PaneRecord,
    name: str | None = None,
    kind: TabKind = "panes",
    focus: bool = True,
) -> Step:
    """Open a tab of one pane at the end; with `focus` it and its workspace become active.

    Raises:
        LimitExceeded: The session has too many panes.
        InvalidRequest: The name is too long or has control characters.
    """
    title = clean_name(name or "") or None
    tab = Tab(tab_id, Leaf(pane.pane), pane.pane, title, kind)
    added, created = add_tab(admit(session, pane), workspace_index, tab)
    if focus:
        added = added.showing(workspace_index, tab_id)
    changes = (created, PaneCreated(pane.pane, pane.terminal_id))
    return Step(added, changes, pane.pane, created.workspace_id, tab_id)


def add_tab(session: Session, workspace_index: int, tab: Tab) -> tuple[Session, TabCreated]:
    """Put a tab, whose panes have records already, at the end of a workspace."""
    workspace = session.workspaces[workspace_index]
    added = replace(workspace, tabs=(*workspace.tabs, tab))
    created = TabCreated(workspace.workspace_id, len(added.tabs), tab.tab_id)
    return session.with_workspace(workspace_index, added), created


def open_dashboard(
    session: Session, workspace_index: int, kind: TabKind, *, tab_id: str, pane: PaneRecord
) -> Step:
    """Show a workspace's dashboard of a kind, opening it when it is not there.

    Raises:
        LimitExceeded: The session has too many panes.
    """
    for index, tab in enumerate(session.workspaces[workspace_index].tabs):
        if tab.kind == kind and tab.is_dashboard:
            step = focus_tab(session, session.tab_at(workspace_index, index))
            return replace(step, unused=(pane,))
    return new_tab(session, workspace_index, tab_id=tab_id, pane=pane, kind=kind)


def focus_tab(session: Session, where: Where) -> Step:
    """Make a tab and its workspace active."""
    shown = session.showing(where.workspace_index, where.tab.tab_id)
    return Step(shown, workspace_id=where.workspace.workspace_id, tab_id=where.tab.tab_id)


def move_tab(session: Session, where: Where, to: int) -> Step:
    """Give a tab another position, counted from 1; the active tab stays active.

    Raises:
        InvalidRequest: There is no such position, or the tab has it already.
    """
    count = len(where.workspace.tabs)
    if not 1 <= to <= count:
        raise InvalidRequest(f"no such tab position: {to}; this workspace has 1 to {count}")
    if to == where.tab_index + 1:
        raise InvalidRequest(f"the tab is already at position {to}")
    tabs = list(where.workspace.tabs)
    tabs.insert(to - 1, tabs.pop(where.tab_index))
    return _reordered(session, where, tabs, to, swapped=False)


def move_tab_towards(session: Session, where: Where, direction: Literal["left", "right"]) -> Step:
    """Move a tab by one position.

    Raises:
        InvalidRequest: It is the first or the last one already.
    """
    to = where.tab_index + 1 + (1 if direction == "right" else -1)
    if not 1 <= to <= len(where.workspace.tabs):
        raise InvalidRequest(f"tab {where.tab_index + 1} cannot move further {direction}")
    return move_tab(session, where, to)


def swap_tabs(session: Session, where: Where, other: Where) -> Step:
    """Exchange the positions of two tabs of a workspace.

    Raises:
        InvalidRequest: They are one and the same, or in different workspaces.
    """
    if where.workspace_index != other.workspace_index:
        raise InvalidRequest("the two tabs are in different workspaces")
    if where.tab_index == other.tab_index:
        raise InvalidRequest(f"tab {where.tab_index + 1} cannot be swapped with itself")
    tabs = list(where.workspace.tabs)
    tabs[where.tab_index], tabs[other.tab_index] = other.tab, where.tab
    return _reordered(session, where, tabs, other.tab_index + 1, swapped=True)


def rename_tab(session: Session, where: Where, name: str) -> Step:
    """Change a tab's name; an empty one clears it.

    Raises:
        InvalidRequest: The tab is a dashboard, or the name is too long or has control characters.
    """
    refuse_dashboard(where, "renamed")
    title = clean_name(name) or None
    ids = where.workspace.workspace_id, where.tab.tab_id
    if title == where.tab.name:
        return Step(session, workspace_id=ids[0], tab_id=ids[1])
    change = TabRenamed(ids[0], where.tab_index + 1, ids[1])
    renamed = session.with_tab(where, replace(where.tab, name=title))
    return Step(renamed, (change,), workspace_id=ids[0], tab_id=ids[1])


def close_tab(session: Session, where: Where) -> Step:
    """Close a tab and its panes; the last tab takes its workspace along."""
    step = drop_tab(session.without_panes(where.tab.panes), where)
    closed: list[Change] = [PaneClosed(pane) for pane in where.tab.panes]
    return replace(step, changes=(*closed, *step.changes))


def drop_tab(session: Session, where: Where) -> Step:
    """Take out a tab whose panes are gone or elsewhere; the next tab becomes active."""
    workspace = session.workspaces[where.workspace_index]
    index = where.tab_index
    closed = TabClosed(workspace.workspace_id, index + 1, where.tab.tab_id)
    rest = (*workspace.tabs[:index], *workspace.tabs[index + 1 :])
    if not rest:
        step = drop_workspace(session, where.workspace_index)
        return replace(step, changes=(closed, *step.changes))
    active = workspace.active_tab
    if active == where.tab.tab_id:
        active = rest[min(index, len(rest) - 1)].tab_id
    remaining = replace(workspace, tabs=rest, active_tab=active)
    return Step(session.with_workspace(where.workspace_index, remaining), (closed,))


def refuse_dashboard(where: Where, verb: str) -> None:
    """Refuse what cannot be done to a dashboard.

    Raises:
        InvalidRequest: The tab is a dashboard.
    """
    if where.tab.is_dashboard:
        raise InvalidRequest(
            f"tab {where.tab_index + 1} is the {where.tab.kind} dashboard and cannot be {verb}"
        )


def _reordered(session: Session, where: Where, tabs: list[Tab], to: int, *, swapped: bool) -> Step:
    workspace = replace(where.workspace, tabs=tuple(tabs))
    change = TabMoved(
        where.workspace_index, where.tab_index + 1, to, workspace.active_index + 1, swapped
    )
    return Step(
        session.with_workspace(where.workspace_index, workspace),
        (change,),
        workspace_id=workspace.workspace_id,
        tab_id=where.tab.tab_id,
    )
