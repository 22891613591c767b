"""What an operation changed, as facts that the engine turns into events.

`event` is the name on the wire, None for a change that has no event there; `data` is its data.
Positions are those on the wire: workspaces from 0, tabs from 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from luvus_service.uhp.domain.layout import Path

Data: TypeAlias = dict[str, object]


@dataclass(frozen=True, slots=True)
class _OfWorkspace:
    workspace: int
    workspace_id: str

    def data(self) -> Data:
        """Return the event's data."""
        return {"workspace": str(self.workspace)}


@dataclass(frozen=True, slots=True)
class WorkspaceCreated(_OfWorkspace):
    """A workspace was opened."""

    event: ClassVar[str | None] = "workspace.created"


@dataclass(frozen=True, slots=True)
class WorkspaceClosed(_OfWorkspace):
    """A workspace is gone; `workspace` is where it was."""

    event: ClassVar[str | None] = "workspace.closed"


@dataclass(frozen=True, slots=True)
class WorkspaceMetadataReported(_OfWorkspace):
    """Branch, ahead or behind were told."""

    event: ClassVar[str | None] = "workspace.metadata_reported"


@dataclass(frozen=True, slots=True)
class WorkspaceRenamed(_OfWorkspace):
    """A workspace has another name."""

    event: ClassVar[str | None] = None


@dataclass(frozen=True, slots=True)
class WorkspacePinned(_OfWorkspace):
    """A workspace was pinned or unpinned."""

    event: ClassVar[str | None] = None


@dataclass(frozen=True, slots=True)
class WorkspaceFocused(_OfWorkspace):
    """Another workspace is the active one."""

    event: ClassVar[str | None] = None


@dataclass(frozen=True, slots=True)
class WorkspaceMoved:
    """One workspace has another position."""

    workspace: int
    to: int
    event: ClassVar[str | None] = "workspace.moved"

    def data(self) -> Data:
        """Return the event's data."""
        return {"workspace": str(self.workspace), "to": str(self.to)}


@dataclass(frozen=True, slots=True)
class WorkspaceBlockMoved:
    """Some workspaces now stand together, in the order given."""

    workspaces: tuple[int, ...]
    positions: tuple[int, ...]
    event: ClassVar[str | None] = "workspace.block_moved"

    def data(self) -> Data:
        """Return the event's data."""
        return {"workspaces": list(self.workspaces), "positions": list(self.positions)}


@dataclass(frozen=True, slots=True)
class _OfTab:
    workspace_id: str
    tab: int
    tab_id: str

    def data(self) -> Data:
        """Return the event's data."""
        return {"tab": str(self.tab)}


@dataclass(frozen=True, slots=True)
class TabCreated(_OfTab):
    """A tab was opened."""

    event: ClassVar[str | None] = "tab.created"


@dataclass(frozen=True, slots=True)
class TabClosed(_OfTab):
    """A tab is gone; `tab` is where it was."""

    event: ClassVar[str | None] = "tab.closed"


@dataclass(frozen=True, slots=True)
class TabRenamed(_OfTab):
    """A tab has another name."""

    event: ClassVar[str | None] = None


@dataclass(frozen=True, slots=True)
class TabFocused(_OfTab):
    """Another tab is the active one of the active workspace."""

    event: ClassVar[str | None] = None


@dataclass(frozen=True, slots=True)
class TabMoved:
    """A tab has another position, or two tabs have exchanged theirs."""

    workspace: int
    origin: int
    to: int
    active: int
    swapped: bool = False
    event: ClassVar[str | None] = "tab.moved"

    def data(self) -> Data:
        """Return the event's data."""
        data: Data = {
            "workspace": str(self.workspace),
            "from": str(self.origin),
            "to": str(self.to),
            "active": str(self.active),
        }
        return {**data, "mode": "swap"} if self.swapped else data


@dataclass(frozen=True, slots=True)
class _OfPane:
    pane: int

    def data(self) -> Data:
        """Return the event's data."""
        return {"pane": str(self.pane)}


