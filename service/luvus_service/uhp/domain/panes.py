"""Operations on panes: each checks everything, then returns the next session.

A pane is given by an id; an id that is not live is not found. Ending terminals is the engine's.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, TypeAlias

from luvus_service.uhp.domain import geometry, layout
from luvus_service.uhp.domain.changes import (
    Change,
    LayoutApplied,
    LayoutRatioChanged,
    PaneClosed,
    PaneCreated,
    PaneMoved,
    PaneRenamed,
    PaneResized,
    PaneSwapped,
    PaneUpdated,
)
from luvus_service.uhp.domain.errors import InvalidRequest, NotFound, shown
from luvus_service.uhp.domain.geometry import Area, Direction
from luvus_service.uhp.domain.ids import is_alias
from luvus_service.uhp.domain.layout import Axis, Leaf, Path, Tree
from luvus_service.uhp.domain.step import Step
from luvus_service.uhp.domain.structure import PaneRecord, Session, Tab, Where, admit
from luvus_service.uhp.domain.tabs import add_tab, close_tab, drop_tab, refuse_dashboard

SplitDirection: TypeAlias = Literal["auto", "right", "down", "stack"]


def check_split(session: Session, base: int) -> Where:
    """Refuse early, before a shell is started, what `split_pane` would refuse.

    Raises:
        NotFound: No live pane has this id.
        InvalidRequest: It is a dashboard's.
        LimitExceeded: The tab is too deep there, or the session has too many panes.
    """
    where = session.locate(base)
    refuse_dashboard(where, "split")
    probe = session.next_pane
    admit(replace(session, next_pane=probe + 1), PaneRecord(probe))
    layout.split(where.tab.tree, base, Axis.COLUMNS, probe)
    return where


def split_pane(
    session: Session,
    base: int,
    pane: PaneRecord,
    *,
    direction: SplitDirection = "auto",
    area: Area,
    focus: bool = True,
) -> Step:
    """Put a new pane after one; with `focus` it is shown, otherwise nobody's view changes.

    Raises:
        NotFound: The base pane is not live.
        InvalidRequest: It is a dashboard's.
        LimitExceeded: The tab is too deep there, or the session has too many panes.
    """
    where = session.locate(base)
    refuse_dashboard(where, "split")
    admitted = admit(session, pane)
    axis = _split_axis(where.tab.tree, base, direction, area)
    tab = replace(where.tab, tree=layout.split(where.tab.tree, base, axis, pane.pane))
    after = admitted.with_tab(where, tab.focused_on(pane.pane) if focus else tab)
    if focus:
        after = after.showing(where.workspace_index, tab.tab_id)
    change = PaneCreated(pane.pane, pane.terminal_id)
    return Step(after, (change,), pane.pane, where.workspace.workspace_id, tab.tab_id)


def _split_axis(tree: Tree, pane: int, direction: SplitDirection, area: Area) -> Axis:
    if direction == "auto":
        return geometry.auto_axis(tree, pane, area)
    return Axis.COLUMNS if direction == "right" else Axis.ROWS


def focus_pane(session: Session, pane: int) -> Step:
    """Focus a pane wherever it is; its workspace and tab become active.

    Raises:
        NotFound: No live pane has this id.
    """
    where = session.locate(pane)
    return _about(_focused(session, where, pane), where, pane)


def focus_direction(session: Session, pane: int, direction: Direction) -> Step:
    """Focus the pane next to one; the step's pane is the new one.

    Raises:
        NotFound: The pane is not live, or nothing lies that way.
    """
    where = session.locate(pane)
    other = geometry.neighbor(where.tab.tree, pane, direction)
    if other is None:
        raise NotFound(f"there is no pane {direction} of pane {pane}")
    return _about(_focused(session, where, other), where, other)


def zoom_pane(session: Session, pane: int, enabled: bool | None = None) -> Step:
    """Let a pane fill its tab, or no longer; None toggles. The pane gets the focus either way.

    Raises:
        NotFound: No live pane has this id.
        InvalidRequest: It is a dashboard's.
    """
    where = session.locate(pane)
    refuse_dashboard(where, "zoomed")
    wanted = where.tab.zoomed != pane if enabled is None else enabled
    tab = replace(where.tab, focus=pane, zoomed=pane if wanted else None)
    after = session.with_tab(where, tab).showing(where.workspace_index, tab.tab_id)
    return _about(after, where, pane)


def swap_panes(session: Session, pane: int, other: int) -> Step:
    """Exchange the places of two panes of a tab.

    Raises:
        NotFound: One of them is not live.
        InvalidRequest: They are one and the same, or in different tabs.
    """
    where = session.locate(pane)
    if session.locate(other).tab.tab_id != where.tab.tab_id:
        raise InvalidRequest(f"panes {pane} and {other} are in different tabs")
    if pane == other:
        raise InvalidRequest(f"pane {pane} cannot be swapped with itself")
    tab = replace(where.tab, tree=layout.swap(where.tab.tree, pane, other))
    return _about(session.with_tab(where, tab), where, pane, PaneSwapped(pane, other))


def resize_pane(
    session: Session, pane: int, direction: Direction, cells: int, *, area: Area
) -> Step:
    """Move the nearest divider that lies in a direction by some cells.

    Raises:
        NotFound: The pane is not live, or no divider lies that way.
        InvalidRequest: `cells` is not 1 to 1000, or the pane is a dashboard's.
    """
    where = session.locate(pane)
    refuse_dashboard(where, "resized")
    tree = geometry.resize(where.tab.tree, pane, direction, cells, area)
    if tree == where.tab.tree:
        return _about(session, where, pane)
    after = session.with_tab(where, replace(where.tab, tree=tree))
    return _about(after, where, pane, PaneResized(pane, cells))


def move_to_tab(session: Session, pane: int, target: Where, *, area: Area) -> Step:
    """Take a pane to another tab of its workspace, beside that tab's focus; focus follows it.

    A tab that it leaves empty is removed; the process is not touched.

    Raises:
        NotFound: No live pane has this id.
        InvalidRequest: The tab is its own or in another workspace, or one of them is a dashboard.
        LimitExceeded: The tab is too deep there.
    """
    where = session.locate(pane)
    refuse_dashboard(where, "taken apart")
    refuse_dashboard(target, "a pane's new place")
    if where.workspace_index != target.workspace_index:
        raise InvalidRequest(f"pane {pane} can only move inside its own workspace")
    if where.tab_index == target.tab_index:
        raise InvalidRequest(f"pane {pane} is in tab {target.tab_index + 1} already")
    tree = target.tab.tree
    axis = geometry.auto_axis(tree, target.tab.focus, area)
    grown = replace(target.tab, tree=layout.split(tree, target.tab.focus, axis, pane))
    after = session.with_tab(target, grown.focused_on(pane))
    left, changes = _without(after, where, pane)
    return _moved(left, where, pane, grown.tab_id, changes)


def move_to_new_tab(session: Session, pane: int, *, tab_id: str) -> Step:
    """Take a pane to a new tab at the end of its workspace; focus follows it.

    Raises:
        NotFound: No live pane has this id.
        InvalidRequest: It is the only pane of its tab.
    """
    where = session.locate(pane)
    if isinstance(where.tab.tree, Leaf):
        raise InvalidRequest(f"pane {pane} is the only one of its tab already")
    left, changes = _without(session, where, pane)
    after, created = add_tab(left, where.workspace_index, Tab(tab_id, Leaf(pane), pane))
    return _moved(after, where, pane, tab_id, (*changes, created))


def rename_pane(session: Session, pane: int, name: str, *, told: bool = True) -> Step:
    """Give a pane an alias, taking it from the pane that has it; "" clears.

    Without `told` there are no events.

    Raises:
        NotFound: No live pane has this id.
        InvalidRequest: The alias is malformed.
    """
    where = session.locate(pane)
    if name and not is_alias(name):
        raise InvalidRequest(
            "a pane's name has 1 to 32 characters of a-z, 0-9, _ and -, "
            f"a letter first, not {shown(name)}"
        )
    wanted = name or None
    record = session.panes[pane]
    if record.name == wanted:
        return _about(session, where, pane)
    after = session
    changes: list[Change] = []
    owner = None if wanted is None else alias_owner(session, wanted)
    if owner is not None:
        after = after.with_pane(replace(session.panes[owner], name=None))
        changes.append(PaneRenamed(owner, None) if told else PaneUpdated(owner))
    changes.append(PaneRenamed(pane, wanted) if told else PaneUpdated(pane))
    return _about(after.with_pane(replace(record, name=wanted)), where, pane, *changes)


def alias_owner(session: Session, name: str) -> int | None:
    """Return the pane that has an alias, or None."""
    return next((pane for pane, record in session.panes.items() if record.name == name), None)


def update_pane(session: Session, record: PaneRecord) -> Step:
    """Replace what is known of a live pane, except its alias.

    Raises:
        NotFound: No live pane has this id.
    """
    where = session.locate(record.pane)
    known = session.panes[record.pane]
    wanted = replace(record, name=known.name)
    if wanted == known:
        return _about(session, where, record.pane)
    return _about(session.with_pane(wanted), where, record.pane, PaneUpdated(record.pane))


def close_pane(session: Session, pane: int) -> Step:
    """Close a pane; the last one of a tab takes the tab along, and so on.

    Raises:
        NotFound: No live pane has this id.
    """
    where = session.locate(pane)
    if isinstance(where.tab.tree, Leaf):
        return replace(close_tab(session, where), pane=pane)
    after, _ = _without(session.without_panes((pane,)), where, pane)
    return _about(after, where, pane, PaneClosed(pane))


def apply_layout(session: Session, where: Where, tree: Tree, focus: int | None = None) -> Step:
    """Rearrange a tab by a tree of exactly its panes; nothing is started or ended.

    Raises:
        InvalidRequest: The tab is a dashboard, the tree does not fit, or `focus` is elsewhere.
        LimitExceeded: The tree is too deep.
        NotFound: `focus` is not live.
    """
    refuse_dashboard(where, "rearranged")
    layout.validate_applied(tree, where.tab.panes)
    if focus is not None and session.locate(focus).tab.tab_id != where.tab.tab_id:
        raise InvalidRequest(f"focus: pane {focus} is not a pane of this tab")
    tab = replace(where.tab, tree=tree)
    after = session.with_tab(where, tab if focus is None else tab.focused_on(focus))
    change = LayoutApplied(where.workspace_index, where.tab_index + 1)
    return _about(after, where, None, change)


def set_split_ratio(
    session: Session, where: Where, path: Path, ratio: float, *, area: Area
) -> Step:
    """Set the ratio of one split, clamped so that its children keep their least size.

    Raises:
        InvalidRequest: The tab is a dashboard, or the ratio is not in 0 to 1.
        NotFound: There is no split at the end of the path.
        LimitExceeded: The path is too long.
    """
    refuse_dashboard(where, "rearranged")
    wanted = layout.check_ratio(ratio, "ratio")
    kept = geometry.clamped_ratio(where.tab.tree, path, wanted, area)
    tab = replace(where.tab, tree=layout.set_ratio(where.tab.tree, path, kept))
    change = LayoutRatioChanged(where.workspace_index, where.tab_index + 1, path, wanted)
    return _about(session.with_tab(where, tab), where, None, change)


def _focused(session: Session, where: Where, pane: int) -> Session:
    after = session.with_tab(where, where.tab.focused_on(pane))
    return after.showing(where.workspace_index, where.tab.tab_id)


def _without(session: Session, where: Where, pane: int) -> tuple[Session, tuple[Change, ...]]:
    """Take a pane's leaf out of its tab, and the tab when that leaves it empty."""
    tab = where.tab
    tree = layout.remove(tab.tree, pane)
    if tree is None:
        step = drop_tab(session, where)
        return step.session, step.changes
    heir = geometry.nearest_in_sibling(tab.tree, pane)
    left = replace(tab, tree=tree)
    if tab.focus == pane and heir is not None:
        left = left.focused_on(heir)
    return session.with_tab(where, left), ()


def _moved(
    session: Session, origin: Where, pane: int, tab_id: str, changes: tuple[Change, ...]
) -> Step:
    shown_session = session.showing(origin.workspace_index, tab_id)
    place = shown_session.locate(pane)
    moved = PaneMoved(pane, place.workspace_index, place.tab_index + 1)
    return _about(shown_session, place, pane, *changes, moved)


def _about(session: Session, where: Where, pane: int | None, *changes: Change) -> Step:
    return Step(session, changes, pane, where.workspace.workspace_id, where.tab.tab_id)
