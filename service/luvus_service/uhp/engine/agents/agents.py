"""Puts the parts that know of agents together for one session."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from luvus_service.uhp.domain.agents.integrations import (
    IntegrationFailed,
    Integrations,
    NoIntegrations,
)
from luvus_service.uhp.domain.agents.manifests import Catalog, assemble
from luvus_service.uhp.domain.agents.stores import AgentAdapter, Prices, Usage
from luvus_service.uhp.engine.agents.authority import Authority
from luvus_service.uhp.engine.agents.detector import Detector
from luvus_service.uhp.engine.agents.driving import Driving
from luvus_service.uhp.engine.agents.errors import (
    ConfirmationRequired,
    IntegrationChangeFailed,
    UnsupportedAgent,
)
from luvus_service.uhp.engine.agents.histories import Histories
from luvus_service.uhp.engine.agents.mission import Missions
from luvus_service.uhp.engine.agents.roster import Roster
from luvus_service.uhp.engine.agents.starting import Starting
from luvus_service.uhp.engine.process_scans import ProcessScans
from luvus_service.uhp.engine.session import Session

T = TypeVar("T")


class NoPrices:
    """Knows no price."""

    def cost(self, agent: str, usage: Usage, *, wait: bool = True) -> float | None:
        """Return None."""
        return None


@dataclass(frozen=True, slots=True)
class AgentWorld:
    """What agents need of the outside, introduced by `main`."""

    manifests: Callable[[], Catalog] = lambda: assemble(())
    """Reads the manifests; blocking."""
    adapters: tuple[AgentAdapter, ...] = ()
    """In the order of their precedence."""
    prices: Prices = NoPrices()  # noqa: RUF009 - it has no state
    integrations: Integrations = NoIntegrations()  # noqa: RUF009 - it has no state


class Agents:
    """The agents of one session."""

    def __init__(self, session: Session, world: AgentWorld) -> None:
        adapters = {adapter.id: adapter for adapter in world.adapters}
        self.world = world
        self._session = session
        self._changing = asyncio.Lock()
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
        self.missions.start()

    def use_manifests(self, catalog: Catalog) -> int:
        """Take other manifests, read every pane anew and return the number of rules."""
        self.detector.use(catalog)
        rules = len(catalog.rules)
        self._session.events.publish("server.agent_manifests_reloaded", {"rules": rules})
        return rules

    async def integration_status(self) -> Sequence[tuple[str, bool]]:
        """Return each agent that can be integrated, and whether it is."""
        return await self._off_loop(self.world.integrations.status)

    async def integrate(self, agent: str, *, confirm: bool, install: bool) -> bool:
        """Install or remove an agent's hooks; return whether they are installed afterwards.

        Raises:
            UnsupportedAgent: The agent has no integration.
            ConfirmationRequired: It was not confirmed.
            IntegrationChangeFailed: Its files could not be changed.
        """
        integrations = self.world.integrations
        if agent not in dict(await self.integration_status()):
            raise UnsupportedAgent(f"{agent!r} has no integration; see integration.status")
        if not confirm:
            raise ConfirmationRequired(f"this changes files of {agent}; give `confirm` true")
        change = integrations.install if install else integrations.uninstall
        async with self._changing:
            try:
                await self._off_loop(lambda: change(agent))
            except IntegrationFailed as error:
                raise IntegrationChangeFailed(str(error)) from error
        return dict(await self.integration_status())[agent]

    async def _off_loop(self, job: Callable[[], T]) -> T:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._session.world.executor, job)

    def known(self) -> Sequence[str]:
        """Return the names of the agents that manifests know."""
        return tuple(self.detector.catalog.registry.agents)
