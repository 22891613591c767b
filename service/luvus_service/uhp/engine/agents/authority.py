"""Integrations that report an agent's state themselves: leases, sessions, hook events."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace

from luvus_service.rpc.errors import InvalidRequest
from luvus_service.uhp.domain.agents import leases
from luvus_service.uhp.domain.agents.leases import Lease, Report
from luvus_service.uhp.domain.agents.stores import Usage
from luvus_service.uhp.engine.agents.errors import (
    ResourceExhausted,
    StaleReport,
    agent_refusals,
)
from luvus_service.uhp.engine.agents.live import Live
from luvus_service.uhp.engine.agents.roster import Roster
from luvus_service.uhp.engine.session import Session

REPORTED_USAGES = 1024
"""Sessions whose usage integrations may report."""


class Authority:
    """Takes what integrations report."""

    def __init__(self, session: Session, roster: Roster) -> None:
        self._session = session
        self._roster = roster
        self._loop = asyncio.get_running_loop()
        self._usage: dict[tuple[str, str], tuple[int, int, Usage]] = {}
        self.on_usage: Callable[[], None] = lambda: None
        """Called after each report of usage."""
        roster.detector.on_lease_end = self._expired

    def report(self, pane: int | None, said: Report, session_id: str | None) -> tuple[Live, Lease]:
        """Take a report; the state applies at once.

        Raises:
            NotFound: No such pane, or it has no terminal.
            AuthorityConflict: Another source holds the lease.
            StaleReport: The sequence is not above the one before.
            Conflict: Another pane has the session.
        """
        chosen, _ = self._session.terminal_of(pane)
        live = self._roster.live(chosen)
        with agent_refusals():
            lease = leases.report(live.lease, said, self._loop.time())
        if session_id is not None:
            adapter = self._roster.resolve_kind(said.agent)
            key = (said.agent if adapter is None else adapter.id, session_id)
            self._roster.bind(chosen, *key)
        live.lease = lease
        self._session.events.publish(
            "agent.authority_reported",
            {
                "pane": str(chosen),
                "source": lease.source,
                "agent": lease.agent,
                "status": lease.state,
                "sequence": lease.sequence,
                "ttl_s": lease.ttl_s,
            },
        )
        self._roster.detector.apply(live)
        return live, lease

    def release(self, pane: int | None, source: str) -> int:
        """End a lease; detection goes on.

        Raises:
            NotFound: No such pane, or nothing is reported for it.
            AuthorityConflict: Another source holds the lease.
        """
        chosen, _ = self._session.terminal_of(pane)
        live = self._roster.live(chosen)
        with agent_refusals():
            lease = leases.release(live.lease, source, self._loop.time())
        live.lease = None
        self._released(live, lease.source, "released")
        self._roster.detector.reread(chosen)
        return chosen

    def report_session(
        self, pane: int | None, agent: str, session_id: str, usage: tuple[int, Usage] | None
    ) -> None:
        """Bind an agent's own session to a pane, with what it has used so far.

        Raises:
            NotFound: No such pane.
            InvalidRequest: No built-in agent has this name.
            Conflict: Another pane has the session.
            StaleReport: The usage is older than what is known.
            ResourceExhausted: Too many sessions report usage.
        """
        chosen = self._session.select_pane(pane)
        adapter = self._roster.resolve_kind(agent)
        if adapter is None:
            raise InvalidRequest(f"{agent!r} is none of the built-in agents")
        key = (adapter.id, session_id)
        held = self._usage.get(key)
        self._roster.check_owner(chosen, *key)
        if usage is not None:
            if held is not None and usage[0] < held[1]:
                raise StaleReport(f"usage of {usage[0]} is older than what is known, {held[1]}")
            if held is None and len(self._usage) >= REPORTED_USAGES:
                raise ResourceExhausted(f"{REPORTED_USAGES} sessions report their usage already")
        self._forget_other_usage(chosen, key)
        self._roster.bind(chosen, *key)
        if usage is not None:
            cost = usage[1].cost or None
            self._usage[key] = (chosen, usage[0], replace(usage[1], cost=cost))
            self.on_usage()

    def usage_of(self, agent: str, session_id: str) -> Usage | None:
        """Return what an integration reported, while its pane owns the session."""
        held = self._usage.get((agent, session_id))
        if held is None:
            return None
        record = self._session.structure.panes.get(held[0])
        if record is None or (record.agent, record.agent_session) != (agent, session_id):
            del self._usage[agent, session_id]
            return None
        return held[2]

    def hook(self, pane: int | None, agent: str, kind: str, message: str, tool: str) -> None:
        """Publish an event that an agent's hook reports.

        Raises:
            NotFound: No such pane.
        """
        chosen = self._session.select_pane(pane)
        data = {"agent": agent, "kind": kind, "message": message, "tool": tool}
        self._session.events.publish("agent.hook", {"pane": str(chosen), **data})
        self._roster.detector.reread(chosen)

    def _forget_other_usage(self, pane: int, key: tuple[str, str]) -> None:
        for other, held in tuple(self._usage.items()):
            if held[0] == pane and other != key:
                del self._usage[other]
        panes = self._session.structure.panes
        for other, held in tuple(self._usage.items()):
            if held[0] not in panes:
                del self._usage[other]

    def _expired(self, live: Live) -> None:
        if live.lease is not None:
            self._released(live, live.lease.source, "expired")

    def _released(self, live: Live, source: str, reason: str) -> None:
        data = {"pane": str(live.pane), "source": source, "reason": reason}
        self._session.events.publish("agent.authority_released", data)
