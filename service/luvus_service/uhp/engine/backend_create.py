"""Creating a terminal for a program: in the workspace of a folder, or beside another terminal."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from luvus_service.rpc.errors import LimitExceeded, RpcError
from luvus_service.uhp.domain import panes as pane_rules
from luvus_service.uhp.domain import tabs as tab_rules
from luvus_service.uhp.domain.locators import Locator
from luvus_service.uhp.domain.step import Step
from luvus_service.uhp.domain.structure import PaneRecord
from luvus_service.uhp.domain.structure import Session as Structure
from luvus_service.uhp.domain.workspaces import find_path
from luvus_service.uhp.engine.backend import Backend
from luvus_service.uhp.engine.errors import CreateFailed
from luvus_service.uhp.engine.session import Session
from luvus_service.uhp.engine.terminal import Terminal
from luvus_service.uhp.engine.workspaces import opening

Operation = Callable[[Structure, PaneRecord], Step]


@dataclass(frozen=True, slots=True)
class Wanted:
    """A terminal to create."""

    cwd: str
    """Absolute."""
    beside: Locator | None
    """The terminal to split; None for the workspace of the folder."""
    focus: bool
    command: tuple[str, ...] | None = None
    label: str | None = None
    restore: bool = True


@dataclass(frozen=True, slots=True)
class Created:
    """A terminal whose program runs."""

    terminal: Terminal
    pane: int
    workspace: int
    """1-based, as `tab` is."""
    tab: int
    cwd: str


async def create(session: Session, backend: Backend, wanted: Wanted) -> Created:
    """Start a program in a new pane; without `focus` nobody's view changes.

    A folder that is open as a workspace gets a new tab, another one becomes a workspace.

    Raises:
        RpcError: It could not be done; with `dispatch` started a program ran for a moment.
    """
    cwd = _folder(wanted.cwd)
    operation = _in_workspace(cwd, focus=wanted.focus)
    if wanted.beside is not None:
        backend.find(wanted.beside)
        operation = _beside(session, wanted.beside.pane, focus=wanted.focus)
    runs: list[bool] = []
    try:
        outcome = await session.grow(
            operation,
            cwd=cwd,
            command=wanted.command,
            label=wanted.label or None,
            restore=wanted.restore,
            started=lambda: runs.append(True),
        )
    except RpcError as error:
        raise _failure(error, started=bool(runs)) from error
    pane, workspace, tab = outcome.pane, outcome.workspace, outcome.tab
    assert pane is not None
    assert workspace is not None
    assert tab is not None
    _, terminal = session.terminal_of(pane)
    return Created(terminal, pane, workspace + 1, tab, cwd)


def _failure(error: RpcError, *, started: bool) -> RpcError:
    if started:
        return CreateFailed(
            f"the program was started and ended again: {error.message}", dispatch="started"
        )
    if isinstance(error, LimitExceeded):
        return LimitExceeded(error.message, dispatch="rejected")
    return CreateFailed(error.message, dispatch="rejected")


def _folder(path: str) -> str:
    folder = Path(os.path.realpath(path))
    if not folder.is_dir() or not os.access(folder, os.X_OK):
        raise CreateFailed(
            f"{path[:200]!r} is no folder that can be entered; create it or choose another",
            dispatch="rejected",
        )
    return str(folder)


def _in_workspace(cwd: str, *, focus: bool) -> Operation:
    open_it = opening(cwd, focus=focus, reuse=False)
    tab_id = "tab_" + secrets.token_hex(16)

    def operation(now: Structure, record: PaneRecord) -> Step:
        index = find_path(now, cwd)
        if index is None:
            return open_it(now, record)
        return tab_rules.new_tab(now, index, tab_id=tab_id, pane=record, focus=focus)

    return operation


def _beside(session: Session, pane: int, *, focus: bool) -> Operation:
    def operation(now: Structure, record: PaneRecord) -> Step:
        return pane_rules.split_pane(now, pane, record, area=session.area, focus=focus)

    return operation
