"""`integration.*`."""

from __future__ import annotations

from luvus_service.rpc.declare import Example, family, method
from luvus_service.rpc.models import NoParams
from luvus_service.rpc.scopes import Access, Scope
from luvus_service.uhp.engine.agents.agents import Agents
from luvus_service.uhp.engine.agents.errors import (
    ConfirmationRequired,
    IntegrationChangeFailed,
    UnsupportedAgent,
)
from luvus_service.uhp.families.integration.models import (
    Integration,
    IntegrationChange,
    IntegrationInstalled,
    IntegrationStatus,
    IntegrationUninstalled,
)

EXAMPLES = (
    Example(
        "integration.install",
        {"agent": "claude", "confirm": True},
        {"type": "integration_install", "agent": "claude", "installed": True, "revision": 7},
    ),
)
CHANGE = (ConfirmationRequired, IntegrationChangeFailed, UnsupportedAgent)


@family("integration", scope=Scope.ADMIN, title="Integrations", examples=EXAMPLES)
class IntegrationMethods:
    """Let agents tell of their sessions and events through their own hooks.

    Installing adds our entries to an agent's settings and nothing else; uninstalling takes only
    those away. Both can be done again without effect.
    """

    def __init__(self, agents: Agents) -> None:
        self._agents = agents

    @method("integration.status", access=Access.READ, scope=Scope.READ)
    async def status(self, params: NoParams) -> IntegrationStatus:
        """Say which agents can be integrated, and which are."""
        found = await self._agents.integration_status()
        return IntegrationStatus(
            integrations=[Integration(agent=agent, installed=there) for agent, there in found]
        )

    @method("integration.install", access=Access.WRITE, errors=CHANGE)
    async def install(self, params: IntegrationChange) -> IntegrationInstalled:
        """Install an agent's hooks."""
        there = await self._agents.integrate(params.agent, confirm=params.confirm, install=True)
        return IntegrationInstalled(agent=params.agent, installed=there)

    @method("integration.uninstall", access=Access.WRITE, errors=CHANGE)
    async def uninstall(self, params: IntegrationChange) -> IntegrationUninstalled:
        """Remove an agent's hooks."""
        there = await self._agents.integrate(params.agent, confirm=params.confirm, install=False)
        return IntegrationUninstalled(agent=params.agent, installed=there)
