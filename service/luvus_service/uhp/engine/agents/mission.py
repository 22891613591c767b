"""Usage and cost of live and stored sessions: read when something happened or somebody asks.

There is no timer that reads on its own: agents that do nothing cost nothing.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from luvus_service.uhp.domain import tabs as tab_rules
from luvus_service.uhp.domain.agents import usage_history
from luvus_service.uhp.domain.agents.endings import Ending
from luvus_service.uhp.domain.agents.stores import (
    AgentAdapter,
    Prices,
    StoredSession,
    Usage,
)
from luvus_service.uhp.domain.agents.usage_history import History, Sample
from luvus_service.uhp.domain.structure import PaneRecord
from luvus_service.uhp.engine.agents.authority import Authority
from luvus_service.uhp.engine.agents.endings import Endings
from luvus_service.uhp.engine.agents.histories import Histories
from luvus_service.uhp.engine.agents.roster import Roster, Seat
from luvus_service.uhp.engine.agents.scanning import TELL_GAP_S, gap_after
from luvus_service.uhp.engine.errors import refusals
from luvus_service.uhp.engine.session import Session
from luvus_service.uhp.engine.throttle import Throttle

Key: TypeAlias = tuple[str, str]
Reach: TypeAlias = Literal["live", "everything"]
"""Whose usage a scan reads: live agents' only, or that of stored sessions as well."""


@dataclass(frozen=True, slots=True)
class MissionRow:
    """A live agent, or a session that could go on."""

    agent: str
    seat: Seat | None
    workspace: int
    session: StoredSession | None
    usage: Usage | None
    history: History = ()
    burn: float | None = None
    """US dollars an hour; None while that is not known."""


