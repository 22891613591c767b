"""Which size each terminal is to have: what the layout says, unless a viewer asked for its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from luvus_service.uhp.domain.geometry import Area, terminal_sizes
from luvus_service.uhp.domain.step import Step
from luvus_service.uhp.domain.structure import PaneRecord, Session
from luvus_service.uhp.engine.errors import refusals

AREA = Area(cols=120, rows=40, col_gap=1, row_gap=0)
"""The size of a tab nobody looks at."""
Size = tuple[int, int]
"""(cols, rows)"""


def sizes(structure: Session, area: Area, own: Mapping[int, Size]) -> dict[int, Size]:
    """Return the size of every pane, by pane id; `own` wins over the layout."""
    wanted: dict[int, Size] = {}
    for workspace in structure.workspaces:
        for tab in workspace.tabs:
            wanted |= terminal_sizes(tab.tree, area, tab.zoomed)
    return wanted | {pane: size for pane, size in own.items() if pane in wanted}


def size_under(
    operation: Callable[[Session, PaneRecord], Step],
    structure: Session,
    record: PaneRecord,
    area: Area,
) -> Size:
    """Return the size that a new pane would have after an operation, trying it without effect.

    Raises:
        RpcError: The operation is refused.
    """
    with refusals():
        after = operation(structure, record).session
    if record.pane not in after.panes:
        return area.cols, area.rows
    tab = after.locate(record.pane).tab
    return terminal_sizes(tab.tree, area, tab.zoomed)[record.pane]
