"""The `pane.*` methods that are about agents."""

from __future__ import annotations

from luvus_service.rpc.declare import family, method
from luvus_service.rpc.errors import InvalidRequest
from luvus_service.rpc.scopes import Access, Scope
from luvus_service.uhp.domain.agents.stores import Usage
from luvus_service.uhp.engine.agents import errors
from luvus_service.uhp.engine.agents.agents import Agents
from luvus_service.uhp.engine.errors import NotFound
from luvus_service.uhp.engine.session import Session
from luvus_service.uhp.families.agent import params as p
from luvus_service.uhp.families.agent import report_params as reports
from luvus_service.uhp.families.agent import results as r
from luvus_service.uhp.families.agent import views
from luvus_service.uhp.families.agent.events import PANE_EVENTS


@family("pane", scope=Scope.WORKSPACE, title="Panes", events=PANE_EVENTS)
class PaneAgentMethods:
    """What integrations tell of panes, and which programs run there."""

    def __init__(self, session: Session, agents: Agents) -> None:
        self._session = session
        self._agents = agents

    @method("pane.processes", access=Access.READ, errors=(NotFound,))
    async def processes(self, params: p.PaneOf) -> r.PaneProcesses:
        """Name the programs that run in a pane, without their arguments."""
        pane = self._session.select_pane(params.pane)
        record = self._session.structure.panes[pane]
        facts = await self._agents.scans.facts(record.terminal_id or "")
        self._session.select_pane(pane)
        return views.processes(self._session, pane, facts)

    @method(
        "pane.report_session",
        access=Access.WRITE,
        scope=Scope.AGENT,
        errors=(
            InvalidRequest,
            NotFound,
            errors.Conflict,
            errors.StaleReport,
            errors.ResourceExhausted,
        ),
    )
    async def report_session(self, params: reports.ReportSession) -> r.Done:
        """Bind an agent's own session to a pane, with what it has used so far.

        The pane is then known to host this agent, its session can be resumed in the same pane after
        a restart, and its usage counts as long as the pane owns the session.
        """
        used = params.usage
        usage = None
        if used is not None:
            read, write = used.cache_read, used.cache_write
            usage = (
                used.updated_at,
                Usage(used.model, used.tokens_in, used.tokens_out, read, write, used.cost),
            )
        self._agents.authority.report_session(params.pane, params.agent, params.session_id, usage)
        return r.Done()

    @method("pane.report_event", access=Access.WRITE, scope=Scope.AGENT, errors=(NotFound,))
    async def report_event(self, params: reports.ReportEvent) -> r.Done:
        """Publish what an agent's hook saw as the event `agent.hook`."""
        self._agents.authority.hook(
            params.pane, params.agent, params.kind, params.message, params.tool
        )
        return r.Done()
