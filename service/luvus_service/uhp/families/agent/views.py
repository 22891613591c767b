"""Rows, details and explanations of agents, made from the roster in one step."""

from __future__ import annotations

import asyncio

from luvus_service.uhp.domain.agents.states import (
    IDENTITY_CONFIDENCE,
    STATE_CONFIDENCE,
    WaitState,
)
from luvus_service.uhp.domain.agents.stores import StoredSession
from luvus_service.uhp.domain.ports import ProcessFacts
from luvus_service.uhp.engine.agents.driving import Prompted
from luvus_service.uhp.engine.agents.live import Live
from luvus_service.uhp.engine.agents.roster import Roster, Seat
from luvus_service.uhp.engine.agents.starting import Forked
from luvus_service.uhp.engine.checkouts import branch_of
from luvus_service.uhp.engine.session import Session
from luvus_service.uhp.families.agent.results import (
    AgentDetail,
    AgentExplanation,
    AgentForked,
    AgentPrompted,
    AgentRow,
    AgentWaited,
    AuthorityEvidence,
    IdentityEvidence,
    PaneProcesses,
    RootProcess,
    SessionEvidence,
    StateEvidence,
    StoredRow,
)


def row(session: Session, seat: Seat) -> AgentRow:
    """Return the row of a live agent."""
    record, where, facts = seat.record, seat.where, seat.facts
    repo = session.groups.get(where.workspace.workspace_id)
    return AgentRow(
        pane=str(record.pane),
        agent=facts.agent,
        terminal_id=record.terminal_id,
        name=record.name,
        status=facts.status,
        authority=facts.authority,
        state_source=facts.state_source,
        session=facts.session,
        workspace=str(where.workspace_index),
        workspace_name=where.workspace.name,
        workspace_id=where.workspace.workspace_id,
        project=where.workspace.name,
        cwd=session.cwd_of(record),
        branch=branch_of(session, where.workspace),
        repo=repo,
        worktree=repo is not None and not _inside(where.workspace.cwd, repo),
        tab=str(where.tab_index + 1),
        focused=session.structure.focused == record.pane,
    )


def detail(session: Session, roster: Roster, pane: int) -> AgentDetail:
    """Return everything short about the agent of one pane."""
    record, facts = session.structure.panes[pane], roster.detector.facts(pane)
    return AgentDetail(
        pane=str(pane),
        name=record.name,
        agent=facts.agent,
        status=facts.status,
        authority=facts.authority,
        state_source=facts.state_source,
        session=facts.session,
        cwd=session.cwd_of(record),
    )


def explanation(session: Session, roster: Roster, pane: int) -> AgentExplanation:
    """Return the evidence about the agent of one pane."""
    live, facts = roster.detector.live(pane), roster.detector.facts(pane)
    if live is None or facts.status == "unknown":
        return AgentExplanation(pane=str(pane), available=False)
    record = session.structure.panes[pane]
    bound = None
    if record.agent is not None and record.agent_session is not None:
        bound = SessionEvidence(agent=record.agent, id=record.agent_session)
    return AgentExplanation(
        pane=str(pane),
        available=True,
        agent=facts.agent or None,
        status=facts.status,
        identity=IdentityEvidence(
            source=live.identity.source, confidence=IDENTITY_CONFIDENCE[live.identity.source]
        ),
        state_evidence=_state(live, facts.status),
        authority=_authority(live),
        session=bound,
    )


def prompted(found: Prompted) -> AgentPrompted:
    """Return what came of a prompt."""
    matched = found.evidence in ("state_transition", "output_settled")
    return AgentPrompted(
        pane=str(found.pane),
        matched=matched,
        status=found.status,
        baseline_revision=found.baseline,
        content_revision=found.revision,
        evidence=found.evidence,
    )


def waited(pane: int, found: str | None, wanted: list[WaitState]) -> AgentWaited:
    """Return the state that matched, or that none did."""
    for state in wanted:
        if state == found:
            return AgentWaited(matched=True, pane=str(pane), status=state)
    return AgentWaited(matched=False, pane=None, status=None)


def forked(session: Session, found: Forked) -> AgentForked:
    """Return where the new pane of a fork is."""
    where = session.structure.locate(found.pane)
    return AgentForked.model_validate(
        {
            "from": str(found.source),
            "pane": str(found.pane),
            "agent": found.agent,
            "name": session.structure.panes[found.pane].name,
            "workspace": str(where.workspace_index),
            "tab": str(where.tab_index + 1),
            "focused": session.structure.focused == found.pane,
        }
    )


def stored(found: StoredSession) -> StoredRow:
    """Return the row of a session on disk."""
    return StoredRow(agent=found.agent, session_id=found.session_id, cwd=found.cwd)


def processes(session: Session, pane: int, facts: ProcessFacts | None) -> PaneProcesses:
    """Return the programs that the last scan saw in a pane."""
    record = session.structure.panes[pane]
    terminal = session.terminals.get(record.terminal_id or "")
    root = None
    if terminal is not None:
        root = RootProcess(pid=terminal.root.pid, start_marker=terminal.root.start_marker)
    observed = facts is not None and facts.observed
    return PaneProcesses(
        pane=str(pane),
        terminal_id=record.terminal_id,
        root_process=root,
        scan="observed" if observed else "unavailable",
        executables=list(facts.executables) if facts is not None and observed else [],
    )


def _state(live: Live, status: str) -> StateEvidence:
    shown = live.shown
    rule = shown.rule
    return StateEvidence(
        source=shown.source,
        confidence=STATE_CONFIDENCE[shown.source],
        rule_priority=None if rule is None else rule.priority,
        rule_region=None if rule is None else rule.region,
        blocked_hint=shown.hint if status == "blocked" else None,
    )


def _authority(live: Live) -> AuthorityEvidence | None:
    if live.lease is None:
        return None
    left = live.lease.expires_at - asyncio.get_running_loop().time()
    return AuthorityEvidence(
        source=live.lease.source,
        sequence=live.lease.sequence,
        message=live.lease.message,
        expires_in_ms=max(0, int(left * 1000)),
    )


def _inside(cwd: str, repo: str) -> bool:
    main = repo.removesuffix("/.git")
    return cwd == main or cwd.startswith(main + "/")
