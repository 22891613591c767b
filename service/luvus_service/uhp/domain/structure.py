"""What a session consists of: workspaces of tabs of panes, as values that never change.

Holds the lookups and the invariants; the operations live beside (workspaces, tabs, panes).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from luvus_service.uhp.domain.errors import LimitExceeded, NoSession, NotFound
from luvus_service.uhp.domain.ids import MAX_PANE_ID, is_alias
from luvus_service.uhp.domain.layout import MAX_DEPTH, Leaf, Tree, depth, leaves

MAX_PANES = 1024
"""Panes of one session; bounds tabs and workspaces too, which hold at least one each."""

TabKind: TypeAlias = Literal["panes", "git", "orch", "mission"]
PaneKind: TypeAlias = Literal["terminal", "view"]


@dataclass(frozen=True, slots=True)
class PaneRecord:
    """One pane: a terminal, or a view that the server draws itself."""

    pane: int
    """From `Topology.allocate_pane`; never used twice."""
    kind: PaneKind = "terminal"
    terminal_id: str | None = None
    cwd: str | None = None
    command: tuple[str, ...] | None = None
    """The program and its arguments; None is the user's shell."""
    name: str | None = None
    """The alias, unique in the session."""
    label: str | None = None
    restore: bool = True
    """Whether the layout of the next server keeps this pane."""
    agent: str | None = None
    """The agent whose session is bound to this pane."""
    agent_session: str | None = None
    """That session's id, as the agent itself calls it."""


@dataclass(frozen=True, slots=True)
class Tab:
    """A tree of panes, one of them in focus."""

    tab_id: str
    tree: Tree
    focus: int
    name: str | None = None
    kind: TabKind = "panes"
    zoomed: int | None = None
    """None or the pane in focus: a pane behind a zoomed one cannot have the focus."""

    @property
    def panes(self) -> tuple[int, ...]:
        """The panes in tree order."""
        return leaves(self.tree)

    @property
    def is_dashboard(self) -> bool:
        """Whether this tab's only pane is a placeholder that cannot be rearranged."""
        return self.kind != "panes"

    def focused_on(self, pane: int) -> Tab:
        """Return this tab with the focus on a pane; another zoomed pane gives way."""
        return replace(self, focus=pane, zoomed=pane if self.zoomed == pane else None)


@dataclass(frozen=True, slots=True)
class Workspace:
    """A folder and its tabs, one of them active."""

    workspace_id: str
    name: str
    cwd: str
    tabs: tuple[Tab, ...]
    active_tab: str
    pinned: bool = False
    branch: str | None = None
    ahead: int | None = None
    behind: int | None = None

    @property
    def active_index(self) -> int:
        """The 0-based position of the active tab."""
        return next(i for i, tab in enumerate(self.tabs) if tab.tab_id == self.active_tab)

    @property
    def active(self) -> Tab:
        """The active tab."""
        return self.tabs[self.active_index]


@dataclass(frozen=True, slots=True)
class Where:
    """The place of a pane or a tab; both indices count from 0."""

    workspace_index: int
    tab_index: int
    workspace: Workspace
    tab: Tab


@dataclass(frozen=True, slots=True)
class Session:
    """Everything at one instant."""

    workspaces: tuple[Workspace, ...] = ()
    active: str | None = None
    """The active workspace's id; None exactly when there is no workspace."""
    panes: Mapping[int, PaneRecord] = field(default_factory=dict[int, PaneRecord])
    next_pane: int = 1

    @property
    def active_index(self) -> int:
        """The 0-based position of the active workspace.

        Raises:
            NoSession: There is no workspace.
        """
        for index, workspace in enumerate(self.workspaces):
            if workspace.workspace_id == self.active:
                return index
        raise NoSession("no workspace is open; open one with workspace.open")

    @property
    def focused(self) -> int | None:
        """The pane in focus of the active tab, or None without a workspace."""
        if not self.workspaces:
            return None
        return self.workspaces[self.active_index].active.focus

    def tab_at(self, workspace_index: int, tab_index: int) -> Where:
        """Return the place of a tab that exists."""
        workspace = self.workspaces[workspace_index]
        return Where(workspace_index, tab_index, workspace, workspace.tabs[tab_index])

    def locate(self, pane: int) -> Where:
        """Return the place of a pane.

        Raises:
            NotFound: No live pane has this id.
        """
        places = (
            Where(index, tab_index, workspace, tab)
            for index, workspace in enumerate(self.workspaces)
            for tab_index, tab in enumerate(workspace.tabs)
            if pane in tab.panes
        )
        found = next(places, None)
        if found is None:
            raise NotFound(f"no such pane: {pane}")
        return found

    def with_workspace(self, index: int, workspace: Workspace) -> Session:
        """Return the session with another value of one workspace."""
        workspaces = (*self.workspaces[:index], workspace, *self.workspaces[index + 1 :])
        return replace(self, workspaces=workspaces)

    def with_tab(self, where: Where, tab: Tab) -> Session:
        """Return the session with another value of the tab at a place."""
        workspace = self.workspaces[where.workspace_index]
        index = where.tab_index
        tabs = (*workspace.tabs[:index], tab, *workspace.tabs[index + 1 :])
        return self.with_workspace(where.workspace_index, replace(workspace, tabs=tabs))

    def with_pane(self, record: PaneRecord) -> Session:
        """Return the session with a record added or changed."""
        return replace(self, panes={**self.panes, record.pane: record})

    def without_panes(self, gone: tuple[int, ...]) -> Session:
        """Return the session without the records of some panes."""
        return replace(self, panes={p: r for p, r in self.panes.items() if p not in gone})

    def showing(self, workspace_index: int, tab_id: str | None = None) -> Session:
        """Return the session with a workspace active, and one of its tabs when given."""
        workspace = self.workspaces[workspace_index]
        session = replace(self, active=workspace.workspace_id)
        if tab_id is None:
            return session
        return session.with_workspace(workspace_index, replace(workspace, active_tab=tab_id))


