"""Where the panes of a split tree lie: rectangles, edges, neighbours, dividers.

Whole numbers only, and children tile their parent exactly. Queries use a logical area, so that
answers do not depend on a viewer's size; real areas in cells serve to size terminals.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

from luvus_service.uhp.domain.errors import InvalidRequest, NoDivider, NotFound, shown
from luvus_service.uhp.domain.layout import (
    Axis,
    Leaf,
    Path,
    Split,
    Tree,
    graft,
    leaves,
    path_to,
    split_at,
)

MIN_CELLS = 4
"""What a child of a split keeps at least, while its parent has room for two of them."""
MAX_RESIZE_CELLS = 1000
LOGICAL_SIZE = 10_000


class Direction(StrEnum):
    """A way to look from a pane."""

    LEFT = "left"
    RIGHT = "right"
    UP = "up"
    DOWN = "down"

    @property
    def axis(self) -> Axis:
        """The axis of the dividers that one meets going this way."""
        return Axis.COLUMNS if self in (Direction.LEFT, Direction.RIGHT) else Axis.ROWS

    @property
    def forward(self) -> bool:
        """Whether coordinates grow this way."""
        return self in (Direction.RIGHT, Direction.DOWN)


@dataclass(frozen=True, slots=True)
class Rect:
    """A rectangle from its top left corner; may be empty in an area that is too small."""

    x: int
    y: int
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Area:
    """What a tree is laid out in: a size, and the cells left free at each divider."""

    cols: int
    rows: int
    col_gap: int = 0
    row_gap: int = 0

    def gap(self, axis: Axis) -> int:
        """Return the free cells at a divider of this axis."""
        return self.col_gap if axis is Axis.COLUMNS else self.row_gap


@dataclass(frozen=True, slots=True)
class Edges:
    """Which outer edges of the tab a pane touches."""

    left: bool
    right: bool
    top: bool
    bottom: bool


LOGICAL = Area(LOGICAL_SIZE, LOGICAL_SIZE)


def rectangles(tree: Tree, area: Area = LOGICAL) -> dict[int, Rect]:
    """Return every pane's rectangle, in tree order."""
    found: dict[int, Rect] = {}
    stack: list[tuple[Tree, Rect]] = [(tree, _whole(area))]
    while stack:
        node, rect = stack.pop()
        if isinstance(node, Leaf):
            found[node.pane] = rect
        else:
            first, second = _children(node, rect, area)
            stack.append((node.b, second))
            stack.append((node.a, first))
    return found


def terminal_sizes(tree: Tree, area: Area, zoomed: int | None = None) -> dict[int, tuple[int, int]]:
    """Return every pane's (cols, rows), at least 1 each; a zoomed pane has the whole area."""
    rects = rectangles(tree, area)
    if zoomed is not None:
        rects[zoomed] = _whole(area)
    return {pane: (max(r.width, 1), max(r.height, 1)) for pane, r in rects.items()}


def edges(tree: Tree, pane: int) -> Edges:
    """Tell which outer edges a pane touches.

    Raises:
        NotFound: The pane is not in this tree.
    """
    # By structure, not by coordinates: an empty rectangle beside an edge does not touch it.
    path = path_to(tree, pane)
    inner: set[tuple[Axis, str]] = set()
    for index, step in enumerate(path):
        inner.add((split_at(tree, path[:index]).axis, step))
    return Edges(
        left=(Axis.COLUMNS, "b") not in inner,
        right=(Axis.COLUMNS, "a") not in inner,
        top=(Axis.ROWS, "b") not in inner,
        bottom=(Axis.ROWS, "a") not in inner,
    )


def neighbor(tree: Tree, pane: int, direction: Direction) -> int | None:
    """Return the pane next to one in a direction, or None at the edge of the tab.

    Among those that touch it there, the one with the longest shared edge; of equals, the one
    whose centre is nearest to its own; of equals, the first in tree order.

    Raises:
        NotFound: The pane is not in this tree.
    """
    rects = rectangles(tree)
    if pane not in rects:
        raise NotFound(f"no such pane in this layout: {pane}")
    own = _Span.of(rects[pane], direction)
    best: tuple[int, int] | None = None
    chosen: int | None = None
    for other, rect in rects.items():
        span = _Span.of(rect, direction)
        shared = min(own.side_end, span.side_end) - max(own.side, span.side)
        if other == pane or span.near != own.far or shared <= 0:
            continue
        # Twice the centres, to stay in whole numbers.
        rank = (-shared, abs(own.side + own.side_end - span.side - span.side_end))
        if best is None or rank < best:
            best, chosen = rank, other
    return chosen


