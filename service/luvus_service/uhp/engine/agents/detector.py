"""Keeps the status of every pane: reads when something happened, never to see whether it did.

A reading is taken after published output, a change of focus or size, a scan of processes, a
report, or when a candidate's time has come. A pane where nothing happens costs nothing.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from luvus_service.rpc.errors import Unavailable
from luvus_service.uhp.domain.agents import status
from luvus_service.uhp.domain.agents.identity import Identity, Known
from luvus_service.uhp.domain.agents.manifests import Catalog
from luvus_service.uhp.domain.agents.rules import ROWS, Inspected, Text, bottom, decide, hint
from luvus_service.uhp.engine.agent_facts import NO_FACTS, AgentFacts
from luvus_service.uhp.engine.agents.live import Evidence, Live
from luvus_service.uhp.engine.checkouts import branch_of
from luvus_service.uhp.engine.process_scans import ProcessScans
from luvus_service.uhp.engine.session import Session
from luvus_service.uhp.engine.terminal import Terminal

_log = logging.getLogger(__name__)

TICK_S = 0.1
"""Between two readings of one pane that output asks for."""
WHOLE_SCREEN = 200
"""Rows captured where blank ones are not counted."""
WAITS_PER_PANE = 64
WAITS = 1024

Watcher = Callable[[Live | None], None]
"""Called with the pane's live state after a change, with None when the pane is gone."""


