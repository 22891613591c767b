"""How requests name workspaces, tabs and panes, and what those names come to.

Takes values as they came over the wire. Which methods allow which selector is theirs to say.
"""

from __future__ import annotations

from luvus_service.uhp.domain.errors import DomainError, InvalidRequest, NoSession, NotFound, shown
from luvus_service.uhp.domain.ids import (
    parse_opaque_id,
    parse_pane_id,
    parse_tab_position,
    parse_workspace_index,
)
from luvus_service.uhp.domain.structure import Session, Where


def synonym(first: str, value: object, second: str, other: object) -> object:
    """Return the one that is given of two names for the same field.

    Raises:
        InvalidRequest: Both are given.
    """
    if value is not None and other is not None:
        raise InvalidRequest(f"give either {first} or {second}, not both")
    return other if value is None else value


def select_pane(session: Session, value: object = None, field: str = "pane") -> int:
    """Return the live pane that is meant; the focused one when omitted.

    Raises:
        InvalidRequest: The value is malformed.
        NotFound: No live pane has this id.
        NoSession: There is no workspace.
    """
    pane = parse_pane_id(value, field)
    focused = session.focused
    if focused is None:
        raise _empty()
    if pane is None:
        return focused
    if pane not in session.panes:
        raise NotFound(f"no such pane: {pane}")
    return pane


def select_workspace(
    session: Session,
    index: object = None,
    workspace_id: object = None,
    *,
    required: bool = False,
    beyond: type[DomainError] = NotFound,
) -> int:
    """Return the position of the workspace that is meant; the active one when omitted.

    `beyond` is the refusal of a position past the end.

    Raises:
        InvalidRequest: A value is malformed, both are given, or neither although `required`.
        NotFound: Nothing has this id.
        NoSession: There is no workspace.
    """
    position = parse_workspace_index(index, "workspace")
    wanted_id = parse_opaque_id(workspace_id, "workspace_id")
    synonym("workspace", position, "workspace_id", wanted_id)
    if required and position is None and wanted_id is None:
        raise InvalidRequest("give workspace or workspace_id")
    if not session.workspaces:
        raise _empty()
    if wanted_id is not None:
        for found, workspace in enumerate(session.workspaces):
            if workspace.workspace_id == wanted_id:
                return found
        raise NotFound(f"no such workspace: {shown(wanted_id)}")
    if position is None:
        return session.active_index
    if position >= len(session.workspaces):
        raise beyond(f"no such workspace: {position}; there are {len(session.workspaces)}")
    return position


def select_tab(
    session: Session,
    tab: object = None,
    tab_id: object = None,
    *,
    required: bool = False,
    beyond: type[DomainError] = InvalidRequest,
    fields: tuple[str, str] = ("tab", "tab_id"),
    workspace_index: int | None = None,
) -> Where:
    """Return the tab of one workspace that is meant; its active one when omitted.

    The workspace is the active one, or for a pane's move the pane's own.

    Raises:
        InvalidRequest: A value is malformed, both are given, or neither although `required`.
        NotFound: No tab of the workspace has this id.
        NoSession: There is no workspace.
    """
    position, wanted_id = _tab_names(tab, tab_id, fields)
    if required and position is None and wanted_id is None:
        raise InvalidRequest(f"give {fields[0]} or {fields[1]}")
    index = session.active_index if workspace_index is None else workspace_index
    return _tab_in(session, index, position, wanted_id, beyond)


def select_tab_anywhere(
    session: Session,
    *,
    workspace: object = None,
    workspace_id: object = None,
    tab: object = None,
    tab_id: object = None,
) -> Where:
    """Return the tab that is meant, in any workspace.

    A tab id alone is looked for everywhere; with a workspace it must be there.

    Raises:
        InvalidRequest: A value is malformed, or two name the same thing.
        NotFound: There is no such workspace or tab.
        NoSession: There is no workspace.
    """
    position, wanted_id = _tab_names(tab, tab_id, ("tab", "tab_id"))
    index = select_workspace(session, workspace, workspace_id)
    if wanted_id is not None and workspace is None and workspace_id is None:
        for other, candidate in enumerate(session.workspaces):
            if any(known.tab_id == wanted_id for known in candidate.tabs):
                index = other
    return _tab_in(session, index, position, wanted_id, NotFound)


def _tab_names(
    tab: object, tab_id: object, fields: tuple[str, str]
) -> tuple[int | None, str | None]:
    position = parse_tab_position(tab, fields[0])
    wanted_id = parse_opaque_id(tab_id, fields[1])
    synonym(fields[0], position, fields[1], wanted_id)
    return position, wanted_id


def _tab_in(
    session: Session,
    index: int,
    position: int | None,
    wanted_id: str | None,
    beyond: type[DomainError],
) -> Where:
    workspace = session.workspaces[index]
    if wanted_id is not None:
        for found, tab in enumerate(workspace.tabs):
            if tab.tab_id == wanted_id:
                return session.tab_at(index, found)
        raise NotFound(f"no such tab: {shown(wanted_id)}")
    if position is None:
        return session.tab_at(index, workspace.active_index)
    if position > len(workspace.tabs):
        raise beyond(f"no such tab: {position}; this workspace has {len(workspace.tabs)}")
    return session.tab_at(index, position - 1)


def _empty() -> NoSession:
    return NoSession("no workspace is open; open one with workspace.open")
