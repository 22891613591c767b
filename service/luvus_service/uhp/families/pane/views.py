"""Rows and details of panes, made from the session and its terminals."""

from __future__ import annotations

from typing import Any

from luvus_service.uhp.domain import geometry
from luvus_service.uhp.domain.ports import History
from luvus_service.uhp.domain.structure import PaneRecord, Where
from luvus_service.uhp.domain.topology import Outcome
from luvus_service.uhp.engine.counters import as_counts
from luvus_service.uhp.engine.panes import history_of
from luvus_service.uhp.engine.session import Session
from luvus_service.uhp.families.pane.arranging import (
    Edges,
    LogicalSize,
    PaneEdges,
    PaneLayout,
    PaneMoved,
    PaneRect,
)
from luvus_service.uhp.families.pane.models import (
    PaneDetail,
    PaneList,
    PaneRow,
    PaneSplitResult,
    PaneStatus,
)
from luvus_service.uhp.fields import shown_tree


async def listing(session: Session, *, all_tabs: bool) -> PaneList:
    """Return the rows of the active tab's panes, or of all."""
    structure = session.structure
    tabs = [structure.workspaces[structure.active_index].active]
    if all_tabs:
        tabs = [tab for workspace in structure.workspaces for tab in workspace.tabs]
    rows = [
        await _row(session, structure.panes[pane], focused=pane == tab.focus)
        for tab in tabs
        for pane in tab.panes
    ]
    detection = session.counters.detection
    return PaneList(
        panes=rows,
        detection_extractions=detection.panes_extracted,
        detection_skips=detection.panes_generation_skipped,
        detection_performance=as_counts(detection),
        render_performance=session.performance(),
    )


async def detail(session: Session, pane: int) -> PaneDetail:
    """Return everything about one pane."""
    structure = session.structure
    record, where = structure.panes[pane], structure.locate(pane)
    history = await _history(session, record)
    facts = session.agents.facts(pane)
    return PaneDetail(
        pane=str(pane),
        workspace=str(where.workspace_index),
        workspace_id=where.workspace.workspace_id,
        tab=str(where.tab_index + 1),
        tab_id=where.tab.tab_id,
        terminal_id=record.terminal_id,
        focused=structure.focused == pane,
        name=record.name,
        cwd=session.cwd_of(record),
        command=_command(session, record),
        agent=facts.agent or None,
        status=facts.status,
        history_budget_bytes=history.budget_bytes if history else None,
        history_bytes=history.used_bytes if history else None,
        module=None,
    )


def _command(session: Session, record: PaneRecord) -> str | None:
    # A dashboard's pane runs nothing.
    if record.terminal_id is None:
        return None
    return " ".join(record.command or session.world.launcher.shell)


async def status(session: Session, pane: int) -> PaneStatus:
    """Return how a pane is doing."""
    history = await _history(session, session.structure.panes[pane])
    facts = session.agents.facts(pane)
    return PaneStatus(
        pane=str(pane),
        agent=facts.agent,
        status=facts.status,
        authority=facts.authority,
        state_source=facts.state_source,
        **history_fields(history),
    )


def split_result(outcome: Outcome) -> PaneSplitResult:
    """Return where the new pane is."""
    return PaneSplitResult(
        pane=str(outcome.pane), workspace=str(outcome.workspace), tab=str(outcome.tab)
    )


def moved(outcome: Outcome) -> PaneMoved:
    """Return where a pane went."""
    return PaneMoved(pane=str(outcome.pane), workspace=str(outcome.workspace), tab=str(outcome.tab))


def layout(pane: int, where: Where) -> PaneLayout:
    """Return where a pane is in its tab."""
    rect = geometry.rectangles(where.tab.tree)[pane]
    return PaneLayout(
        pane=str(pane),
        workspace=str(where.workspace_index),
        tab=str(where.tab_index + 1),
        logical_size=LogicalSize(width=geometry.LOGICAL_SIZE, height=geometry.LOGICAL_SIZE),
        rect=PaneRect(x=rect.x, y=rect.y, width=rect.width, height=rect.height),
        tree=shown_tree(where.tab.tree),
    )


def edges(pane: int, where: Where) -> PaneEdges:
    """Return which outer edges of its tab a pane touches."""
    found = geometry.edges(where.tab.tree, pane)
    shown = Edges(left=found.left, right=found.right, top=found.top, bottom=found.bottom)
    return PaneEdges(pane=str(pane), edges=shown)


def history_fields(history: History | None) -> dict[str, Any]:
    """Return the figures of a scrollback; what the emulator does not measure is null."""
    rows = history.rows if history else 0
    used = history.used_bytes if history else None
    exact = bool(history and history.exact)
    return {
        "scroll_offset": 0,
        "history_rows": rows,
        "history_budget_bytes": history.budget_bytes if history else None,
        "history_bytes": used,
        "history_estimated_grid_bytes": None,
        "history_cache_bytes": None,
        "history_compacted_rows": None,
        "history_allocated_cells": None,
        "history_packed_blocks": None,
        "history_packed_bytes": None,
        "history_packed_rows": None,
        "history_dense_row_bytes": None,
        "history_row_descriptor_bytes": None,
        "history_allocation_count": None,
        "history_bytes_kind": "exact" if exact else "estimated",
        "history_exact": exact,
    }


async def _row(session: Session, record: PaneRecord, *, focused: bool) -> PaneRow:
    history = await _history(session, record)
    facts = session.agents.facts(record.pane)
    return PaneRow(
        pane=str(record.pane),
        agent=facts.agent,
        status=facts.status,
        focused=focused,
        cwd=session.cwd_of(record),
        module=None,
        **history_fields(history),
    )


async def _history(session: Session, record: PaneRecord) -> History | None:
    terminal = session.terminals.get(record.terminal_id or "")
    return None if terminal is None else await history_of(terminal)
