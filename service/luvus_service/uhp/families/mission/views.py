"""The snapshot of Mission Control; without session ids and without what agents ask."""

from __future__ import annotations

from luvus_service.uhp.domain.agents.endings import Ending
from luvus_service.uhp.domain.agents.stores import Usage, context_fraction
from luvus_service.uhp.engine.agents import mission
from luvus_service.uhp.engine.session import Session
from luvus_service.uhp.families.mission.models import (
    MissionAutomation,
    MissionEnded,
    MissionRow,
    MissionSample,
    MissionSnapshot,
    MissionSummary,
    MissionUsage,
    Scope,
)


def snapshot(
    session: Session,
    found: mission.Mission,
    scope: Scope,
    workspace: int,
    *,
    budget: float | None,
) -> MissionSnapshot:
    """Return what is shown of some workspaces."""
    rows = [_row(session, row) for row in found.rows]
    used = [row.usage for row in rows if row.usage is not None]
    return MissionSnapshot(
        scope=scope,
        workspace=str(workspace),
        workspace_id=(
            None if scope == "all" else session.structure.workspaces[workspace].workspace_id
        ),
        refreshing=found.refreshing,
        summary=MissionSummary(
            agents=sum(row.kind == "live" for row in rows),
            tokens=sum(usage.total_tokens for usage in used),
            cost_usd=round(sum(usage.cost_usd or 0.0 for usage in used), 6),
            burn_usd_per_hour=found.burn,
            budget_usd=budget,
        ),
        automation=MissionAutomation(),
        rows=rows,
        ended=[_ended(one) for one in found.ended],
    )


def _row(session: Session, row: mission.MissionRow) -> MissionRow:
    workspace = session.structure.workspaces[row.workspace]
    tab = None if row.seat is None else row.seat.where.tab_index + 1
    return MissionRow(
        kind="resumable" if row.seat is None else "live",
        pane=None if row.seat is None else str(row.seat.record.pane),
        agent=row.agent,
        state="resumable" if row.seat is None else row.seat.facts.status,
        workspace=str(row.workspace),
        workspace_id=workspace.workspace_id,
        workspace_name=workspace.name,
        tab=None if tab is None else str(tab),
        location="resumable" if tab is None else f"tab {tab}",
        usage=None if row.usage is None else _usage(row.usage),
        burn_usd_per_hour=None if row.burn is None else round(row.burn, 6),
        history=[MissionSample(minute=s.minute, tokens=s.tokens) for s in row.history],
    )


def _ended(ending: Ending) -> MissionEnded:
    return MissionEnded(
        pane=str(ending.pane),
        agent=ending.agent,
        name=ending.name,
        title=ending.title,
        workspace_id=ending.workspace_id,
        workspace_name=ending.workspace_name,
        cwd=ending.cwd,
        branch=ending.branch,
        exit_code=ending.exit_code,
        signal=ending.signal,
        at_ms=ending.at_ms,
        text=ending.text,
        usage=None if ending.usage is None else _usage(ending.usage),
    )


def _usage(usage: Usage) -> MissionUsage:
    return MissionUsage(
        model=usage.model,
        tokens_in=usage.tokens_in,
        tokens_out=usage.tokens_out,
        cache_tokens=usage.cache,
        total_tokens=usage.tokens_in + usage.tokens_out,
        context=context_fraction(usage),
        cost_usd=None if usage.cost is None else round(usage.cost, 6),
    )
