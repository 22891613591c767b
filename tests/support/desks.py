"""A topology with short ways to fill it, for tests of the rules."""

from __future__ import annotations

import json

from luvus_service.uhp.domain import panes, tabs, workspaces
from luvus_service.uhp.domain.geometry import Area
from luvus_service.uhp.domain.panes import SplitDirection
from luvus_service.uhp.domain.structure import PaneRecord, TabKind, Where
from luvus_service.uhp.domain.topology import Topology

AREA = Area(80, 24)


class Desk:
    """A topology whose ids are easy to foresee: workspaces W1, W2…, tabs T1, T2…, panes 1, 2…."""

    def __init__(self, *folders: str) -> None:
        self.topology = Topology()
        self._opened = 0
        self._tabs = 0
        for folder in folders:
            self.open(folder)

    def record(self) -> PaneRecord:
        """Return the record of a new terminal."""
        pane = self.topology.allocate_pane()
        return PaneRecord(pane, terminal_id=f"{pane:032x}", cwd="/")

    def next_workspace_id(self) -> str:
        """Return the id for the next workspace."""
        self._opened += 1
        return f"W{self._opened}"

    def next_tab_id(self) -> str:
        """Return the id for the next tab."""
        self._tabs += 1
        return f"T{self._tabs}"

    def open(self, folder: str, *, focus: bool = True) -> int:
        """Open a workspace and return its pane."""
        record = self.record()
        self.topology.do(
            workspaces.open_workspace,
            workspace_id=self.next_workspace_id(),
            tab_id=self.next_tab_id(),
            pane=record,
            cwd=folder,
            focus=focus,
        )
        return record.pane

    def tab(self, workspace: int = 0, *, kind: TabKind = "panes", focus: bool = True) -> int:
        """Open a tab and return its pane."""
        record = self.record()
        self.topology.do(
            tabs.new_tab,
            workspace,
            tab_id=self.next_tab_id(),
            pane=record,
            kind=kind,
            focus=focus,
        )
        return record.pane

    def split(self, base: int, direction: SplitDirection = "right", *, focus: bool = True) -> int:
        """Split a pane and return the new one."""
        record = self.record()
        self.topology.do(
            panes.split_pane, base, record, direction=direction, area=AREA, focus=focus
        )
        return record.pane

    def where(self, tab: int, workspace: int = 0) -> Where:
        """Return the place of a tab, both counted from 0."""
        return self.topology.session.tab_at(workspace, tab)

    def names(self) -> list[str]:
        """Return the workspaces' ids in order."""
        return [w.workspace_id for w in self.topology.session.workspaces]

    def tab_ids(self, workspace: int = 0) -> list[str]:
        """Return a workspace's tab ids in order."""
        return [tab.tab_id for tab in self.topology.session.workspaces[workspace].tabs]

    def bytes(self) -> bytes:
        """Return the whole state as bytes."""
        return json.dumps(self.topology.to_state()).encode()
