"""Names every family of the protocol: as descriptions, and bound to a live session."""

from __future__ import annotations

from luvus_service.rpc.declare import family_spec
from luvus_service.rpc.registry import Catalogue, Registry
from luvus_service.rpc.tokens import Tokens
from luvus_service.uhp.engine.agents.agents import Agents
from luvus_service.uhp.engine.backend import Backend
from luvus_service.uhp.engine.config import ConfigKeeper
from luvus_service.uhp.engine.panes import Panes
from luvus_service.uhp.engine.recording import Recordings
from luvus_service.uhp.engine.session import Session
from luvus_service.uhp.engine.sizing import Sizes
from luvus_service.uhp.engine.tabs import Tabs
from luvus_service.uhp.engine.workspaces import Workspaces
from luvus_service.uhp.families.agent.methods import AgentMethods
from luvus_service.uhp.families.agent.pane_methods import PaneAgentMethods
from luvus_service.uhp.families.agent.server_methods import ServerAgentMethods
from luvus_service.uhp.families.attach.methods import AttachMethods
from luvus_service.uhp.families.config.methods import ConfigMethods
from luvus_service.uhp.families.events.methods import EventsMethods
from luvus_service.uhp.families.integration.methods import IntegrationMethods
from luvus_service.uhp.families.layout.methods import LayoutMethods
from luvus_service.uhp.families.mission.methods import MissionMethods
from luvus_service.uhp.families.pane.methods import PaneMethods
from luvus_service.uhp.families.ping.methods import PingMethods
from luvus_service.uhp.families.record.methods import RecordMethods
from luvus_service.uhp.families.server.methods import ServerMethods
from luvus_service.uhp.families.session.methods import SessionMethods
from luvus_service.uhp.families.tab.methods import TabMethods
from luvus_service.uhp.families.terminal.methods import TerminalMethods
from luvus_service.uhp.families.uhp.methods import UhpMethods
from luvus_service.uhp.families.view.methods import ViewMethods
from luvus_service.uhp.families.wait.methods import WaitMethods
from luvus_service.uhp.families.web.methods import WebMethods
from luvus_service.uhp.families.workspace.methods import WorkspaceMethods

FAMILIES = (
    UhpMethods,
    PingMethods,
    ConfigMethods,
    ServerMethods,
    SessionMethods,
    EventsMethods,
    WaitMethods,
    WorkspaceMethods,
    TabMethods,
    PaneMethods,
    LayoutMethods,
    AttachMethods,
    TerminalMethods,
    AgentMethods,
    PaneAgentMethods,
    ServerAgentMethods,
    MissionMethods,
    IntegrationMethods,
    RecordMethods,
    ViewMethods,
    WebMethods,
)

WITHOUT_WORKSPACE = frozenset(
    {
        "ping",
        "uhp.capabilities",
        "uhp.stats",
        "uhp.token.create",
        "uhp.token.list",
        "uhp.token.revoke",
        "session.snapshot",
        "events.subscribe",
        "events.wait",
        "wait.output",
        "server.agent_manifests",
        "server.reload_agent_manifests",
        "manifest.reload",
        "integration.status",
        "integration.install",
        "integration.uninstall",
        "config.get",
        "config.patch",
        "server.reload_config",
        "server.stop",
        "record.list",
        "view.size",
        "web.revoke",
        "web.sessions",
        "web.start",
        "web.status",
        "web.stop",
        "workspace.list",
        "node.list",
        "workspace.open",
        "node.open",
        "tab.new",
        "pane.split",
        *(spec.name for spec in family_spec(TerminalMethods).methods),
    }
)
"""Methods that work on an empty server; all others answer `no_session` there.

Those of terminals are among them: they never mean the focused pane, so a missing one is stale.
"""


def catalogue() -> Catalogue:
    """Return everything that can be described without a session."""
    return Catalogue(family_spec(cls) for cls in FAMILIES)


def bind(
    session: Session,
    tokens: Tokens,
    config: ConfigKeeper,
    recordings: Recordings,
    agents: Agents,
) -> tuple[Registry, Workspaces]:
    """Return the methods of a live session, and what opens its first workspace."""
    workspaces = Workspaces(session)
    described = catalogue()
    tabs = Tabs(session, workspaces)
    registry = Registry(
        (
            UhpMethods(session, tokens, lambda: described),
            PingMethods(session),
            ConfigMethods(config),
            ServerMethods(session, config),
            SessionMethods(session),
            EventsMethods(session),
            WaitMethods(session),
            WorkspaceMethods(session, workspaces),
            TabMethods(session, tabs),
            PaneMethods(session, Panes(session, workspaces)),
            AgentMethods(session, agents),
            PaneAgentMethods(session, agents),
            ServerAgentMethods(session, agents),
            MissionMethods(session, workspaces, agents, config),
            IntegrationMethods(agents),
            RecordMethods(recordings),
            LayoutMethods(session, tabs),
            AttachMethods(session),
            TerminalMethods(session, Backend(session, workspaces, agents.scans)),
            ViewMethods(session, Sizes(session)),
            WebMethods(session),
        )
    )
    return registry, workspaces
