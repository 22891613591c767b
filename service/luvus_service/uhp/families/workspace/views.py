"""Rows and details of workspaces, made from the session."""

from __future__ import annotations

from luvus_service.uhp.domain.ports import GitFacts
from luvus_service.uhp.domain.structure import Workspace
from luvus_service.uhp.domain.workspaces import display_positions
from luvus_service.uhp.engine.session import Session
from luvus_service.uhp.families.workspace.models import (
    WorkspaceDetail,
    WorkspacePinned,
    WorkspaceRenamed,
    WorkspaceRow,
)


def rows(session: Session) -> list[WorkspaceRow]:
    """Return a row for each workspace."""
    structure = session.structure
    shown = display_positions(structure, session.groups)
    return [
        WorkspaceRow(
            workspace=str(index),
            workspace_id=workspace.workspace_id,
            name=workspace.name,
            cwd=workspace.cwd,
            terminal_cwd=_terminal_cwd(session, workspace),
            pinned=workspace.pinned,
            display_position=str(shown[index]),
            active=workspace.workspace_id == structure.active,
            tabs=len(workspace.tabs),
        )
        for index, workspace in enumerate(structure.workspaces)
    ]


def detail(session: Session, index: int, facts: GitFacts) -> WorkspaceDetail:
    """Return everything about one workspace; what was reported wins over what git says."""
    structure = session.structure
    workspace = structure.workspaces[index]
    return WorkspaceDetail(
        workspace=str(index),
        workspace_id=workspace.workspace_id,
        name=workspace.name,
        cwd=workspace.cwd,
        branch=workspace.branch if workspace.branch is not None else facts.branch,
        terminal_cwd=_terminal_cwd(session, workspace),
        ahead=workspace.ahead if workspace.ahead is not None else facts.ahead,
        behind=workspace.behind if workspace.behind is not None else facts.behind,
        pinned=workspace.pinned,
        active=workspace.workspace_id == structure.active,
        display_position=str(display_positions(structure, session.groups)[index]),
        active_tab=str(workspace.active_index + 1),
        tabs=len(workspace.tabs),
    )


def renamed(session: Session, index: int) -> WorkspaceRenamed:
    """Return a workspace as it is after a change of its name."""
    workspace = session.structure.workspaces[index]
    return WorkspaceRenamed(
        workspace=str(index),
        name=workspace.name,
        cwd=workspace.cwd,
        pinned=workspace.pinned,
        display_position=str(display_positions(session.structure, session.groups)[index]),
    )


def pinned(session: Session, index: int) -> WorkspacePinned:
    """Return a workspace as it is after pinning or unpinning."""
    return WorkspacePinned(**renamed(session, index).model_dump(exclude={"type"}))


def _terminal_cwd(session: Session, workspace: Workspace) -> str:
    return session.cwd_of(session.structure.panes[workspace.active.focus])
