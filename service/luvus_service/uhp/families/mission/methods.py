"""`mission.*`."""

from __future__ import annotations

from luvus_service.rpc.declare import Example, family, method
from luvus_service.rpc.errors import LimitExceeded
from luvus_service.rpc.scopes import Access, Scope
from luvus_service.uhp.engine.agents.agents import Agents
from luvus_service.uhp.engine.config import ConfigKeeper
from luvus_service.uhp.engine.errors import NotFound
from luvus_service.uhp.engine.session import Session
from luvus_service.uhp.engine.workspaces import Workspaces
from luvus_service.uhp.families.mission import views
from luvus_service.uhp.families.mission.events import EVENTS
from luvus_service.uhp.families.mission.models import (
    MissionOpen,
    MissionOpened,
    MissionQuery,
    MissionRefreshed,
    MissionSnapshot,
)

EXAMPLES = (
    Example(
        "mission.refresh",
        {"scope": "all"},
        {
            "type": "mission_refresh",
            "scope": "all",
            "workspace": "0",
            "refreshing": True,
            "revision": 41,
        },
    ),
    Example("mission.open", {}, {"type": "ok", "mission": True, "revision": 44}),
)


@family("mission", scope=Scope.WORKSPACE, title="Mission Control", events=EVENTS, examples=EXAMPLES)
class MissionMethods:
    """See all agents with their tokens and cost, and the sessions that could go on.

    Usage is read when `mission.refresh` asks for it and after something happened to an agent, never
    by a timer; `mission.changed` says that figures are other ones. What is not known is null.
    """

    def __init__(
        self, session: Session, workspaces: Workspaces, agents: Agents, config: ConfigKeeper
    ) -> None:
        self._session = session
        self._workspaces = workspaces
        self._missions = agents.missions
        self._config = config

    @method("mission.snapshot", access=Access.READ, errors=(NotFound,))
    async def snapshot(self, params: MissionQuery) -> MissionSnapshot:
        """Return agents, resumable sessions, usage and cost as of the last scan."""
        index, _ = self._workspaces.select(params.workspace, params.workspace_id)
        everything = range(len(self._session.structure.workspaces))
        chosen = list(everything) if params.scope == "all" else [index]
        found = self._missions.snapshot(chosen)
        budget = self._config.current.mission_budget
        return views.snapshot(self._session, found, params.scope, index, budget=budget)

    @method("mission.refresh", access=Access.READ, errors=(NotFound,))
    async def refresh(self, params: MissionQuery) -> MissionRefreshed:
        """Begin one scan of usage; `mission.changed` says when it is over."""
        index, _ = self._workspaces.select(params.workspace, params.workspace_id)
        self._missions.refresh()
        return MissionRefreshed(scope=params.scope, workspace=str(index))

    @method("mission.open", access=Access.WRITE, errors=(NotFound, LimitExceeded))
    async def open(self, params: MissionOpen) -> MissionOpened:
        """Show Mission Control in a workspace; the one that is open is shown again."""
        index, _ = self._workspaces.select(params.workspace, params.workspace_id)
        self._missions.open(index)
        return MissionOpened()