def resize(tree: Tree, pane: int, direction: Direction, cells: int, area: Area) -> Tree:
    """Move the nearest divider that lies in a direction of a pane, further in that direction.

    It stops where a child would have fewer than `MIN_CELLS`.

    Raises:
        NotFound: The pane is not in this tree.
        NoDivider: Nothing lies that way but the edge of the tab.
        InvalidRequest: `cells` is not 1 to `MAX_RESIZE_CELLS`.
    """
    if not 1 <= cells <= MAX_RESIZE_CELLS:
        raise InvalidRequest(f"cells must be 1 to {MAX_RESIZE_CELLS}, not {shown(cells)}")
    path = path_to(tree, pane)
    side = "a" if direction.forward else "b"
    for index in range(len(path) - 1, -1, -1):
        node = split_at(tree, path[:index])
        if node.axis is direction.axis and path[index] == side:
            step = cells if direction.forward else -cells
            return _move_divider(tree, path[:index], step, area)
    raise NoDivider(f"pane {pane} has no divider on the {_SIDE_NAMES[direction]}")


_SIDE_NAMES = {
    Direction.LEFT: "left",
    Direction.RIGHT: "right",
    Direction.UP: "upper side",
    Direction.DOWN: "lower side",
}


def clamped_ratio(tree: Tree, path: Path, ratio: float, area: Area) -> float:
    """Return the ratio nearest to one that leaves each child of a split `MIN_CELLS` in this area.

    Raises:
        NotFound: There is no split at the end of the path.
        LimitExceeded: The path is too long.
    """
    node = split_at(tree, path)
    _, length = _room(node, _rect_at(tree, path, area), area)
    lowest = min(MIN_CELLS / length, 0.5) if length > 0 else 0.5
    return min(max(ratio, lowest), 1 - lowest)


def auto_axis(tree: Tree, pane: int, area: Area) -> Axis:
    """Choose how to split a pane by its shape: side by side when it looks wide.

    Raises:
        NotFound: The pane is not in this tree.
    """
    rect = _rect_at(tree, path_to(tree, pane), area)
    # A cell is about twice as high as it is wide.
    return Axis.COLUMNS if rect.width >= 2 * rect.height else Axis.ROWS


@dataclass(frozen=True, slots=True)
class _Span:
    """A rectangle seen along a direction, as if that were to the right."""

    near: int
    far: int
    side: int
    side_end: int

    @staticmethod
    def of(rect: Rect, direction: Direction) -> _Span:
        if direction.axis is Axis.COLUMNS:
            start, length, side, side_length = rect.x, rect.width, rect.y, rect.height
        else:
            start, length, side, side_length = rect.y, rect.height, rect.x, rect.width
        near, far = start, start + length
        if not direction.forward:
            near, far = -far, -near
        return _Span(near, far, side, side + side_length)


def _whole(area: Area) -> Rect:
    return Rect(0, 0, max(area.cols, 0), max(area.rows, 0))


def _room(node: Split, rect: Rect, area: Area) -> tuple[int, int]:
    """Return the gap of a split and the length that its children share."""
    length = rect.width if node.axis is Axis.COLUMNS else rect.height
    gap = area.gap(node.axis)
    # In a tight place cells matter more than the look.
    if length - gap < 2 * MIN_CELLS:
        gap = 0
    return gap, length - gap


def _first_length(length: int, ratio: float) -> int:
    lowest = min(MIN_CELLS, length // 2)
    return min(max(math.floor(length * ratio + 0.5), lowest), length - lowest)


def _children(node: Split, rect: Rect, area: Area) -> tuple[Rect, Rect]:
    gap, length = _room(node, rect, area)
    first = _first_length(length, node.ratio)
    after = first + gap
    if node.axis is Axis.COLUMNS:
        return (
            Rect(rect.x, rect.y, first, rect.height),
            Rect(rect.x + after, rect.y, length - first, rect.height),
        )
    return (
        Rect(rect.x, rect.y, rect.width, first),
        Rect(rect.x, rect.y + after, rect.width, length - first),
    )


def _rect_at(tree: Tree, path: Path, area: Area) -> Rect:
    rect = _whole(area)
    for index, step in enumerate(path):
        rect = _children(split_at(tree, path[:index]), rect, area)[0 if step == "a" else 1]
    return rect


def _move_divider(tree: Tree, path: Path, step: int, area: Area) -> Tree:
    node = split_at(tree, path)
    _, length = _room(node, _rect_at(tree, path, area), area)
    lowest = min(MIN_CELLS, length // 2)
    first = _first_length(length, node.ratio)
    wanted = min(max(first + step, lowest), length - lowest)
    if wanted == first:
        return tree
    return graft(tree, path, Split(node.axis, wanted / length, node.a, node.b))


def nearest_in_sibling(tree: Tree, pane: int) -> int | None:
    """Return the pane that should have the focus when this one is taken out, or None if alone.

    Raises:
        NotFound: The pane is not in this tree.
    """
    path = path_to(tree, pane)
    if not path:
        return None
    parent = split_at(tree, path[:-1])
    sibling = leaves(parent.b if path[-1] == "a" else parent.a)
    if parent.axis is Axis.COLUMNS:
        direction = Direction.RIGHT if path[-1] == "a" else Direction.LEFT
    else:
        direction = Direction.DOWN if path[-1] == "a" else Direction.UP
    beside = neighbor(tree, pane, direction)
    return beside if beside in sibling else sibling[0]