def admit(session: Session, record: PaneRecord) -> Session:
    """Return the session with a new pane's record, which must then get a leaf.

    Raises:
        LimitExceeded: The session has `MAX_PANES` panes.
        ValueError: The id was not allocated or is in use: a fault of the caller, not of a request.
    """
    if len(session.panes) >= MAX_PANES:
        raise LimitExceeded(f"this session already has {MAX_PANES} panes; close some first")
    if record.pane in session.panes or not 0 < record.pane < session.next_pane:
        raise ValueError(f"pane id {record.pane} was not allocated for a new pane")
    return session.with_pane(record)


def problems(session: Session) -> list[str]:
    """Return every broken invariant as a sentence; empty for a sound session."""
    found: list[str] = []
    workspace_ids = [w.workspace_id for w in session.workspaces]
    tabs = [tab for workspace in session.workspaces for tab in workspace.tabs]
    in_leaves = [pane for tab in tabs for pane in tab.panes]
    found += _twice("workspace_id", workspace_ids)
    found += _twice("tab_id", [tab.tab_id for tab in tabs])
    found += _twice("leaf of pane", in_leaves)
    records = session.panes.values()
    found += _twice("terminal_id", [r.terminal_id for r in records if r.terminal_id is not None])
    found += _twice("alias", [r.name for r in records if r.name is not None])
    if session.active not in workspace_ids and (workspace_ids or session.active is not None):
        found.append(f"the active workspace {session.active} is not open")
    for pane in sorted(set(in_leaves) ^ set(session.panes)):
        where = "record" if pane in in_leaves else "leaf"
        found.append(f"pane {pane} has no {where}")
    for workspace in session.workspaces:
        if workspace.active_tab not in [tab.tab_id for tab in workspace.tabs]:
            found.append(f"{workspace.workspace_id} has no active tab")
    for tab in tabs:
        found += _tab_problems(tab)
    for pane, record in session.panes.items():
        found += _pane_problems(session, pane, record)
    if not 1 <= session.next_pane <= MAX_PANE_ID + 1:
        found.append(f"the next pane id {session.next_pane} is out of range")
    if len(session.panes) > MAX_PANES:
        found.append(f"there are more than {MAX_PANES} panes")
    return found


def _tab_problems(tab: Tab) -> list[str]:
    found: list[str] = []
    if tab.focus not in tab.panes:
        found.append(f"the focus {tab.focus} of {tab.tab_id} is not one of its panes")
    if tab.zoomed not in (None, tab.focus):
        found.append(f"the zoomed pane {tab.zoomed} of {tab.tab_id} is not in focus")
    if tab.is_dashboard and not isinstance(tab.tree, Leaf):
        found.append(f"the dashboard {tab.tab_id} has more than its placeholder")
    if depth(tab.tree) > MAX_DEPTH:
        found.append(f"the tree of {tab.tab_id} is deeper than {MAX_DEPTH} splits")
    return found


def _pane_problems(session: Session, pane: int, record: PaneRecord) -> list[str]:
    found: list[str] = []
    if record.pane != pane or not 0 < pane < session.next_pane:
        found.append(f"pane {pane} has an id that was never given out")
    if record.name is not None and not is_alias(record.name):
        found.append(f"pane {pane} has the invalid alias {record.name!r}")
    return found


def _twice(what: str, values: list[str] | list[int]) -> list[str]:
    counted: Counter[str | int] = Counter(values)
    return [f"{what} {value} is there {n} times" for value, n in counted.items() if n > 1]
