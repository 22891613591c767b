"""`layout.*`: the split tree of a tab as a whole."""

from __future__ import annotations

from luvus_service.rpc.declare import family, method
from luvus_service.rpc.errors import InvalidRequest, LimitExceeded
from luvus_service.rpc.scopes import Access, Scope
from luvus_service.uhp.domain import panes as rules
from luvus_service.uhp.domain.layout_json import tree_from_json
from luvus_service.uhp.engine.errors import NotFound, refusals
from luvus_service.uhp.engine.session import Session
from luvus_service.uhp.engine.tabs import Tabs
from luvus_service.uhp.families.layout.events import EVENTS
from luvus_service.uhp.families.layout.examples import EXAMPLES
from luvus_service.uhp.families.layout.models import (
    Layout,
    LayoutApplied,
    LayoutApply,
    LayoutSetSplitRatio,
    LayoutSplitRatio,
    LayoutTarget,
)
from luvus_service.uhp.fields import shown_tree


@family("layout", scope=Scope.WORKSPACE, title="Layouts", events=EVENTS, examples=EXAMPLES)
class LayoutMethods:
    """Read and rearrange the layout of a tab: panes, and the splits between them.

    A layout is a binary tree. A leaf is a pane, a split has an axis (0: side by side, 1: one above
    the other), the ratio that its first part gets, and two parts. Rearranging starts, ends and
    restarts nothing. Dashboards have no layout.
    """

    def __init__(self, session: Session, tabs: Tabs) -> None:
        self._session = session
        self._tabs = tabs

    @method("layout.export", access=Access.READ, errors=(InvalidRequest, NotFound))
    async def export(self, params: LayoutTarget) -> Layout:
        """Return the layout of a tab, its focused pane and the pane that fills it."""
        where = self._tabs.rearrangeable(
            params.workspace_selector(), params.tab_selector(), "exported"
        )
        zoomed = where.tab.zoomed
        return Layout(
            workspace=str(where.workspace_index),
            tab=str(where.tab_index + 1),
            focus=str(where.tab.focus),
            zoomed=None if zoomed is None else str(zoomed),
            tree=shown_tree(where.tab.tree),
        )

    @method("layout.apply", access=Access.WRITE, errors=(InvalidRequest, LimitExceeded, NotFound))
    async def apply(self, params: LayoutApply) -> LayoutApplied:
        """Rearrange a tab by a tree that holds each of its panes exactly once.

        The tree has at most 64 splits above a pane. It is checked whole before anything changes.
        """
        where = self._tabs.rearrangeable(
            params.workspace_selector(), params.tab_selector(), "rearranged"
        )
        with refusals():
            tree = tree_from_json(params.tree)
        self._session.commit(rules.apply_layout, where, tree, params.focus)
        return LayoutApplied(workspace=str(where.workspace_index), tab=str(where.tab_index + 1))

    @method(
        "layout.set_split_ratio",
        access=Access.WRITE,
        errors=(InvalidRequest, LimitExceeded, NotFound),
    )
    async def set_split_ratio(self, params: LayoutSetSplitRatio) -> LayoutSplitRatio:
        """Set how much of a split its first part gets; panes keep their least size."""
        where = self._tabs.rearrangeable(
            params.workspace_selector(), params.tab_selector(), "rearranged"
        )
        path, area = tuple(params.path), self._session.area
        self._session.commit(rules.set_split_ratio, where, path, params.ratio, area=area)
        return LayoutSplitRatio(
            workspace=str(where.workspace_index),
            tab=str(where.tab_index + 1),
            ratio=params.ratio,
        )
