"""Names every family of the protocol: as descriptions, and bound to a live session."""

from __future__ import annotations

from luvus_service.rpc.declare import family_spec
from luvus_service.rpc.registry import Catalogue, Registry
from luvus_service.rpc.tokens import Tokens
from luvus_service.uhp.engine.config import ConfigKeeper
from luvus_service.uhp.engine.panes import Panes
from luvus_service.uhp.engine.recording import Recordings
from luvus_service.uhp.engine.session import Session
from luvus_service.uhp.engine.tabs import Tabs
from luvus_service.uhp.engine.workspaces import Workspaces
from luvus_service.uhp.families.config.methods import ConfigMethods
from luvus_service.uhp.families.events.methods import EventsMethods
from luvus_service.uhp.families.pane.methods import PaneMethods
from luvus_service.uhp.families.ping.methods import PingMethods
from luvus_service.uhp.families.record.methods import RecordMethods
from luvus_service.uhp.families.server.methods import ServerMethods
from luvus_service.uhp.families.session.methods import SessionMethods
from luvus_service.uhp.families.tab.methods import TabMethods
from luvus_service.uhp.families.terminal.methods import TerminalMethods
from luvus_service.uhp.families.uhp.methods import UhpMethods
from luvus_service.uhp.families.wait.methods import WaitMethods
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
    TerminalMethods,
    RecordMethods,
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
        "config.get",
        "config.patch",
        "server.reload_config",
        "server.stop",
        "record.list",
        "workspace.list",
        "node.list",
        "workspace.open",
        "node.open",
        "tab.new",
        "pane.split",
    }
)
"""Methods that work on an empty server; all others answer `no_session` there."""


def catalogue() -> Catalogue:
    """Return everything that can be described without a session."""
    return Catalogue(family_spec(cls) for cls in FAMILIES)


def bind(
    session: Session, tokens: Tokens, config: ConfigKeeper, recordings: Recordings
) -> tuple[Registry, Workspaces]:
    """Return the methods of a live session, and what opens its first workspace."""
    workspaces = Workspaces(session)
    described = catalogue()
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
            TabMethods(session, Tabs(session, workspaces)),
            PaneMethods(session, Panes(session, workspaces)),
            TerminalMethods(),
            RecordMethods(recordings),
        )
    )
    return registry, workspaces
