"""`pane.*`: the panes and what runs in them."""

from __future__ import annotations

from luvus_service.rpc.declare import family, method
from luvus_service.rpc.errors import InvalidRequest, LimitExceeded
from luvus_service.rpc.models import NoParams
from luvus_service.rpc.scopes import Access, Scope
from luvus_service.uhp.domain import geometry
from luvus_service.uhp.domain import panes as rules
from luvus_service.uhp.domain.geometry import Direction
from luvus_service.uhp.engine.errors import NotFound, SendFailed, SpawnFailed
from luvus_service.uhp.engine.panes import Panes
from luvus_service.uhp.engine.session import Session
from luvus_service.uhp.families.pane import views
from luvus_service.uhp.families.pane.arranging import (
    PaneDirection,
    PaneEdges,
    PaneFocused,
    PaneLayout,
    PaneMove,
    PaneMoved,
    PaneNeighbor,
    PaneResize,
    PaneResized,
    PaneSwap,
    PaneSwapped,
    PaneZoom,
    PaneZoomed,
)
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
        outcome = await self._panes.split(params.pane, params.wanted(), focus=params.focus)
        return views.split_result(outcome)

    @method("pane.layout", access=Access.READ, errors=(NotFound,))
    async def layout(self, params: PaneGet) -> PaneLayout:
        """Say where a pane is in its tab, and give the whole tree of the tab.

        Rectangles are those of a tab of 10,000 by 10,000, so they do not depend on who looks.
        """
        return views.layout(*self._panes.place(params.pane))

    @method("pane.neighbor", access=Access.READ, errors=(NotFound,))
    async def neighbor(self, params: PaneDirection) -> PaneNeighbor:
        """Say which pane is next to one in a direction; the focus stays where it is."""
        pane, where = self._panes.place(params.pane)
        found = geometry.neighbor(where.tab.tree, pane, Direction(params.direction))
        return PaneNeighbor(pane=str(pane), neighbor=None if found is None else str(found))

    @method("pane.edges", access=Access.READ, errors=(NotFound,))
    async def edges(self, params: PaneGet) -> PaneEdges:
        """Say which outer edges of its tab a pane touches."""
        return views.edges(*self._panes.place(params.pane))

    @method("pane.move", access=Access.WRITE, errors=(InvalidRequest, LimitExceeded, NotFound))
    async def move(self, params: PaneMove) -> PaneMoved:
        """Take a pane to another tab of its workspace, or to a new one; the focus follows.

        Its program notices nothing. A tab that it leaves empty is removed.
        """
        if params.new_tab:
            return views.moved(self._panes.move_to_new_tab(params.pane))
        return views.moved(self._panes.move_to_tab(params.pane, params.tab, params.tab_id))

    @method("pane.swap", access=Access.WRITE, errors=(InvalidRequest, NotFound))
    async def swap(self, params: PaneSwap) -> PaneSwapped:
        """Exchange the places of two panes of one tab."""
        pane = self._session.select_pane(params.pane)
        self._session.commit(rules.swap_panes, pane, params.with_)
        return PaneSwapped(pane=str(pane), with_=str(params.with_))

    @method("pane.focus_direction", access=Access.WRITE, errors=(NotFound,))
    async def focus_direction(self, params: PaneDirection) -> PaneFocused:
        """Focus the pane next to one in a direction."""
        pane = self._session.select_pane(params.pane)
        outcome = self._session.commit(rules.focus_direction, pane, Direction(params.direction))
        return PaneFocused(pane=str(outcome.pane))

    @method("pane.resize", access=Access.WRITE, errors=(InvalidRequest, NotFound))
    async def resize(self, params: PaneResize) -> PaneResized:
        """Move the divider on one side of a pane by some cells, further to that side.

        It stops where a pane would become too small.
        """
        pane = self._session.select_pane(params.pane)
        direction, area = Direction(params.direction), self._session.area
        self._session.commit(rules.resize_pane, pane, direction, params.cells, area=area)
        return PaneResized(pane=str(pane))

    @method("pane.zoom", access=Access.WRITE, errors=(InvalidRequest, NotFound))
    async def zoom(self, params: PaneZoom) -> PaneZoomed:
        """Let a pane fill its tab, or no longer; it gets the focus either way."""
        pane = self._session.select_pane(params.pane)
        self._session.commit(rules.zoom_pane, pane, params.enabled)
        enabled = self._session.structure.locate(pane).tab.zoomed == pane
        return PaneZoomed(pane=str(pane), enabled=enabled)

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
