"""Where panes lie: tiling, edges, neighbours, dividers, sizes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from luvus_service.uhp.domain.errors import InvalidRequest, NoDivider, NotFound
from luvus_service.uhp.domain.geometry import (
    LOGICAL,
    MIN_CELLS,
    Area,
    Direction,
    Edges,
    Rect,
    auto_axis,
    clamped_ratio,
    edges,
    nearest_in_sibling,
    neighbor,
    rectangles,
    resize,
    terminal_sizes,
)
from luvus_service.uhp.domain.layout import Axis, Leaf, Split, Tree, leaves, path_to, split_at
from tests.support.layout_trees import AREAS, trees

COLUMNS, ROWS = Axis.COLUMNS, Axis.ROWS
LEFT, RIGHT, UP, DOWN = Direction.LEFT, Direction.RIGHT, Direction.UP, Direction.DOWN
# 1 | 2
#   | 3
TREE = Split(COLUMNS, 0.5, Leaf(1), Split(ROWS, 0.25, Leaf(2), Leaf(3)))


def test_the_logical_area_is_ten_thousand_wide_and_high() -> None:
    assert rectangles(TREE) == {
        1: Rect(0, 0, 5000, 10_000),
        2: Rect(5000, 0, 5000, 2500),
        3: Rect(5000, 2500, 5000, 7500),
    }


def test_a_gap_lies_between_the_cells_of_two_children() -> None:
    assert rectangles(TREE, Area(81, 24, col_gap=1, row_gap=2)) == {
        1: Rect(0, 0, 40, 24),
        2: Rect(41, 0, 40, 6),
        3: Rect(41, 8, 40, 16),
    }


@pytest.mark.parametrize("ratio", [0, 0.001, 0.999, 1])
def test_a_child_keeps_four_cells(ratio: float) -> None:
    rects = rectangles(Split(COLUMNS, ratio, Leaf(1), Leaf(2)), Area(80, 24))

    assert min(rects[1].width, rects[2].width) == MIN_CELLS


def test_a_gap_gives_way_before_the_cells_do() -> None:
    tree = Split(COLUMNS, 0.5, Leaf(1), Leaf(2))

    assert rectangles(tree, Area(8, 24, col_gap=1))[2] == Rect(4, 0, 4, 24)
    assert rectangles(tree, Area(9, 24, col_gap=1))[2] == Rect(5, 0, 4, 24)


def test_a_terminal_has_at_least_one_cell_and_a_zoomed_one_the_whole_area() -> None:
    assert terminal_sizes(TREE, Area(1, 1)) == {1: (1, 1), 2: (1, 1), 3: (1, 1)}
    assert terminal_sizes(TREE, Area(80, 24), zoomed=2) == {
        1: (40, 24),
        2: (80, 24),
        3: (40, 18),
    }


@given(trees(), AREAS | st.just(LOGICAL))
def test_children_tile_their_parent_exactly(tree: Tree, area: Area) -> None:
    rects = rectangles(tree, area)

    assert tuple(rects) == leaves(tree)
    assert tiled(tree, rects, area) == Rect(0, 0, area.cols, area.rows)


def tiled(tree: Tree, rects: dict[int, Rect], area: Area) -> Rect:
    """Return the rectangle that a tree fills, or fail where children do not fit together."""
    if isinstance(tree, Leaf):
        return rects[tree.pane]
    a, b = tiled(tree.a, rects, area), tiled(tree.b, rects, area)
    if tree.axis is COLUMNS:
        assert (a.y, a.height) == (b.y, b.height)
        total = b.x + b.width - a.x
        gap = area.col_gap if total - area.col_gap >= 2 * MIN_CELLS else 0
        assert b.x == a.x + a.width + gap
        assert min(a.width, b.width) >= min(MIN_CELLS, (total - gap) // 2)
        return Rect(a.x, a.y, total, a.height)
    assert (a.x, a.width) == (b.x, b.width)
    total = b.y + b.height - a.y
    gap = area.row_gap if total - area.row_gap >= 2 * MIN_CELLS else 0
    assert b.y == a.y + a.height + gap
    assert min(a.height, b.height) >= min(MIN_CELLS, (total - gap) // 2)
    return Rect(a.x, a.y, a.width, total)


@pytest.mark.parametrize(
    ("pane", "touched"),
    [
        (1, Edges(left=True, right=False, top=True, bottom=True)),
        (2, Edges(left=False, right=True, top=True, bottom=False)),
        (3, Edges(left=False, right=True, top=False, bottom=True)),
    ],
)
def test_edges_are_those_of_the_tab(pane: int, touched: Edges) -> None:
    assert edges(TREE, pane) == touched


def test_a_lone_pane_touches_every_edge() -> None:
    assert edges(Leaf(1), 1) == Edges(left=True, right=True, top=True, bottom=True)
    with pytest.raises(NotFound):
        edges(Leaf(1), 2)


@pytest.mark.parametrize(
    ("pane", "direction", "found"),
    [
        (1, LEFT, None),
        (1, UP, None),
        (1, DOWN, None),
        (1, RIGHT, 3),
        (2, LEFT, 1),
        (2, DOWN, 3),
        (2, UP, None),
        (3, LEFT, 1),
        (3, UP, 2),
        (3, RIGHT, None),
    ],
)
def test_the_neighbor_has_the_longest_shared_edge(
    pane: int, direction: Direction, found: int | None
) -> None:
    assert neighbor(TREE, pane, direction) == found


def test_of_equal_edges_the_nearest_centre_wins_and_then_the_order() -> None:
    thirds = Split(ROWS, 0.34, Leaf(2), Split(ROWS, 0.5, Leaf(3), Leaf(4)))
    # 3 and 4 share 3300 each with pane 1, pane 2 3400; beside pane 5 all of 3 and 4 are equal.
    halves = Split(COLUMNS, 0.5, Leaf(1), Split(ROWS, 0.5, Leaf(2), Leaf(3)))
    nested = Split(COLUMNS, 0.5, Leaf(5), Split(ROWS, 1 / 3, Leaf(6), thirds))

    assert neighbor(halves, 1, RIGHT) == 2
    assert neighbor(Split(COLUMNS, 0.5, Leaf(1), thirds), 1, RIGHT) == 2
    assert neighbor(nested, 5, RIGHT) == 6

    quarters = Split(
        ROWS,
        0.25,
        Leaf(7),
        Split(ROWS, 1 / 3, Leaf(8), Split(ROWS, 0.5, Leaf(9), Leaf(10))),
    )
    assert neighbor(Split(COLUMNS, 0.5, Leaf(1), quarters), 1, RIGHT) == 8


def test_a_neighbor_of_a_foreign_pane_is_not_found() -> None:
    with pytest.raises(NotFound):
        neighbor(TREE, 9, LEFT)


@given(trees(), st.sampled_from(list(Direction)), st.data())
def test_a_neighbor_exists_exactly_inside_the_edges(
    tree: Tree, direction: Direction, data: st.DataObject
) -> None:
    pane = data.draw(st.sampled_from(leaves(tree)))
    rect = rectangles(tree)[pane]
    touched = edges(tree, pane)
    at_edge = {
        LEFT: touched.left,
        RIGHT: touched.right,
        UP: touched.top,
        DOWN: touched.bottom,
    }[direction]

    found = neighbor(tree, pane, direction)

    assert found != pane
    if at_edge:
        assert found is None or min(rect.width, rect.height) == 0
    elif min(rect.width, rect.height) > 0:
        assert found in leaves(tree)


def test_resize_moves_the_divider_that_lies_that_way() -> None:
    area = Area(80, 24)

    assert rectangles(resize(TREE, 1, RIGHT, 10, area), area)[1].width == 50
    assert rectangles(resize(TREE, 3, LEFT, 10, area), area)[1].width == 30
    assert rectangles(resize(TREE, 2, DOWN, 3, area), area)[2].height == 9
    assert rectangles(resize(TREE, 3, UP, 1, area), area)[3].height == 19


def test_resize_takes_the_nearest_divider() -> None:
    tree = Split(COLUMNS, 0.5, Split(COLUMNS, 0.5, Leaf(1), Leaf(2)), Leaf(3))
    area = Area(80, 24)

    assert rectangles(resize(tree, 1, RIGHT, 5, area), area)[1].width == 25
    assert rectangles(resize(tree, 2, RIGHT, 6, area), area)[3].width == 34


def test_resize_stops_at_four_cells() -> None:
    area = Area(80, 24)
    pushed = resize(TREE, 1, RIGHT, 1000, area)

    assert rectangles(pushed, area)[2].width == MIN_CELLS
    assert resize(pushed, 1, RIGHT, 1, area) is pushed


@pytest.mark.parametrize(
    ("pane", "direction"), [(1, LEFT), (1, UP), (1, DOWN), (2, UP), (2, RIGHT), (3, DOWN)]
)
def test_resize_towards_the_edge_finds_no_divider(pane: int, direction: Direction) -> None:
    with pytest.raises(NoDivider):
        resize(TREE, pane, direction, 1, Area(80, 24))


@pytest.mark.parametrize("cells", [0, -1, 1001])
def test_resize_by_a_count_out_of_range_is_invalid(cells: int) -> None:
    with pytest.raises(InvalidRequest, match="1 to 1000"):
        resize(TREE, 1, RIGHT, cells, Area(80, 24))


@given(trees(), AREAS, st.sampled_from(list(Direction)), st.integers(1, 1000), st.data())
def test_a_resized_tree_still_tiles_the_area(
    tree: Tree, area: Area, direction: Direction, cells: int, data: st.DataObject
) -> None:
    pane = data.draw(st.sampled_from(leaves(tree)))
    try:
        resized = resize(tree, pane, direction, cells, area)
    except NoDivider:
        return

    rects = rectangles(resized, area)
    assert leaves(resized) == leaves(tree)
    assert tiled(resized, rects, area) == Rect(0, 0, area.cols, area.rows)


@pytest.mark.parametrize(
    ("ratio", "cols", "kept"),
    [(0.0, 80, 0.05), (1.0, 80, 0.95), (0.3, 80, 0.3), (0.0, 8, 0.5), (0.9, 5, 0.5), (0.1, 0, 0.5)],
)
def test_a_ratio_is_clamped_so_that_each_child_keeps_four_cells(
    ratio: float, cols: int, kept: float
) -> None:
    assert clamped_ratio(TREE, (), ratio, Area(cols, 24)) == kept


def test_a_wide_pane_is_split_side_by_side_and_a_high_one_stacked() -> None:
    assert auto_axis(Leaf(1), 1, Area(80, 24)) is COLUMNS
    assert auto_axis(TREE, 1, Area(80, 24)) is ROWS
    assert auto_axis(TREE, 2, Area(80, 24)) is COLUMNS
    assert auto_axis(Leaf(1), 1, Area(48, 24)) is COLUMNS
    assert auto_axis(Leaf(1), 1, Area(47, 24)) is ROWS


@given(trees(), st.data())
def test_the_focus_after_a_pane_goes_to_its_sibling(tree: Tree, data: st.DataObject) -> None:
    pane = data.draw(st.sampled_from(leaves(tree)))

    heir = nearest_in_sibling(tree, pane)

    path = path_to(tree, pane)
    if not path:
        assert heir is None
    else:
        parent = split_at(tree, path[:-1])
        assert heir in leaves(parent.b if path[-1] == "a" else parent.a)
