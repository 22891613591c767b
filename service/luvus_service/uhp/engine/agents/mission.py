"""Usage and cost of live and stored sessions; scanned when asked for, never by a timer."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace

from luvus_service.uhp.domain import tabs as tab_rules
from luvus_service.uhp.domain.agents.stores import (
    AgentAdapter,
    Prices,
    StoredSession,
    Usage,
)
from luvus_service.uhp.domain.structure import PaneRecord
from luvus_service.uhp.engine.agents.authority import Authority
from luvus_service.uhp.engine.agents.histories import Histories
from luvus_service.uhp.engine.agents.roster import Roster, Seat
from luvus_service.uhp.engine.errors import refusals
from luvus_service.uhp.engine.session import Session

Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class MissionRow:
    """A live agent, or a session that could go on."""

    agent: str
    seat: Seat | None
    workspace: int
    session: StoredSession | None
    usage: Usage | None


@dataclass(frozen=True, slots=True)
class Mission:
    """Everything that Mission Control shows."""

    rows: tuple[MissionRow, ...]
    refreshing: bool
    burn: float | None
    """US dollars an hour; None until two scans are known."""


class Missions:
    """Keeps the usage of sessions as of the last scan."""

    def __init__(
        self,
        session: Session,
        roster: Roster,
        authority: Authority,
        histories: Histories,
        prices: Prices,
        executor: Callable[[], Executor],
    ) -> None:
        self._session = session
        self._roster = roster
        self._authority = authority
        self._histories = histories
        self._prices = prices
        self._executor = executor
        self._usage: dict[Key, Usage] = {}
        self._stored: list[StoredSession] = []
        self._samples: list[tuple[float, float]] = []
        self._refreshing = False

    def refresh(self) -> None:
        """Begin a scan unless one runs."""
        if not self._refreshing:
            self._refreshing = True
            self._session.tasks.start(self._scan(), "scan of usage")

    def snapshot(self, workspaces: Sequence[int]) -> Mission:
        """Return the live agents of some workspaces, then the sessions that could go on there."""
        rows = [
            MissionRow(seat.facts.agent, seat, seat.where.workspace_index, None, self._of(seat))
            for seat in self._roster.seats()
            if seat.where.workspace_index in workspaces
        ]
        places = {self._session.structure.workspaces[index].cwd: index for index in workspaces}
        live = {(seat.facts.agent, seat.facts.session) for seat in self._roster.seats()}
        for stored in self._stored:
            index = places.get(stored.cwd)
            if index is None or (stored.agent, stored.session_id) in live:
                continue
            usage = self._usage.get((stored.agent, stored.session_id))
            rows.append(MissionRow(stored.agent, None, index, stored, usage))
        return Mission(tuple(rows), self._refreshing, self._burn())

    def _of(self, seat: Seat) -> Usage | None:
        agent, session_id = seat.facts.agent, seat.facts.session
        if session_id is None:
            return None
        reported = self._authority.usage_of(agent, session_id)
        found = reported or self._usage.get((agent, session_id))
        if found is None or found.cost is not None:
            return found
        return replace(found, cost=self._prices.cost(agent, found, wait=False))

    def open(self, workspace: int) -> None:
        """Show Mission Control in a workspace.

        Raises:
            LimitExceeded: The session has too many panes.
        """
        with refusals():
            pane = self._session.topology.allocate_pane()
        record = PaneRecord(pane=pane, kind="view")
        tab_id = "tab_" + secrets.token_hex(16)
        self._session.commit(
            tab_rules.open_dashboard, workspace, "mission", tab_id=tab_id, pane=record
        )

    async def _scan(self) -> None:
        loop = asyncio.get_running_loop()
        try:
            stored = await self._histories.all()
            wanted = {(s.agent, s.session_id): s for s in stored}
            for seat in tuple(self._roster.seats()):
                key = (seat.facts.agent, seat.facts.session or "")
                if seat.facts.session is not None and key not in wanted:
                    cwd = self._session.cwd_of(seat.record)
                    wanted[key] = StoredSession(*key, cwd, 0.0)
            reported = {key for key in wanted if self._authority.usage_of(*key) is not None}
            todo = [s for key, s in wanted.items() if key not in reported]
            prices = self._prices
            adapters = dict(self._roster.adapters)
            found = await loop.run_in_executor(
                self._executor(), lambda: read_usage(adapters, todo, prices)
            )
            self._usage = found
            self._stored = stored
            total = sum(usage.cost or 0.0 for usage in found.values())
            self._samples = [*self._samples, (loop.time(), total)][-2:]
        finally:
            self._refreshing = False

    def _burn(self) -> float | None:
        if len(self._samples) < 2:
            return None
        (then, before), (now, after) = self._samples
        return max(0.0, after - before) / max(now - then, 0.001) * 3600


def read_usage(
    adapters: dict[str, AgentAdapter], sessions: Sequence[StoredSession], prices: Prices
) -> dict[Key, Usage]:
    """Return what sessions have used, with a cost where it can be told; blocking."""
    found: dict[Key, Usage] = {}
    for stored in sessions:
        adapter = adapters.get(stored.agent)
        usage = None if adapter is None else adapter.usage(stored)
        if usage is None:
            continue
        if usage.cost is None:
            usage = replace(usage, cost=prices.cost(stored.agent, usage))
        found[stored.agent, stored.session_id] = usage
    return found