class Detector:
    """The status of all panes."""

    def __init__(self, session: Session, scans: ProcessScans, catalog: Catalog) -> None:
        self._session = session
        self._scans = scans
        self._loop = asyncio.get_running_loop()
        self._live: dict[int, Live] = {}
        self._watchers: dict[int, list[Watcher]] = {}
        self._counters = session.counters.detection
        self.catalog = catalog
        self.bound_agents: frozenset[str] = frozenset()
        """Agents whose bound session keeps their name on a pane."""
        self.on_lease_end: Callable[[Live], None] = lambda _live: None
        self._stop_listening: Callable[[], None] = lambda: None
        scans.on_scanned = self._scanned

    def start(self) -> None:
        """Begin to follow the panes that are there and those that will come."""
        self._stop_listening = self._session.events.listen(self._heard)
        for record in self._session.structure.panes.values():
            self._add(record.pane)

    def close(self) -> None:
        """Follow nothing more and answer whoever waits."""
        self._stop_listening()
        self._scans.close()
        for pane in tuple(self._live):
            self._remove(pane)

    # -- asking ----------------------------------------------------------------------------------

    def live(self, pane: int) -> Live | None:
        """Return the live state of a pane with a terminal."""
        return self._live.get(pane)

    def all(self) -> tuple[Live, ...]:
        """Return the live states in the order of the panes' ids."""
        return tuple(self._live[pane] for pane in sorted(self._live))

    def facts(self, pane: int) -> AgentFacts:
        """Return what is known of a pane's agent."""
        live = self._live.get(pane)
        record = self._session.structure.panes.get(pane)
        if live is None or record is None:
            return NO_FACTS
        known = live.machine.published != "unknown"
        is_agent = self.is_agent(live)
        return AgentFacts(
            agent=live.identity.agent if is_agent else "",
            status=live.machine.published,
            authority=live.identity.source if is_agent else None,
            state_source=live.shown.source if known else None,
            session=record.agent_session,
            is_agent=is_agent,
            since_ms=live.since_ms,
        )

    def is_agent(self, live: Live) -> bool:
        """Tell whether a pane has an agent: known by name, bound to a session, or reported."""
        record = self._session.structure.panes.get(live.pane)
        bound = record is not None and record.agent_session is not None
        known = live.identity.agent in self.catalog.registry.agents
        return live.lease is not None or known or (bound and bool(live.identity.agent))

    def watch(self, pane: int, watcher: Watcher) -> Callable[[], None]:
        """Call back after each change of a pane's agent or status, and when it is gone.

        Raises:
            Unavailable: Too many wait already.
        """
        mine = self._watchers.setdefault(pane, [])
        if len(mine) >= WAITS_PER_PANE:
            raise Unavailable(f"{WAITS_PER_PANE} calls wait for pane {pane} already")
        if sum(map(len, self._watchers.values())) >= WAITS:
            raise Unavailable(f"{WAITS} calls wait for agents already")
        mine.append(watcher)

        def stop() -> None:
            if watcher in mine:
                mine.remove(watcher)
            if not mine and self._watchers.get(pane) is mine:
                del self._watchers[pane]

        return stop

    # -- telling ---------------------------------------------------------------------------------

    def use(self, catalog: Catalog) -> None:
        """Take other manifests and read every pane anew."""
        self.catalog = catalog
        self.reread()

    def reread(self, pane: int | None = None) -> None:
        """Read one pane, or all, as soon as possible, even if the screen is the same."""
        for live in self.all():
            if pane in (None, live.pane):
                live.glanced = None
                self._arm(live, self._loop.time())

    def read_now(self, live: Live, terminal: Terminal) -> Evidence | None:
        """Return a reading of the screen as it is; only while the emulator is free."""
        if live.lease is not None:
            return live.evidence
        # Kept, because the detector's own next look skips a screen that was read already.
        live.evidence = self._evidence(live, terminal)
        return live.evidence if self.is_agent(live) else None

    def apply(self, live: Live) -> None:
        """Take a pane's lease as its reading, without waiting."""
        self._read(live)

    # -- events ----------------------------------------------------------------------------------

    def _heard(self, name: str, _sequence: int, data: Mapping[str, Any], _frame: bytes) -> None:
        # Nothing is published from here: other listeners have not heard this event yet.
        if name == "terminal.output_ready":
            live = self._live.get(int(data["pane_id"]))
            if live is not None:
                self._output(live)
        elif name == "pane.created":
            self._add(int(data["pane"]))
        elif name == "pane.closed":
            self._remove(int(data["pane"]))
        elif name == "pane.focused":
            self._loop.call_soon(self._focused, int(data["pane"]))

    def _output(self, live: Live) -> None:
        now = self._loop.time()
        live.output_at = now
        # A program that starts or ends mostly writes something: scan again after the last output.
        self._scans.request()
        self._arm(live, max(now, live.read_at + TICK_S))

    def _add(self, pane: int) -> None:
        record = self._session.structure.panes.get(pane)
        if record is None or record.terminal_id is None or pane in self._live:
            return
        live = Live(pane, record.terminal_id)
        self._live[pane] = live
        self._scans.request()
        self._arm(live, self._loop.time())

    def _remove(self, pane: int) -> None:
        if pane in self._session.structure.panes and not self._session.stopping:
            return
        live = self._live.pop(pane, None)
        if live is None:
            return
        live.stop()
        for watcher in tuple(self._watchers.get(pane, ())):
            watcher(None)

    def _focused(self, pane: int) -> None:
        live = self._live.get(pane)
        if live is None or self._session.structure.focused != pane:
            return
        before = live.machine
        live.machine = status.seen(before, self._loop.time())
        if live.lease is not None and live.lease.state == "done":
            live.lease = replace(live.lease, state="idle")
        if live.machine.published != before.published:
            self._publish(live)
        self._arm(live, self._loop.time())

    def _scanned(self) -> None:
        now = self._loop.time()
        for live in self.all():
            facts = self._scans.known(live.terminal_id)
            if facts is None:
                # It came while the scan ran.
                self._scans.request()
            elif live.glanced is None or live.glanced[0] != facts.programs:
                self._arm(live, now)

    # -- reading ---------------------------------------------------------------------------------

    def _arm(self, live: Live, when: float) -> None:
        if live.timer is not None:
            if live.due <= when:
                return
            live.timer.cancel()
        live.due = when
        live.timer = self._loop.call_at(when, self._look, live)

    def _look(self, live: Live) -> None:
        live.timer = None
        live.due = float("inf")
        if self._live.get(live.pane) is live:
            self._read(live)

    def _read(self, live: Live) -> None:
        now = self._loop.time()
        live.read_at = now
        self._counters.panes_considered += 1
        self._drop_expired(live)
        terminal = self._session.terminals.get(live.terminal_id)
        if terminal is None:
            return
        if live.lease is not None:
            self._take_lease(live)
        elif self._scans.known(live.terminal_id) is None:
            # Before the first look at its processes any text could be taken for an agent.
            self._scans.request()
            return
        elif not terminal.idle:
            self._read_later(live, terminal)
            return
        else:
            live.evidence = self._evidence(live, terminal)
        self._advance(live, terminal, now)

    def _read_later(self, live: Live, terminal: Terminal) -> None:
        async def wait() -> None:
            try:
                await terminal.exclusive(lambda: self._look(live))
            finally:
                live.reading = False

        if not live.reading:
            live.reading = True
            self._session.tasks.start(wait(), f"reading of pane {live.pane}")

    def _drop_expired(self, live: Live) -> None:
        if live.lease is not None and not live.lease.live(self._loop.time()):
            self.on_lease_end(live)
            live.lease = None
            live.glanced = None

    def _take_lease(self, live: Live) -> None:
        lease = live.lease
        assert lease is not None
        identity = Identity(lease.agent, "integration_report")
        self._identified(live, identity)
        message = lease.message if lease.state == "blocked" else None
        live.evidence = Evidence(lease.state, "integration_report", hint=message)

    def _evidence(self, live: Live, terminal: Terminal) -> Evidence:
        facts = self._scans.known(live.terminal_id)
        record = self._session.structure.panes[live.pane]
        observed = facts is not None and facts.observed
        programs = facts.programs if facts is not None else ()
        key = (programs, observed, terminal.revision, terminal.bytes_read, record.agent)
        if live.glanced == key and live.evidence.source in ("manifest_rule", "none"):
            self._counters.panes_generation_skipped += 1
            return live.evidence
        self._counters.panes_extracted += 1
        title, screen = terminal.glance(WHOLE_SCREEN) or ("", "")
        known = Known(
            observed=observed,
            programs=programs,
            command=record.command or (),
            title=title,
            screen=bottom(screen),
            before=live.identity.agent,
        )
        self._identified(live, self._identity(known, record.agent))
        live.glanced = key
        return self._state(live, terminal, title, screen)

    def _identity(self, known: Known, bound: str | None) -> Identity:
        found = self.catalog.registry.identify(known)
        if found.agent not in self.catalog.registry.agents and bound in self.bound_agents:
            return Identity(bound or "", "prior_identity")
        return found

    def _state(self, live: Live, terminal: Terminal, title: str, screen: str) -> Evidence:
        agent = live.identity.agent
        command = self._session.structure.panes[live.pane].command
        if agent not in self.catalog.registry.agents and not self.is_agent(live):
            now = self._loop.time()
            busy = now - live.output_at < status.ACTIVITY_WINDOW_S
            typed = now - terminal.input_at < status.ACTIVITY_WINDOW_S
            # A shell that nobody has told anything yet only draws its prompt.
            told = command is not None or terminal.input_at > float("-inf")
            works = busy and told and not typed
            return Evidence("working" if works else "idle", "shell_activity")
        rows = self.catalog.rows.get(agent, ROWS)
        text = bottom(screen, rows=rows, filled=agent in self.catalog.filled)
        rule = decide(self.catalog.rules, agent, Inspected(Text(title), Text(text)))
        if rule is None:
            return Evidence("idle", "none")
        blocked = rule.state == "blocked"
        return Evidence(rule.state, "manifest_rule", rule, hint(text) if blocked else None)

    def _identified(self, live: Live, identity: Identity) -> None:
        if identity.agent != live.identity.agent:
            # What the shell did before says nothing of the agent, and the other way round.
            live.machine = replace(live.machine, raw="unknown", latched=False, candidate=None)
        live.identity = identity

    def _advance(self, live: Live, terminal: Terminal, now: float) -> None:
        before, agent = live.machine, self.facts(live.pane).agent
        size = (terminal.hosted.cols, terminal.hosted.rows)
        if live.size not in (None, size):
            live.machine = status.resized(live.machine, now)
        live.size = size
        told = status.Reading(live.evidence.state, reported=live.lease is not None)
        focused = self._session.structure.focused == live.pane
        live.machine = status.advance(live.machine, told, now, focused=focused)
        if not live.machine.pending:
            live.shown = live.evidence
        changed = live.machine.published != before.published
        if changed or agent != live.told_agent:
            self._publish(live)
        self._arm_next(live)

    def _arm_next(self, live: Live) -> None:
        times = [live.machine.due()]
        if live.evidence.source == "shell_activity" and live.evidence.state == "working":
            times.append(live.output_at + status.ACTIVITY_WINDOW_S)
        if live.lease is not None:
            times.append(live.lease.expires_at)
        due = min((time for time in times if time is not None), default=None)
        if due is not None:
            self._arm(live, max(due, self._loop.time() + 0.001))

    def _publish(self, live: Live) -> None:
        session = self._session
        record = session.structure.panes.get(live.pane)
        if record is None:
            return
        live.since_ms = int(session.world.clock.time() * 1000)
        facts = self.facts(live.pane)
        live.told_agent = facts.agent
        where = session.structure.locate(live.pane)
        session.events.publish(
            "pane.agent_status_changed",
            {
                "pane": str(live.pane),
                "status": facts.status,
                "agent": facts.agent,
                "cwd": session.cwd_of(record),
                "project": where.workspace.name,
                "branch": branch_of(session, where.workspace),
                "authority": facts.authority,
                "state_source": facts.state_source,
            },
        )
        for watcher in tuple(self._watchers.get(live.pane, ())):
            watcher(live)
