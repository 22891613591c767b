"""Rows and answers about terminals, made from the session in one step without an await."""

from __future__ import annotations

from collections.abc import Iterator

from luvus_service.uhp.domain.locators import Locator
from luvus_service.uhp.domain.ports import ProcessFacts
from luvus_service.uhp.domain.structure import PaneRecord, Tab, Workspace
from luvus_service.uhp.engine import backend_create
from luvus_service.uhp.engine.limits import FRAME_BYTES, TERMINAL
from luvus_service.uhp.engine.screens import Screen
from luvus_service.uhp.engine.session import Session
from luvus_service.uhp.engine.terminal import Terminal
from luvus_service.uhp.families.terminal.models import (
    TerminalCapture,
    TerminalCreate,
    TerminalObserve,
)
from luvus_service.uhp.families.terminal.results import (
    TerminalCaptured,
    TerminalOpened,
    TerminalPlace,
    TerminalProcesses,
    TerminalRoot,
    TerminalRow,
    TerminalStream,
    TerminalTab,
    TerminalWorkspace,
)

ROWS = TERMINAL["inventory_terminals"]
ROWS_BYTES = FRAME_BYTES - 4096
"""Room for rows in one answer."""


def rows(session: Session) -> tuple[list[TerminalRow], bool]:
    """Return the live terminals in the order of the layout, and whether some are left out."""
    found: list[TerminalRow] = []
    room = ROWS_BYTES
    for row in _rows(session):
        room -= len(row.model_dump_json()) + 1
        if len(found) >= ROWS or room < 0:
            return found, True
        found.append(row)
    return found, False


def _rows(session: Session) -> Iterator[TerminalRow]:
    structure = session.structure
    for index, workspace in enumerate(structure.workspaces, 1):
        for position, tab in enumerate(workspace.tabs, 1):
            places = _workspace(index, workspace), _tab(position, tab)
            for pane in tab.panes:
                record = structure.panes[pane]
                terminal = session.terminals.get(record.terminal_id or "")
                if terminal is not None:
                    yield _row(session, record, terminal, *places)


def _row(
    session: Session,
    record: PaneRecord,
    terminal: Terminal,
    workspace: TerminalWorkspace,
    tab: TerminalTab,
) -> TerminalRow:
    return TerminalRow(
        terminal_id=terminal.id,
        pane_id=str(record.pane),
        workspace=workspace,
        tab=tab,
        cwd=session.cwd_of(record),
        root_process=_root(terminal),
        content_revision=terminal.revision,
        terminal_title=terminal.emulator.title(),
        label=record.label,
        restore=record.restore,
    )


def _workspace(index: int, workspace: Workspace) -> TerminalWorkspace:
    return TerminalWorkspace(index=index, name=workspace.name, root=workspace.cwd)


def _tab(position: int, tab: Tab) -> TerminalTab:
    return TerminalTab(index=position, name=tab.name)


def processes(locator: Locator, terminal: Terminal, facts: ProcessFacts) -> TerminalProcesses:
    """Return what a scan saw of a terminal."""
    return TerminalProcesses(
        server_generation=locator.server_generation,
        terminal_id=locator.terminal_id,
        pane_id=str(locator.pane),
        root_process=_root(terminal),
        scan="observed" if facts.observed else "unavailable",
        executables=list(facts.executables),
    )


def captured(params: TerminalCapture, screen: Screen) -> TerminalCaptured:
    """Return a terminal's text."""
    text = screen.captured.text
    return TerminalCaptured(
        mode=params.mode,
        ansi=params.ansi,
        text=text,
        lines=text.count("\n") + 1 if text else 0,
        bytes=len(text.encode()),
        truncated=screen.captured.truncated,
        content_revision=screen.revision,
    )


def created(
    params: TerminalCreate, generation: str, made: backend_create.Created
) -> TerminalOpened:
    """Return a new terminal; `restore` comes back only when it was given."""
    return TerminalOpened(
        server_generation=generation,
        terminal_id=made.terminal.id,
        pane_id=str(made.pane),
        restore=params.restore if "restore" in params.model_fields_set else None,
        placement=TerminalPlace(kind=params.placement.kind, workspace=made.workspace, tab=made.tab),
        cwd=made.cwd,
        root_process=_root(made.terminal),
    )


def stream_started(
    params: TerminalObserve, session: Session, terminal: Terminal, *, control: bool
) -> TerminalStream:
    """Return the acknowledgement of a stream."""
    return TerminalStream(
        mode="control" if control else "observe",
        server_generation=params.server_generation,
        terminal_id=params.terminal_id,
        pane_id=params.pane_id,
        sequence=session.events.sequence,
        content_revision=terminal.revision,
        ansi=params.ansi,
        capture_mode=params.mode,
        lines=params.lines,
    )


def _root(terminal: Terminal) -> TerminalRoot:
    return TerminalRoot(pid=terminal.root.pid, start_marker=terminal.root.start_marker)
