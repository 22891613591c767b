"""The snapshot, made from the session in one step without an await."""

from __future__ import annotations

from typing import Literal

from luvus_service.uhp.domain.structure import PaneRecord, Tab, TabKind, Workspace
from luvus_service.uhp.engine.checkouts import branch_of
from luvus_service.uhp.engine.session import Session
from luvus_service.uhp.families.session.models import (
    RootProcess,
    Snapshot,
    SnapshotTab,
    SnapshotWorkspace,
    TerminalPane,
    ViewPane,
)

_KINDS: dict[TabKind, Literal["panes", "git", "orchestration", "mission_control"]] = {
    "panes": "panes",
    "git": "git",
    "orch": "orchestration",
    "mission": "mission_control",
}


def snapshot(session: Session) -> Snapshot:
    """Return everything as of the newest event."""
    return Snapshot(
        session=session.name,
        server_generation=session.generation,
        event_sequence=session.events.sequence,
        workspaces=[
            _workspace(session, index, workspace)
            for index, workspace in enumerate(session.structure.workspaces, 1)
        ],
    )


def _workspace(session: Session, index: int, workspace: Workspace) -> SnapshotWorkspace:
    return SnapshotWorkspace(
        index=index,
        workspace_id=workspace.workspace_id,
        name=workspace.name,
        cwd=workspace.cwd,
        branch=branch_of(session, workspace),
        pinned=workspace.pinned,
        active=workspace.workspace_id == session.structure.active,
        tabs=[
            _tab(session, position, tab, active=tab.tab_id == workspace.active_tab)
            for position, tab in enumerate(workspace.tabs, 1)
        ],
    )


def _tab(session: Session, position: int, tab: Tab, *, active: bool) -> SnapshotTab:
    return SnapshotTab(
        index=position,
        tab_id=tab.tab_id,
        name=tab.name,
        kind=_KINDS[tab.kind],
        active=active,
        panes=[_pane(session, session.structure.panes[pane]) for pane in tab.panes],
    )


def _pane(session: Session, record: PaneRecord) -> TerminalPane | ViewPane:
    focused = session.structure.focused == record.pane
    if record.kind == "view":
        return ViewPane(pane_id=str(record.pane), focused=focused)
    terminal = session.terminals.get(record.terminal_id or "")
    root = None
    if terminal is not None:
        root = RootProcess(pid=terminal.root.pid, start_marker=terminal.root.start_marker)
    facts = session.agents.facts(record.pane)
    return TerminalPane(
        pane_id=str(record.pane),
        focused=focused,
        cwd=session.cwd_of(record),
        terminal_id=record.terminal_id,
        root_process=root,
        content_revision=terminal.revision if terminal is not None else 0,
        agent=facts.agent or None,
        agent_status=facts.status if facts.is_agent else None,
        agent_authority=facts.authority if facts.is_agent else None,
        agent_session=facts.session,
        agent_name=record.name,
        agent_status_since_ms=facts.since_ms if facts.is_agent else None,
        agent_title=terminal.title if terminal is not None and facts.is_agent else None,
    )