@dataclass(frozen=True, slots=True)
class PaneClosed(_OfPane):
    """A pane is gone."""

    event: ClassVar[str | None] = "pane.closed"


@dataclass(frozen=True, slots=True)
class PaneFocused(_OfPane):
    """Another pane is the one in focus of the active tab."""

    event: ClassVar[str | None] = "pane.focused"


@dataclass(frozen=True, slots=True)
class PaneUpdated(_OfPane):
    """A pane's record changed in something that has an event elsewhere, or none."""

    event: ClassVar[str | None] = None


@dataclass(frozen=True, slots=True)
class PaneCreated:
    """A pane is there; module panes get their module's name from the engine."""

    pane: int
    terminal_id: str | None
    event: ClassVar[str | None] = "pane.created"

    def data(self) -> Data:
        """Return the event's data."""
        data: Data = {"pane": str(self.pane)}
        return data if self.terminal_id is None else {**data, "terminal_id": self.terminal_id}


@dataclass(frozen=True, slots=True)
class PaneMoved:
    """A pane went to another tab, its final place given."""

    pane: int
    workspace: int
    tab: int
    event: ClassVar[str | None] = "pane.moved"

    def data(self) -> Data:
        """Return the event's data."""
        return {"pane": str(self.pane), "workspace": str(self.workspace), "tab": str(self.tab)}


@dataclass(frozen=True, slots=True)
class PaneRenamed:
    """A pane's alias changed; None when it lost it."""

    pane: int
    name: str | None
    event: ClassVar[str | None] = "pane.renamed"

    def data(self) -> Data:
        """Return the event's data."""
        return {"pane": str(self.pane), "name": self.name}


@dataclass(frozen=True, slots=True)
class PaneResized:
    """A divider beside a pane was moved; `cells` as asked for."""

    pane: int
    cells: int
    event: ClassVar[str | None] = "pane.resized"

    def data(self) -> Data:
        """Return the event's data."""
        return {"pane": str(self.pane), "cells": self.cells}


@dataclass(frozen=True, slots=True)
class PaneSwapped:
    """Two panes of a tab exchanged their places."""

    pane: int
    other: int
    event: ClassVar[str | None] = "pane.swapped"

    def data(self) -> Data:
        """Return the event's data."""
        return {"pane": str(self.pane), "with": str(self.other)}


@dataclass(frozen=True, slots=True)
class PaneZoomed:
    """A pane fills its tab, or no longer does."""

    pane: int
    enabled: bool
    event: ClassVar[str | None] = "pane.zoomed"

    def data(self) -> Data:
        """Return the event's data."""
        return {"pane": str(self.pane), "enabled": self.enabled}


@dataclass(frozen=True, slots=True)
class LayoutApplied:
    """A tab's panes were rearranged by a whole tree."""

    workspace: int
    tab: int
    event: ClassVar[str | None] = "layout.applied"

    def data(self) -> Data:
        """Return the event's data."""
        return {"workspace": str(self.workspace), "tab": str(self.tab)}


@dataclass(frozen=True, slots=True)
class LayoutRatioChanged:
    """A split's ratio was set; as asked for, not as clamped."""

    workspace: int
    tab: int
    path: Path
    ratio: float
    event: ClassVar[str | None] = "layout.ratio_changed"

    def data(self) -> Data:
        """Return the event's data."""
        return {
            "workspace": str(self.workspace),
            "tab": str(self.tab),
            "path": list(self.path),
            "ratio": self.ratio,
        }


Change: TypeAlias = (
    WorkspaceCreated
    | WorkspaceClosed
    | WorkspaceMetadataReported
    | WorkspaceRenamed
    | WorkspacePinned
    | WorkspaceFocused
    | WorkspaceMoved
    | WorkspaceBlockMoved
    | TabCreated
    | TabClosed
    | TabRenamed
    | TabFocused
    | TabMoved
    | PaneClosed
    | PaneFocused
    | PaneUpdated
    | PaneCreated
    | PaneMoved
    | PaneRenamed
    | PaneResized
    | PaneSwapped
    | PaneZoomed
    | LayoutApplied
    | LayoutRatioChanged
)
