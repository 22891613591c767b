"""The family of terminals; its methods follow the events it owns."""

from __future__ import annotations

from luvus_service.rpc.declare import family
from luvus_service.rpc.scopes import Scope
from luvus_service.uhp.families.terminal.events import EVENTS


@family("terminal", scope=Scope.TERMINAL, title="Terminals", events=EVENTS)
class TerminalMethods:
    """What happens to terminals, apart from the panes that show them."""
