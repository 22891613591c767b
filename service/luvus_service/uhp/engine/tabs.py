"""Opening and closing tabs, with the shells that this starts and ends."""

from __future__ import annotations

import secrets

from luvus_service.uhp.domain import tabs as rules
from luvus_service.uhp.domain.selectors import select_tab, select_tab_anywhere
from luvus_service.uhp.domain.step import Step
from luvus_service.uhp.domain.structure import PaneRecord, Where
from luvus_service.uhp.domain.structure import Session as Structure
from luvus_service.uhp.engine.errors import refusals
from luvus_service.uhp.engine.session import Session
from luvus_service.uhp.engine.workspaces import Workspaces, opening


class Tabs:
    """What can be done to tabs."""

    def __init__(self, session: Session, workspaces: Workspaces) -> None:
        self._session = session
        self._workspaces = workspaces

    def select(
        self,
        tab: int | None,
        tab_id: str | None,
        *,
        required: bool = False,
        fields: tuple[str, str] = ("tab", "tab_id"),
    ) -> Where:
        """Return the tab of the active workspace that is meant; its active one by default.

        `fields` are the names under which the request gave position and id.

        Raises:
            RpcError: There is none such.
        """
        structure = self._session.structure
        with refusals():
            return select_tab(structure, tab, tab_id, required=required, fields=fields)

    def find(
        self,
        workspace: tuple[int | None, str | None],
        tab: tuple[int | None, str | None],
    ) -> Where:
        """Return the tab that is meant in any workspace.

        Raises:
            RpcError: There is none such.
        """
        with refusals():
            return select_tab_anywhere(
                self._session.structure,
                workspace=workspace[0],
                workspace_id=workspace[1],
                tab=tab[0],
                tab_id=tab[1],
            )

    def rearrangeable(
        self,
        workspace: tuple[int | None, str | None],
        tab: tuple[int | None, str | None],
        verb: str,
    ) -> Where:
        """Return the tab that is meant, unless it is a dashboard, which has no panes to lay out.

        Raises:
            RpcError: There is none such, or it is a dashboard.
        """
        where = self.find(workspace, tab)
        with refusals():
            rules.refuse_dashboard(where, verb)
        return where

    async def new(self) -> int:
        """Open a tab in the active workspace and return its position, counted from 1.

        On an empty server a workspace in the home folder is opened instead.
        """
        session = self._session
        structure = session.structure
        if not structure.workspaces:
            home = session.world.launcher.home
            await session.grow(opening(home, focus=True), cwd=home)
            return 1
        index = structure.active_index
        cwd = session.folder_beside(structure.panes[structure.workspaces[index].active.focus])
        workspace_id = structure.workspaces[index].workspace_id
        tab_id = "tab_" + secrets.token_hex(16)

        def operation(now: Structure, record: PaneRecord) -> Step:
            place = next(i for i, w in enumerate(now.workspaces) if w.workspace_id == workspace_id)
            return rules.new_tab(now, place, tab_id=tab_id, pane=record)

        outcome = await session.grow(operation, cwd=cwd)
        return outcome.tab or 1

    async def close(self, where: Where) -> None:
        """Close a tab with its panes."""
        outcome = self._session.commit(rules.close_tab, where)
        await self._workspaces.after(outcome)
