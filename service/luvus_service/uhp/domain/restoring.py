"""How a stored session becomes a new one: which panes come back, and under which ids."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from luvus_service.uhp.domain.layout import Leaf, Split, Tree
from luvus_service.uhp.domain.panes import close_pane
from luvus_service.uhp.domain.structure import PaneRecord, Session, Tab


@dataclass(frozen=True, slots=True)
class Renewed:
    """A session whose panes have new ids."""

    session: Session
    before: Mapping[int, PaneRecord]
    """What each pane was, by its new id."""


def kept(session: Session) -> Session:
    """Return a session without the panes that are not to come back, their places closed."""
    for pane, record in tuple(session.panes.items()):
        if not record.restore:
            session = close_pane(session, pane).session
    return session


def renewed(session: Session, terminal_id: Callable[[], str]) -> Renewed:
    """Return a session with panes numbered from 1 in the order of its tabs.

    Workspaces and tabs keep their ids. A pane that ran a command gets a shell: what the command
    did once, nobody has asked for again.
    """
    old = [pane for w in session.workspaces for tab in w.tabs for pane in tab.panes]
    ids = {pane: number for number, pane in enumerate(old, 1)}
    before = {ids[pane]: session.panes[pane] for pane in old}
    panes = {
        pane: replace(
            record,
            pane=pane,
            command=None,
            terminal_id=None if record.terminal_id is None else terminal_id(),
        )
        for pane, record in before.items()
    }
    workspaces = tuple(
        replace(workspace, tabs=tuple(_tab(tab, ids) for tab in workspace.tabs))
        for workspace in session.workspaces
    )
    new = replace(session, workspaces=workspaces, panes=panes, next_pane=len(old) + 1)
    return Renewed(new, before)


def _tab(tab: Tab, ids: Mapping[int, int]) -> Tab:
    zoomed = None if tab.zoomed is None else ids[tab.zoomed]
    return replace(tab, tree=_tree(tab.tree, ids), focus=ids[tab.focus], zoomed=zoomed)


def _tree(tree: Tree, ids: Mapping[int, int]) -> Tree:
    if isinstance(tree, Leaf):
        return Leaf(ids[tree.pane])
    return Split(tree.axis, tree.ratio, _tree(tree.a, ids), _tree(tree.b, ids))
