"""`tab.*`: the tabs of the active workspace."""

from __future__ import annotations

from luvus_service.rpc.declare import family, method
from luvus_service.rpc.errors import InvalidRequest, LimitExceeded
from luvus_service.rpc.models import Cli, NoParamsLenient, Spelling
from luvus_service.rpc.scopes import Access, Scope
from luvus_service.uhp.domain import tabs as rules
from luvus_service.uhp.engine.errors import NotFound, SpawnFailed
from luvus_service.uhp.engine.session import Session
from luvus_service.uhp.engine.tabs import Tabs
from luvus_service.uhp.families.tab import views
from luvus_service.uhp.families.tab.events import EVENTS
from luvus_service.uhp.families.tab.examples import EXAMPLES
from luvus_service.uhp.families.tab.models import (
    Done,
    TabDetail,
    TabGet,
    TabList,
    TabMove,
    TabMoved,
    TabOpened,
    TabRename,
    TabSwap,
    TabSwapped,
    TabTarget,
)

STEP = {"tab": Cli(option="--tab"), "to": Cli(hidden=True)}
"""How `tab move left` and `tab move right` are spelled."""


@family("tab", scope=Scope.WORKSPACE, title="Tabs", events=EVENTS, examples=EXAMPLES)
class TabMethods:
    """Open, find, name and close tabs.

    Positions are counted from 1 and change as tabs come, go and move; `tab_id` never changes.
    Except for `tab.get`, the methods act on the active workspace.
    """

    def __init__(self, session: Session, tabs: Tabs) -> None:
        self._session = session
        self._tabs = tabs

    @method("tab.list", access=Access.READ)
    async def list(self, params: NoParamsLenient) -> TabList:
        """List the tabs of the active workspace."""
        return TabList(tabs=views.rows(self._session.structure))

    @method("tab.get", access=Access.READ, errors=(NotFound,))
    async def get(self, params: TabGet) -> TabDetail:
        """Describe one tab of any workspace; the active one by default."""
        where = self._tabs.find(params.workspace_selector(), params.tab_selector())
        return views.detail(where)

    @method("tab.new", access=Access.WRITE, errors=(LimitExceeded, SpawnFailed))
    async def new(self, params: NoParamsLenient) -> TabOpened:
        """Open a tab with one shell at the end of the active workspace and focus it.

        The shell starts where the focused pane's program is. On an empty server a workspace in
        the home folder is opened instead.
        """
        return TabOpened(tab=str(await self._tabs.new()))

    @method("tab.focus", access=Access.WRITE, errors=(InvalidRequest, NotFound))
    async def focus(self, params: TabTarget) -> Done:
        """Show a tab of the active workspace."""
        where = self._tabs.select(*params.tab_selector(), required=True)
        self._session.commit(rules.focus_tab, where)
        return Done()

    @method(
        "tab.move",
        access=Access.WRITE,
        errors=(InvalidRequest, NotFound),
        spellings=(
            Spelling("tab move", marks={"direction": Cli(hidden=True)}),
            Spelling("tab move left", {"direction": "left"}, STEP),
            Spelling("tab move right", {"direction": "right"}, STEP),
        ),
    )
    async def move(self, params: TabMove) -> TabMoved:
        """Give a tab another position; the active tab stays active.

        With `direction` it is the active tab when none is named.
        """
        where = self._tabs.select(*params.tab_selector(), required=params.to is not None)
        if params.direction is not None:
            outcome = self._session.commit(rules.move_tab_towards, where, params.direction)
        else:
            outcome = self._session.commit(rules.move_tab, where, params.to or 0)
        return views.moved(self._session.structure, where, outcome)

    @method("tab.swap", access=Access.WRITE, errors=(InvalidRequest, NotFound))
    async def swap(self, params: TabSwap) -> TabSwapped:
        """Exchange the positions of two tabs; the active tab stays active."""
        where = self._tabs.select(*params.tab_selector(), required=True)
        fields = ("with", "with_id")
        other = self._tabs.select(params.with_, params.with_id, required=True, fields=fields)
        self._session.commit(rules.swap_tabs, where, other)
        return views.swapped(self._session.structure, where, other)

    @method("tab.rename", access=Access.WRITE, errors=(InvalidRequest, NotFound))
    async def rename(self, params: TabRename) -> Done:
        """Name a tab; an empty name clears it."""
        where = self._tabs.select(*params.tab_selector())
        self._session.commit(rules.rename_tab, where, params.name)
        return Done()

    @method("tab.close", access=Access.WRITE, errors=(InvalidRequest, NotFound, SpawnFailed))
    async def close(self, params: TabTarget) -> Done:
        """Close a tab and end the programs in it; the last tab takes the workspace along."""
        await self._tabs.close(self._tabs.select(*params.tab_selector()))
        return Done()
