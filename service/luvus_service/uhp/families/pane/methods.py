"""`pane.*`: the panes and what runs in them."""

from __future__ import annotations

from luvus_service.rpc.declare import family, method
from luvus_service.rpc.errors import InvalidRequest, LimitExceeded
from luvus_service.rpc.models import NoParams
from luvus_service.rpc.scopes import Access, Scope
from luvus_service.uhp.domain import panes as rules
from luvus_service.uhp.engine.errors import NotFound, SendFailed, SpawnFailed
from luvus_service.uhp.engine.panes import Panes
from luvus_service.uhp.engine.session import Session
from luvus_service.uhp.families.pane import views
from luvus_service.uhp.families.pane.events import EVENTS
from luvus_service.uhp.families.pane.examples import EXAMPLES
from luvus_service.uhp.families.pane.models import (
    Done,
    PaneDetail,
    PaneGet,
    PaneList,
    PaneListParams,
    PaneRead,
    PaneRename,
    PaneRenamed,
    PaneRun,
    PaneSendInput,
    PaneSplit,
    PaneSplitResult,
    PaneStatus,
    PaneTarget,
    PaneText,
)


@family("pane", scope=Scope.WORKSPACE, title="Panes", events=EVENTS, examples=EXAMPLES)
class PaneMethods:
    """Open, read, drive and close panes: terminals side by side in a tab.

    A pane that is left out is the focused pane of the active tab. On the command line, inside a
    pane, it is that pane.
    """

    def __init__(self, session: Session, panes: Panes) -> None:
        self._session = session
        self._panes = panes

    @method("pane.list", access=Access.READ)
    async def list(self, params: PaneListParams) -> PaneList:
        """List the panes of the active tab, with what their scrollback holds."""
        return await views.listing(self._session, all_tabs=params.all_tabs)

    @method("pane.get", access=Access.READ, errors=(NotFound,))
    async def get(self, params: PaneGet) -> PaneDetail:
        """Describe one pane."""
        return await views.detail(self._session, self._session.select_pane(params.pane))

    @method("pane.current", access=Access.READ, errors=(NotFound,))
    async def current(self, params: NoParams) -> PaneDetail:
        """Describe the focused pane."""
        return await views.detail(self._session, self._session.select_pane(None))

    @method("pane.status", access=Access.READ, errors=(NotFound,))
    async def status(self, params: PaneTarget) -> PaneStatus:
        """Say which agent is in a pane, how it is doing, and what its scrollback holds."""
        return await views.status(self._session, self._session.select_pane(params.pane))

    @method(
        "pane.split",
        access=Access.WRITE,
        errors=(InvalidRequest, LimitExceeded, NotFound, SpawnFailed),
    )
    async def split(self, params: PaneSplit) -> PaneSplitResult:
        """Split a pane and start a shell in the new half, where the pane's program is."""
        direction = "down" if params.down else params.direction
        outcome = await self._panes.split(params.pane, direction, focus=params.focus)
        return views.split_result(outcome)

    @method("pane.focus", access=Access.WRITE, errors=(NotFound,))
    async def focus(self, params: PaneTarget) -> Done:
        """Focus a pane; its workspace and tab become the active ones."""
        self._session.commit(rules.focus_pane, self._session.select_pane(params.pane))
        return Done()

    @method(
        "pane.rename", access=Access.WRITE, errors=(InvalidRequest, NotFound), command="pane name"
    )
    async def rename(self, params: PaneRename) -> PaneRenamed:
        """Give a pane an alias, taking it from the pane that has it."""
        pane = self._session.select_pane(params.pane)
        self._session.commit(rules.rename_pane, pane, params.name)
        return PaneRenamed(pane=str(pane), name=params.name or None)

    @method("pane.run", access=Access.WRITE, errors=(NotFound, SendFailed))
    async def run(self, params: PaneRun) -> Done:
        """Type a command line into a pane and press Enter."""
        self._panes.run(params.pane, params.command)
        return Done()

    @method(
        "pane.send_input", access=Access.WRITE, errors=(NotFound, SendFailed), command="pane send"
    )
    async def send_input(self, params: PaneSendInput) -> Done:
        """Type text into a pane without Enter, or paste it."""
        await self._panes.send(params.pane, params.text, paste=params.paste)
        return Done()

    @method("pane.read", access=Access.READ, errors=(NotFound,))
    async def read(self, params: PaneRead) -> PaneText:
        """Return the newest lines of a pane as text; sends nothing and moves no view."""
        return PaneText(text=await self._panes.read(params.pane, params.lines))

    @method("pane.close", access=Access.WRITE, errors=(NotFound, SpawnFailed))
    async def close(self, params: PaneTarget) -> Done:
        """Close a pane and end its program; the last one of a tab takes the tab along."""
        await self._panes.close(params.pane)
        return Done()
