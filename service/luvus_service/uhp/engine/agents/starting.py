"""Starting agents: new ones, forks of live ones, and sessions that go on."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from luvus_service.uhp.domain import panes as pane_rules
from luvus_service.uhp.domain.agents.prompts import launch_command, native_command
from luvus_service.uhp.domain.agents.states import State
from luvus_service.uhp.domain.agents.stores import AgentAdapter, StoredSession, check_session_id
from luvus_service.uhp.domain.panes import SplitDirection
from luvus_service.uhp.domain.step import Step
from luvus_service.uhp.domain.structure import PaneRecord
from luvus_service.uhp.domain.structure import Session as Structure
from luvus_service.uhp.engine.agents.driving import SETTLE_S
from luvus_service.uhp.engine.agents.errors import AgentPaneBusy, SessionUnknown, UnsupportedAgent
from luvus_service.uhp.engine.agents.histories import NEWEST, Histories
from luvus_service.uhp.engine.agents.readiness import Readiness
from luvus_service.uhp.engine.agents.roster import Roster
from luvus_service.uhp.engine.errors import NameInUse, NotFound, refusals
from luvus_service.uhp.engine.restoring import Restored
from luvus_service.uhp.engine.session import Session
from luvus_service.uhp.engine.workspaces import opening


@dataclass(frozen=True, slots=True)
class Place:
    """Where an agent is to start: in a pane, or beside one."""

    pane: int | None = None
    anchor: int | None = None
    direction: SplitDirection = "auto"


@dataclass(frozen=True, slots=True)
class Started:
    """An agent that was started."""

    pane: int
    ready: bool
    status: State | None


@dataclass(frozen=True, slots=True)
class Forked:
    """A fork and what it came from."""

    source: int
    pane: int
    agent: str


class Starting:
    """Starts agents."""

    def __init__(self, session: Session, roster: Roster, histories: Histories) -> None:
        self._session = session
        self._roster = roster
        self._histories = histories
        self._starting: set[int] = set()

    async def start(
        self,
        name: str,
        kind: str,
        args: Sequence[str],
        place: Place,
        timeout_s: float,
        gone: asyncio.Event,
    ) -> Started:
        """Start an agent in a shell and wait until it takes prompts, or asks something first.

        Raises:
            UnsupportedAgent: No manifest knows the kind.
            NameInUse: Another pane has the name.
            AgentPaneBusy: The pane has an agent already.
            RpcError: There is no such pane, no shell, or its input queue is full.
        """
        if kind not in self._roster.detector.catalog.registry.agents:
            raise UnsupportedAgent(f"{kind!r} is no known agent; see server.agent_manifests")
        with refusals():
            command = launch_command(kind, args)
        self._check_name(name, place.pane)
        if place.pane is not None:
            pane = self._free(place.pane)
            created = False
        else:
            pane = await self._split(place.anchor, place.direction, focus=False)
            created = True
        self._starting.add(pane)
        try:
            self._check_name(name, pane)
            await self._type(pane, command)
            self._session.commit(pane_rules.rename_pane, pane, name, told=False)
        except BaseException:
            self._starting.discard(pane)
            if created and pane in self._session.structure.panes:
                self._session.commit(pane_rules.close_pane, pane)
            raise
        try:
            return await self._ready(pane, kind, timeout_s, gone)
        finally:
            self._starting.discard(pane)

    async def fork(self, target: str, name: str | None, *, focus: bool) -> Forked:
        """Branch off an agent's session into a new pane beside it.

        Raises:
            UnsupportedAgent: The agent has no fork command.
            SessionUnknown: Its session is not known.
            RpcError: There is no such agent, or no shell.
        """
        source = self._roster.find(target)
        facts = self._roster.detector.facts(source)
        adapter = self._roster.resolve_kind(facts.agent)
        if adapter is None or not adapter.fork:
            raise UnsupportedAgent(f"{facts.agent or 'a shell'} has no command to fork a session")
        if name is not None:
            self._check_name(name, None)
        session_id = await self._session_id(source, adapter)
        pane = await self._split(source, "right", focus=focus)
        try:
            if name is not None:
                self._check_name(name, pane)
                self._session.commit(pane_rules.rename_pane, pane, name, told=False)
            await self._type(pane, native_command(adapter.fork, session_id))
        except BaseException:
            if pane in self._session.structure.panes:
                self._session.commit(pane_rules.close_pane, pane)
            raise
        where = self._session.structure.locate(pane)
        self._session.events.publish(
            "pane.forked",
            {
                "from": str(source),
                "to": str(pane),
                "agent": adapter.id,
                "workspace": str(where.workspace_index),
                "tab": str(where.tab_index + 1),
            },
        )
        return Forked(source, pane, adapter.id)

    async def sessions(self) -> list[StoredSession]:
        """Return the newest sessions on disk."""
        return (await self._histories.all())[:NEWEST]

    async def resume(self, session_id: str) -> int:
        """Open a workspace in a session's folder and type its resume command there.

        Raises:
            NotFound: No stored session has this id, or its agent cannot resume.
            SpawnFailed: The shell could not be started.
        """
        with refusals():
            check_session_id(session_id)
        found = await self._histories.find(session_id)
        adapter = None if found is None else self._roster.adapters.get(found.agent)
        if found is None or adapter is None or not adapter.resume:
            raise NotFound(f"no stored session has the id {session_id}; see agent.sessions")
        owner = self._roster.owner_of(found.agent, session_id)
        if owner is not None:
            self._session.commit(pane_rules.focus_pane, owner)
            return owner
        operation = opening(found.cwd, focus=True, reuse=False)
        outcome = await self._session.grow(operation, cwd=found.cwd)
        assert outcome.pane is not None
        owner = self._roster.owner_of(found.agent, session_id)
        if owner is not None:
            # Somebody else has resumed it while our shell started.
            self._session.commit(pane_rules.close_pane, outcome.pane)
            self._session.commit(pane_rules.focus_pane, owner)
            return owner
        self._roster.bind(outcome.pane, found.agent, session_id)
        await self._type(outcome.pane, native_command(adapter.resume, session_id))
        return outcome.pane

    async def go_on(self, restored: Restored) -> None:
        """Type the resume command of the session bound to a pane into this very pane.

        Of two panes with the same session only the first goes on with it.
        """
        record = self._session.structure.panes.get(restored.pane)
        if record is None or record.agent_session is None:
            return
        adapter = self._roster.adapters.get(record.agent or "")
        if adapter is None or not adapter.resume:
            return
        if self._roster.owner_of(adapter.id, record.agent_session) == record.pane:
            await self._type(record.pane, native_command(adapter.resume, record.agent_session))

    # -- inside ----------------------------------------------------------------------------------

    def _check_name(self, name: str, pane: int | None) -> None:
        owner = pane_rules.alias_owner(self._session.structure, name)
        if owner not in (None, pane):
            raise NameInUse(f"pane {owner} is named {name!r} already")

    def _free(self, pane: int) -> int:
        chosen, _ = self._session.terminal_of(pane)
        live = self._roster.live(chosen)
        if chosen in self._starting or self._roster.detector.is_agent(live):
            agent = live.identity.agent or "an agent"
            raise AgentPaneBusy(f"pane {chosen} has {agent} already; choose another pane")
        return chosen

    async def _split(self, anchor: int | None, direction: SplitDirection, *, focus: bool) -> int:
        session = self._session
        base = session.record_of(anchor)

        def operation(now: Structure, new: PaneRecord) -> Step:
            return pane_rules.split_pane(
                now, base.pane, new, direction=direction, area=session.area, focus=focus
            )

        outcome = await session.grow(operation, cwd=session.cwd_of(base))
        assert outcome.pane is not None
        return outcome.pane

    async def _type(self, pane: int, command: str) -> None:
        _, terminal = self._session.terminal_of(pane)
        await terminal.exclusive(lambda: terminal.submit(command, SETTLE_S))

    async def _ready(self, pane: int, kind: str, timeout_s: float, gone: asyncio.Event) -> Started:
        _, terminal = self._session.terminal_of(pane)
        readiness = Readiness(self._roster.detector, pane, terminal, kind)
        ready = await readiness.wait(timeout_s, gone)
        live = readiness.seen()
        status = None if live is None else live.machine.published
        # Its composer is on the screen already; the published state follows when that has held.
        return Started(pane, ready, "idle" if ready and status not in ("idle", "done") else status)

    async def _session_id(self, pane: int, adapter: AgentAdapter) -> str:
        record = self._session.structure.panes[pane]
        if record.agent == adapter.id and record.agent_session is not None:
            return record.agent_session
        if adapter.guesses:
            cwd = self._session.cwd_of(record)
            for stored in await self._histories.of(adapter.id):
                claimed = self._roster.owner_of(adapter.id, stored.session_id)
                if stored.cwd == cwd and claimed is None:
                    return stored.session_id
        raise SessionUnknown(
            f"the session of {adapter.id} in pane {pane} is not known; install its integration"
        )