@dataclass(frozen=True, slots=True)
class Mission:
    """Everything that Mission Control shows."""

    rows: tuple[MissionRow, ...]
    refreshing: bool
    burn: float | None
    """US dollars an hour; None until two scans are known."""
    ended: tuple[Ending, ...]


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
        self._stores = histories
        self._prices = prices
        self._executor = executor
        self._usage: dict[Key, Usage] = {}
        self._stored: list[StoredSession] = []
        self._samples: list[tuple[float, float]] = []
        self._history: dict[Key, History] = {}
        self._scanning: Reach | None = None
        self._next: Reach | None = None
        """What is read when the scan that runs is over, because it may have missed something."""
        self._scans = Throttle(self._scan_soon)
        self._news = Throttle(self._tell)
        self.endings = Endings(session, self._usage_in)
        self.endings.on_failed = self._news.ask
        authority.on_usage = self._reported

    def start(self) -> None:
        """Begin to follow what happens to agents."""
        stop = self._session.events.listen(self._heard)
        self._session.closers += [stop, self._scans.close, self._news.close]

    def refresh(self) -> None:
        """Begin a scan of everything unless one runs; its end is announced in any case."""
        if self._scanning is None:
            self._scan("everything")
        elif self._scanning == "live":
            self._next = "everything"

    def snapshot(self, workspaces: Sequence[int]) -> Mission:
        """Return the live agents of some workspaces, then the sessions that could go on there."""
        seats = tuple(self._roster.seats())
        rows = [self._live_row(seat) for seat in seats if seat.where.workspace_index in workspaces]
        chosen = [self._session.structure.workspaces[index] for index in workspaces]
        places = {where.cwd: index for index, where in zip(workspaces, chosen, strict=True)}
        live = {(seat.facts.agent, seat.facts.session) for seat in seats}
        for stored in self._stored:
            index = places.get(stored.cwd)
            if index is None or (stored.agent, stored.session_id) in live:
                continue
            usage = self._usage.get((stored.agent, stored.session_id))
            rows.append(MissionRow(stored.agent, None, index, stored, usage))
        names = {where.workspace_id for where in chosen}
        ended = tuple(one for one in self.endings.list() if one.workspace_id in names)
        return Mission(tuple(rows), self._scanning is not None, self._burn(), ended)

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

    # -- reading ---------------------------------------------------------------------------------

    def _live_row(self, seat: Seat) -> MissionRow:
        history = self._history.get(_key(seat), ())
        burn = usage_history.burn(history, self._minute())
        where = seat.where.workspace_index
        return MissionRow(seat.facts.agent, seat, where, None, self._of(seat), history, burn)

    def _of(self, seat: Seat) -> Usage | None:
        agent, session_id = _key(seat)
        if not session_id:
            return None
        reported = self._authority.usage_of(agent, session_id)
        found = reported or self._usage.get((agent, session_id))
        if found is None or found.cost is not None:
            return found
        return replace(found, cost=self._prices.cost(agent, found, wait=False))

    def _usage_in(self, pane: int) -> Usage | None:
        return next((self._of(s) for s in self._roster.seats() if s.record.pane == pane), None)

    def _burn(self) -> float | None:
        if len(self._samples) < 2:
            return None
        (then, before), (now, after) = self._samples
        return max(0.0, after - before) / max(now - then, 0.001) * 3600

    def _minute(self) -> int:
        return int(self._session.world.clock.time() // 60)

    # -- following -------------------------------------------------------------------------------

    def _heard(self, name: str, _sequence: int, data: Mapping[str, Any], _frame: bytes) -> None:
        if name == "terminal.exited":
            self.endings.heard(data)
        elif name == "pane.agent_status_changed":
            if data["agent"]:
                # Usage may have been reported before the agent was recognised.
                self._note(self._roster.seats())
                self._scans.ask()
        elif (
            # What an agent has used in the midst of its work matters to those who look at it.
            name == "terminal.output_ready"
            and self._session.events.subscribers
            and self._session.agents.facts(int(data["pane_id"])).session is not None
        ):
            self._scans.ask()

    def _reported(self) -> None:
        self._note(self._roster.seats())
        self._news.ask()

    def _scan_soon(self) -> None:
        if self._scanning is not None:
            self._next = self._next or "live"
        elif any(seat.facts.session is not None for seat in self._roster.seats()):
            self._scan("live")

    def _tell(self) -> None:
        self._news.hold(TELL_GAP_S)
        self._session.events.publish("mission.changed", {})

    # -- scanning --------------------------------------------------------------------------------

    def _scan(self, reach: Reach) -> None:
        self._scanning = reach
        self._session.tasks.start(self._scanned(reach), "scan of usage")

    async def _scanned(self, reach: Reach) -> None:
        loop = asyncio.get_running_loop()
        began = loop.time()
        before = self._usage
        try:
            await self._read(reach)
        finally:
            # Also after one that failed: somebody waits for its end, or for the next one.
            self._scans.hold(gap_after(loop.time() - began))
            following, self._next, self._scanning = self._next, None, None
            if following == "everything":
                self._scan(following)
            elif following == "live":
                self._scans.ask()
            if reach == "everything" or self._usage != before:
                self._news.ask()

    async def _read(self, reach: Reach) -> None:
        loop = asyncio.get_running_loop()
        everything = reach == "everything"
        if everything or not self._located():
            self._stored = await self._stores.all()
        known = {(s.agent, s.session_id): s for s in self._stored}
        seats = tuple(seat for seat in self._roster.seats() if seat.facts.session is not None)
        live = {_key(seat): known.get(_key(seat)) or self._stored_of(seat) for seat in seats}
        wanted = {**known, **live} if everything else live
        todo = [s for key, s in wanted.items() if self._authority.usage_of(*key) is None]
        adapters, prices = dict(self._roster.adapters), self._prices
        found = await loop.run_in_executor(
            self._executor(), lambda: read_usage(adapters, todo, prices)
        )
        kept = {} if everything else {k: u for k, u in self._usage.items() if k in known}
        self._usage = {**kept, **found}
        total = sum(usage.cost or 0.0 for usage in self._usage.values())
        self._samples = [*self._samples, (loop.time(), total)][-2:]
        self._note(seats, looked=True)

    def _located(self) -> bool:
        # Where an agent keeps a session does not always follow from its folder: its store knows.
        seats = (seat for seat in self._roster.seats() if seat.facts.session is not None)
        known = {(s.agent, s.session_id) for s in self._stored}
        return all(_key(seat) in known or self._of(seat) is not None for seat in seats)

    def _stored_of(self, seat: Seat) -> StoredSession:
        return StoredSession(*_key(seat), self._session.cwd_of(seat.record), 0.0)

    def _note(self, seats: Iterable[Seat], *, looked: bool = False) -> None:
        minute, before = self._minute(), self._history
        self._history = {}
        for seat in seats:
            key, used = _key(seat), self._of(seat)
            # Only who has looked knows that nothing was used: a session that goes on may have
            # used a lot, which must not seem to have been used just now.
            if used is None and looked:
                used = Usage(cost=0.0)
            if key[1] and used is None and key in before:
                self._history[key] = before[key]
            elif key[1] and used is not None:
                sample = Sample(minute, used.tokens_in + used.tokens_out, used.cost)
                self._history[key] = usage_history.noted(before.get(key, ()), sample)


def _key(seat: Seat) -> Key:
    return seat.facts.agent, seat.facts.session or ""


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
