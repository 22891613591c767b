"""The live structure of a session: one value that operations replace as a whole.

Owned by the engine, which alone calls it, on the event loop. Because an operation returns the
next value or raises, a refused request leaves nothing half done.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Concatenate, ParamSpec

from luvus_service.uhp.domain.changes import (
    Change,
    PaneFocused,
    PaneZoomed,
    TabFocused,
    WorkspaceFocused,
)
from luvus_service.uhp.domain.errors import LimitExceeded
from luvus_service.uhp.domain.ids import MAX_PANE_ID
from luvus_service.uhp.domain.state import session_from_state, session_to_state
from luvus_service.uhp.domain.step import Step
from luvus_service.uhp.domain.structure import PaneRecord, Session, Where

P = ParamSpec("P")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an operation did, and what it leaves to the engine."""

    changes: tuple[Change, ...]
    """In the order in which their events are to be published."""
    ended: tuple[PaneRecord, ...]
    """Panes that are no longer there: the engine must end their terminals."""
    emptied: bool
    """The last workspace went: the engine opens the neutral one in the home folder."""
    pane: int | None
    workspace: int | None
    """The 0-based position, afterwards, of the workspace it was about; None when that is gone."""
    tab: int | None
    """The 1-based position, afterwards, of the tab it was about; None when that is gone."""
    workspace_id: str | None
    tab_id: str | None


class StalePlace(Exception):
    """A place was selected, and the session changed before it was used: a fault of the caller."""


class Topology:
    """The session's structure and the only way to change it."""

    def __init__(self, session: Session | None = None) -> None:
        self._session = Session() if session is None else session

    @property
    def session(self) -> Session:
        """The structure now; a value that stays as it is."""
        return self._session

    def allocate_pane(self) -> int:
        """Return a pane id that no pane has had or will have.

        Raises:
            LimitExceeded: All ids were given out.
        """
        pane = self._session.next_pane
        if pane > MAX_PANE_ID:
            raise LimitExceeded("all pane ids of this session were used; start a new session")
        self._session = replace(self._session, next_pane=pane + 1)
        return pane

    def do(
        self,
        operation: Callable[Concatenate[Session, P], Step],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> Outcome:
        """Apply an operation of `workspaces`, `tabs` or `panes` to the session as it is now.

        Select places and positions without an await in between. Whatever the operation raises
        leaves the session as it was.

        Raises:
            StalePlace: A `Where` among the arguments is of an earlier session.
        """
        before = self._session
        for argument in (*args, *kwargs.values()):
            if isinstance(argument, Where):
                _check_fresh(before, argument)
        step = operation(before, *args, **kwargs)
        outcome = _outcome(before, step)
        self._session = step.session
        return outcome

    def to_state(self) -> dict[str, object]:
        """Return the structure as JSON-able values."""
        return session_to_state(self._session)

    @classmethod
    def from_state(cls, state: object) -> Topology:
        """Return the topology of what `to_state` returned.

        Raises:
            BrokenState: The state is not one; nothing was loaded.
        """
        return cls(session_from_state(state))


def _check_fresh(session: Session, where: Where) -> None:
    # Used stale, the old values of a whole workspace would come back to life.
    workspaces = session.workspaces
    index = where.workspace_index
    if index >= len(workspaces) or workspaces[index] is not where.workspace:
        raise StalePlace(f"workspace {where.workspace.workspace_id} has changed meanwhile")


def _outcome(before: Session, step: Step) -> Outcome:
    after = step.session
    ended = [record for pane, record in before.panes.items() if pane not in after.panes]
    workspace, tab = _positions(after, step)
    return Outcome(
        changes=(*step.changes, *_zoomed(before, after), *_focused(before, after)),
        ended=(*ended, *step.unused),
        emptied=bool(before.workspaces) and not after.workspaces,
        pane=step.pane,
        workspace=workspace,
        tab=tab,
        workspace_id=step.workspace_id,
        tab_id=step.tab_id,
    )


def _positions(session: Session, step: Step) -> tuple[int | None, int | None]:
    for index, workspace in enumerate(session.workspaces):
        if workspace.workspace_id == step.workspace_id:
            for tab_index, tab in enumerate(workspace.tabs):
                if tab.tab_id == step.tab_id:
                    return index, tab_index + 1
            return index, None
    return None, None


def _zoomed(before: Session, after: Session) -> list[Change]:
    was, now = _zooms(before), _zooms(after)
    left = [pane for pane in was if pane in after.panes and pane not in now]
    return [
        *(PaneZoomed(pane, enabled=False) for pane in left),
        *(PaneZoomed(pane, enabled=True) for pane in now if pane not in was),
    ]


def _zooms(session: Session) -> list[int]:
    return [
        tab.zoomed
        for workspace in session.workspaces
        for tab in workspace.tabs
        if tab.zoomed is not None
    ]


def _focused(before: Session, after: Session) -> list[Change]:
    if not after.workspaces:
        return []
    changes: list[Change] = []
    index = after.active_index
    workspace = after.workspaces[index]
    if after.active != before.active:
        changes.append(WorkspaceFocused(index, workspace.workspace_id))
    tab = workspace.active
    shown_before = before.workspaces[before.active_index].active_tab if before.workspaces else None
    if tab.tab_id != shown_before:
        position = workspace.active_index + 1
        changes.append(TabFocused(workspace.workspace_id, position, tab.tab_id))
    if after.focused != before.focused:
        changes.append(PaneFocused(tab.focus))
    return changes
