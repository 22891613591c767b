"""The agents as methods see them: found by target, listed, explained, bound to their sessions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from luvus_service.uhp.domain import panes as pane_rules
from luvus_service.uhp.domain.agents.stores import AgentAdapter
from luvus_service.uhp.domain.agents.targets import Candidate, resolve
from luvus_service.uhp.domain.structure import PaneRecord, Where
from luvus_service.uhp.engine.agent_facts import AgentFacts
from luvus_service.uhp.engine.agents.detector import Detector
from luvus_service.uhp.engine.agents.errors import AgentNotReady, Conflict, agent_refusals
from luvus_service.uhp.engine.agents.live import Live
from luvus_service.uhp.engine.errors import NotFound
from luvus_service.uhp.engine.session import Session
from luvus_service.uhp.engine.terminal import Terminal


@dataclass(frozen=True, slots=True)
class Seat:
    """A pane with an agent, and where it is."""

    record: PaneRecord
    where: Where
    facts: AgentFacts
    live: Live


class Roster:
    """Who is there."""

    def __init__(
        self, session: Session, detector: Detector, adapters: Mapping[str, AgentAdapter]
    ) -> None:
        self._session = session
        self.detector = detector
        self.adapters = adapters
        self._alias = {alias: a.id for a in adapters.values() for alias in (a.id, *a.aliases)}

    def seats(self) -> Iterator[Seat]:
        """Yield the panes with an agent, in the order of workspaces, tabs and trees."""
        structure = self._session.structure
        for index, workspace in enumerate(structure.workspaces):
            for position, tab in enumerate(workspace.tabs):
                for pane in tab.panes:
                    live = self.detector.live(pane)
                    if live is not None and self.detector.is_agent(live):
                        where = structure.tab_at(index, position)
                        facts = self.detector.facts(pane)
                        yield Seat(structure.panes[pane], where, facts, live)

    def find(self, target: str, *, kinds: bool = True) -> int:
        """Return the live pane that a target means.

        Raises:
            NotFound: Nothing live answers to it.
            AmbiguousTarget: Several agents are of this kind.
        """
        panes = self._session.structure.panes
        aliases = {r.name: r.pane for r in panes.values() if r.name is not None}
        candidates = [
            Candidate(seat.record.pane, seat.facts.agent, self._session.cwd_of(seat.record))
            for seat in self.seats()
        ]
        with agent_refusals():
            return resolve(target, aliases, frozenset(panes), candidates, kinds=kinds)

    def live(self, pane: int) -> Live:
        """Return the live state of a pane.

        Raises:
            NotFound: The pane has no terminal.
        """
        live = self.detector.live(pane)
        if live is None:
            raise NotFound(f"pane {pane} has no terminal")
        return live

    def agent(self, target: str) -> tuple[Live, Terminal]:
        """Return the agent that a target means, and its terminal.

        Raises:
            NotFound: Nothing live answers to it.
            AmbiguousTarget: Several agents are of this kind.
            AgentNotReady: The pane has no agent.
        """
        pane, terminal = self._session.terminal_of(self.find(target))
        live = self.live(pane)
        if not self.detector.is_agent(live):
            raise AgentNotReady(f"pane {pane} has no agent; nothing was sent")
        return live, terminal

    def resolve_kind(self, name: str) -> AgentAdapter | None:
        """Return the adapter of an agent by its name or alias."""
        return self.adapters.get(self._alias.get(name.lower(), ""))

    def bind(self, pane: int, agent: str, session_id: str) -> None:
        """Bind an agent's session to a pane and read the pane anew; the same again is no change.

        Raises:
            Conflict: Another pane has the session.
        """
        self.check_owner(pane, agent, session_id)
        record = self._session.structure.panes[pane]
        wanted = replace(record, agent=agent, agent_session=session_id)
        if wanted != record:
            self._session.commit(pane_rules.update_pane, wanted)
        self.detector.reread(pane)

    def check_owner(self, pane: int, agent: str, session_id: str) -> None:
        """Refuse a session that belongs to another pane.

        Raises:
            Conflict: Another pane has the session.
        """
        owner = self.owner_of(agent, session_id)
        if owner not in (None, pane):
            raise Conflict(f"pane {owner} has the session {session_id} of {agent}")

    def owner_of(self, agent: str, session_id: str) -> int | None:
        """Return the pane to which a session is bound."""
        for record in self._session.structure.panes.values():
            if (record.agent, record.agent_session) == (agent, session_id):
                return record.pane
        return None
