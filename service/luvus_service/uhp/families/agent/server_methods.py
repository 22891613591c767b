"""The `server.*` methods that are about agents."""

from __future__ import annotations

import asyncio

from luvus_service.rpc.declare import family, method
from luvus_service.rpc.models import NoParams
from luvus_service.rpc.scopes import Access, Scope
from luvus_service.uhp.engine.agents.agents import Agents
from luvus_service.uhp.engine.session import Session
from luvus_service.uhp.families.agent import results as r
from luvus_service.uhp.families.agent.events import SERVER_EVENTS


@family("server", scope=Scope.ADMIN, title="Server", events=SERVER_EVENTS)
class ServerAgentMethods:
    """The manifests by which agents are told."""

    def __init__(self, session: Session, agents: Agents) -> None:
        self._session = session
        self._agents = agents

    @method("server.agent_manifests", access=Access.READ)
    async def agent_manifests(self, params: NoParams) -> r.Manifests:
        """Name the agents that can be told, and count the rules."""
        rules = len(self._agents.detector.catalog.rules)
        return r.Manifests(rules=rules, agents=list(self._agents.known()))

    @method(
        "server.reload_agent_manifests",
        access=Access.WRITE,
        aliases=("manifest.reload",),
        command="server reload-manifests",
    )
    async def reload_agent_manifests(self, params: NoParams) -> r.ManifestsReloaded:
        """Read all manifests again, those of the user too, and look at every pane anew."""
        loop = asyncio.get_running_loop()
        executor = self._session.world.executor
        catalog = await loop.run_in_executor(executor, self._agents.world.manifests)
        return r.ManifestsReloaded(rules=self._agents.use_manifests(catalog))
