"""Operations on workspaces: each checks everything, then returns the next session.

Knows no paths beyond comparing them: the caller gives them in canonical form.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from enum import Enum
from pathlib import PurePath

from luvus_service.uhp.domain.changes import (
    Change,
    PaneClosed,
    PaneCreated,
    TabClosed,
    TabCreated,
    WorkspaceBlockMoved,
    WorkspaceClosed,
    WorkspaceCreated,
    WorkspaceMetadataReported,
    WorkspaceMoved,
    WorkspacePinned,
    WorkspaceRenamed,
)
from luvus_service.uhp.domain.errors import InvalidRequest, LimitExceeded, shown
from luvus_service.uhp.domain.layout import Leaf
from luvus_service.uhp.domain.names import clean_name
from luvus_service.uhp.domain.step import Step
from luvus_service.uhp.domain.structure import PaneRecord, Session, Tab, Workspace, admit

MAX_BLOCK = 256
MAX_BRANCH_CHARS = 512
MAX_COMMITS = 2**32 - 1


class Unset(Enum):
    """Stands for a field that was not told, where None means to clear it."""

    UNSET = "unset"


UNSET = Unset.UNSET


def find_path(session: Session, cwd: str) -> int | None:
    """Return the position of the workspace of a folder, or None."""
    for index, workspace in enumerate(session.workspaces):
        if workspace.cwd == cwd:
            return index
    return None


def open_workspace(
    session: Session,
    *,
    workspace_id: str,
    tab_id: str,
    pane: PaneRecord,
    cwd: str,
    name: str | None = None,
    focus: bool = True,
    reuse: bool = True,
) -> Step:
    """Open a folder as a workspace with one tab of one pane, at the end.

    With `reuse` a folder that is open by now is only focused, and `pane` comes back to be ended.

    Raises:
        LimitExceeded: The session has too many panes.
        InvalidRequest: The name is empty, too long or has control characters.
    """
    known = find_path(session, cwd) if reuse else None
    if known is not None:
        step = focus_workspace(session, known) if focus else Step(session)
        opened = session.workspaces[known]
        return replace(step, unused=(pane,), workspace_id=opened.workspace_id)
    title = _default_name(cwd) if name is None else _title(name)
    tab = Tab(tab_id, Leaf(pane.pane), pane.pane)
    workspace = Workspace(workspace_id, title, cwd, (tab,), tab_id)
    index = len(session.workspaces)
    opened_session = replace(admit(session, pane), workspaces=(*session.workspaces, workspace))
    if focus or session.active is None:
        opened_session = opened_session.showing(index)
    changes: tuple[Change, ...] = (
        WorkspaceCreated(index, workspace_id),
        TabCreated(workspace_id, 1, tab_id),
        PaneCreated(pane.pane, pane.terminal_id),
    )
    return Step(opened_session, changes, pane.pane, workspace_id, tab_id)


def _default_name(cwd: str) -> str:
    return clean_name(PurePath(cwd).name or cwd, cut=True) or "workspace"


def _title(name: str) -> str:
    title = clean_name(name)
    if not title:
        raise InvalidRequest("a workspace's name must not be empty")
    return title


def focus_workspace(session: Session, index: int) -> Step:
    """Make a workspace the active one."""
    return Step(session.showing(index), workspace_id=session.workspaces[index].workspace_id)


def rename_workspace(session: Session, index: int, name: str) -> Step:
    """Change the name that people see; the folder stays.

    Raises:
        InvalidRequest: The name is empty, longer than 40 characters or has control characters.
    """
    title = _title(name)
    workspace = session.workspaces[index]
    if workspace.name == title:
        return Step(session, workspace_id=workspace.workspace_id)
    renamed = session.with_workspace(index, replace(workspace, name=title))
    change = WorkspaceRenamed(index, workspace.workspace_id)
    return Step(renamed, (change,), workspace_id=workspace.workspace_id)


def pin_workspace(session: Session, index: int, *, pinned: bool) -> Step:
    """Let a workspace float to the top of the display, or no longer."""
    workspace = session.workspaces[index]
    if workspace.pinned == pinned:
        return Step(session, workspace_id=workspace.workspace_id)
    changed = session.with_workspace(index, replace(workspace, pinned=pinned))
    change = WorkspacePinned(index, workspace.workspace_id)
    return Step(changed, (change,), workspace_id=workspace.workspace_id)


def move_workspace(session: Session, index: int, to: int) -> Step:
    """Give one workspace another position.

    Raises:
        InvalidRequest: There is no such position.
    """
    step = move_block(session, (index,), to)
    return replace(step, changes=(WorkspaceMoved(index, to),) if step.changes else ())


def move_block(session: Session, indices: Sequence[int], to: int) -> Step:
    """Put workspaces together in the order given, the first of them at `to` in the end.

    Raises:
        LimitExceeded: There are not 1 to `MAX_BLOCK` of them.
        InvalidRequest: One is named twice or not there, or `to` leaves no room for the block.
    """
    block = tuple(indices)
    count = len(session.workspaces)
    if not 1 <= len(block) <= MAX_BLOCK:
        raise LimitExceeded(f"a block has 1 to {MAX_BLOCK} workspaces, not {len(block)}")
    for index in block:
        if not 0 <= index < count:
            raise InvalidRequest(f"no such workspace: {index}; there are {count}")
    if len(set(block)) < len(block):
        raise InvalidRequest("a workspace is named twice")
    if not 0 <= to <= count - len(block):
        raise InvalidRequest(f"to must be 0 to {count - len(block)}, not {shown(to)}")
    rest = [w for i, w in enumerate(session.workspaces) if i not in block]
    moved = (*rest[:to], *(session.workspaces[i] for i in block), *rest[to:])
    if moved == session.workspaces:
        return Step(session)
    positions = tuple(range(to, to + len(block)))
    return Step(replace(session, workspaces=moved), (WorkspaceBlockMoved(block, positions),))


def report_metadata(
    session: Session,
    index: int,
    *,
    branch: str | Unset | None = UNSET,
    ahead: int | None = None,
    behind: int | None = None,
) -> Step:
    """Note what git says of a workspace; None clears the branch, what is not told stays.

    Raises:
        InvalidRequest: The branch is too long or a count is not an unsigned 32-bit number.
    """
    if isinstance(branch, str) and len(branch) > MAX_BRANCH_CHARS:
        raise InvalidRequest(f"branch must have at most {MAX_BRANCH_CHARS} characters")
    for field, value in (("ahead", ahead), ("behind", behind)):
        if value is not None and not 0 <= value <= MAX_COMMITS:
            raise InvalidRequest(f"{field} must be 0 to {MAX_COMMITS}, not {shown(value)}")
    workspace = session.workspaces[index]
    if not isinstance(branch, Unset):
        workspace = replace(workspace, branch=branch)
    if ahead is not None or behind is not None:
        workspace = replace(
            workspace,
            ahead=ahead if ahead is not None else workspace.ahead or 0,
            behind=behind if behind is not None else workspace.behind or 0,
        )
    change = WorkspaceMetadataReported(index, workspace.workspace_id)
    reported = session.with_workspace(index, workspace)
    return Step(reported, (change,), workspace_id=workspace.workspace_id)


def close_workspace(session: Session, index: int) -> Step:
    """Close a workspace with all its tabs and panes."""
    workspace = session.workspaces[index]
    changes: list[Change] = []
    for tab_index in range(len(workspace.tabs) - 1, -1, -1):
        tab = workspace.tabs[tab_index]
        changes += [PaneClosed(pane) for pane in tab.panes]
        changes.append(TabClosed(workspace.workspace_id, tab_index + 1, tab.tab_id))
    gone = tuple(pane for tab in workspace.tabs for pane in tab.panes)
    step = drop_workspace(session.without_panes(gone), index)
    return replace(step, changes=(*changes, *step.changes))


def drop_workspace(session: Session, index: int) -> Step:
    """Take out a workspace whose panes are gone already; the next one becomes active."""
    workspace = session.workspaces[index]
    rest = (*session.workspaces[:index], *session.workspaces[index + 1 :])
    active = session.active
    if active == workspace.workspace_id:
        active = rest[min(index, len(rest) - 1)].workspace_id if rest else None
    dropped = replace(session, workspaces=rest, active=active)
    return Step(dropped, (WorkspaceClosed(index, workspace.workspace_id),))


def display_positions(session: Session, groups: Mapping[str, str]) -> tuple[int, ...]:
    """Return each workspace's position in the display.

    `groups` gives the group (such as the common git folder) by workspace id; a workspace without
    one is a group of its own. A group stands together in session order, where its first member
    is; groups with a pinned member come first.
    """
    members: dict[tuple[str, str], list[int]] = {}
    for index, workspace in enumerate(session.workspaces):
        own = ("workspace", workspace.workspace_id)
        key = ("group", groups[workspace.workspace_id]) if workspace.workspace_id in groups else own
        members.setdefault(key, []).append(index)
    ordered = sorted(
        members.values(),
        key=lambda group: not any(session.workspaces[i].pinned for i in group),
    )
    shown_order = [index for group in ordered for index in group]
    positions = [0] * len(shown_order)
    for position, index in enumerate(shown_order):
        positions[index] = position
    return tuple(positions)
