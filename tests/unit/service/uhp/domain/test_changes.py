"""The names and data of events, as clients know them."""

from __future__ import annotations

import pytest

from luvus_service.uhp.domain import changes as c

EVENTS: list[tuple[c.Change, str, dict[str, object]]] = [
    (c.WorkspaceCreated(0, "W"), "workspace.created", {"workspace": "0"}),
    (c.WorkspaceClosed(1, "W"), "workspace.closed", {"workspace": "1"}),
    (c.WorkspaceMetadataReported(1, "W"), "workspace.metadata_reported", {"workspace": "1"}),
    (c.WorkspaceMoved(0, 2), "workspace.moved", {"workspace": "0", "to": "2"}),
    (
        c.WorkspaceBlockMoved((2, 0), (1, 2)),
        "workspace.block_moved",
        {"workspaces": [2, 0], "positions": [1, 2]},
    ),
    (c.TabCreated("W", 1, "T"), "tab.created", {"tab": "1"}),
    (c.TabClosed("W", 1, "T"), "tab.closed", {"tab": "1"}),
    (
        c.TabMoved(0, 1, 2, 2),
        "tab.moved",
        {"workspace": "0", "from": "1", "to": "2", "active": "2"},
    ),
    (
        c.TabMoved(0, 1, 2, 2, swapped=True),
        "tab.moved",
        {"workspace": "0", "from": "1", "to": "2", "active": "2", "mode": "swap"},
    ),
    (c.PaneCreated(7, "0" * 32), "pane.created", {"pane": "7", "terminal_id": "0" * 32}),
    (c.PaneCreated(7, None), "pane.created", {"pane": "7"}),
    (c.PaneClosed(7), "pane.closed", {"pane": "7"}),
    (c.PaneFocused(7), "pane.focused", {"pane": "7"}),
    (c.PaneMoved(7, 0, 2), "pane.moved", {"pane": "7", "workspace": "0", "tab": "2"}),
    (c.PaneRenamed(7, None), "pane.renamed", {"pane": "7", "name": None}),
    (c.PaneResized(7, 3), "pane.resized", {"pane": "7", "cells": 3}),
    (c.PaneSwapped(7, 8), "pane.swapped", {"pane": "7", "with": "8"}),
    (c.PaneZoomed(7, enabled=True), "pane.zoomed", {"pane": "7", "enabled": True}),
    (c.LayoutApplied(0, 1), "layout.applied", {"workspace": "0", "tab": "1"}),
    (
        c.LayoutRatioChanged(0, 1, ("a", "b"), 0.25),
        "layout.ratio_changed",
        {"workspace": "0", "tab": "1", "path": ["a", "b"], "ratio": 0.25},
    ),
]


@pytest.mark.parametrize(("change", "event", "data"), EVENTS)
def test_a_change_is_an_event_with_data(
    change: c.Change, event: str, data: dict[str, object]
) -> None:
    assert (change.event, change.data()) == (event, data)


@pytest.mark.parametrize(
    "change",
    [
        c.WorkspaceRenamed(0, "W"),
        c.WorkspacePinned(0, "W"),
        c.WorkspaceFocused(0, "W"),
        c.TabRenamed("W", 1, "T"),
        c.TabFocused("W", 1, "T"),
        c.PaneUpdated(7),
    ],
)
def test_some_changes_have_no_event(change: c.Change) -> None:
    assert change.event is None
