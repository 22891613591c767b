"""Puts the parts that know of agents together for one session."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from luvus_service.uhp.domain.agents.manifests import Catalog, assemble
from luvus_service.uhp.domain.agents.stores import AgentAdapter, Prices, Usage
from luvus_service.uhp.engine.agents.authority import Authority
from luvus_service.uhp.engine.agents.detector import Detector
from luvus_service.uhp.engine.agents.driving import Driving
from luvus_service.uhp.engine.agents.histories import Histories
from luvus_service.uhp.engine.agents.integrating import Integrations, NoIntegrations
from luvus_service.uhp.engine.agents.mission import Missions
from luvus_service.uhp.engine.agents.roster import Roster
from luvus_service.uhp.engine.agents.starting import Starting
from luvus_service.uhp.engine.process_scans import ProcessScans
from luvus_service.uhp.engine.session import Session


class NoPrices:
    """Knows no price."""

    def cost(self, agent: str, usage: Usage) -> float | None:
        """Return None."""
        return None


@dataclass(frozen=True, slots=True)
class AgentWorld:
    """What agents need of the outside, introduced by `main`."""

    manifests: Callable[[], Catalog] = lambda: assemble(())
    """Reads the manifests; blocking."""
    adapters: tuple[AgentAdapter, ...] = ()
    """In the order of their precedence."""
    prices: Callable[[], Prices] = NoPrices
    integrations: Integrations = NoIntegrations()  # noqa: RUF009 - it has no state


class Agents:
    """The agents of one session."""

    def __init__(self, session: Session, world: AgentWorld) -> None:
        adapters = {adapter.id: adapter for adapter in world.adapters}
        self.world = world
        self._session = session
        self.scans = ProcessScans(session)
        self.detector = Detector(session, self.scans, world.manifests())
        self.detector.bound_agents = frozenset(adapters)
        self.roster = Roster(session, self.detector, adapters)
        self.authority = Authority(session, self.roster)
        self.histories = Histories(adapters, lambda: session.world.executor)
        self.driving = Driving(session, self.roster)
        self.starting = Starting(session, self.roster, self.histories)
        self.missions = Missions(
            session,
            self.roster,
            self.authority,
            self.histories,
            world.prices,
            lambda: session.world.executor,
        )
        session.agents = self.detector
        session.closers.append(self.detector.close)

    def start(self) -> None:
        """Begin to follow the panes."""
        self.detector.start()

    def use_manifests(self, catalog: Catalog) -> int:
        """Take other manifests, read every pane anew and return the number of rules."""
        self.detector.use(catalog)
        rules = len(catalog.rules)
        self._session.events.publish("server.agent_manifests_reloaded", {"rules": rules})
        return rules

    def known(self) -> Sequence[str]:
        """Return the names of the agents that manifests know."""
        return tuple(self.detector.catalog.registry.agents)
