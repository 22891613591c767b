"""The split tree: what each change returns, and what is refused."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from luvus_service.uhp.domain.errors import DomainError, InvalidRequest, LimitExceeded, NotFound
from luvus_service.uhp.domain.layout import (
    MAX_DEPTH,
    Axis,
    Leaf,
    Split,
    Tree,
    depth,
    graft,
    leaves,
    node_at,
    path_to,
    remove,
    replace,
    set_ratio,
    split,
    split_at,
    swap,
    validate_applied,
)
from tests.support.layout_trees import AXES, trees

COLUMNS, ROWS = Axis.COLUMNS, Axis.ROWS
ONE_OVER_TWO_AND_THREE = Split(COLUMNS, 0.5, Leaf(1), Split(ROWS, 0.25, Leaf(2), Leaf(3)))


def chain(depth_wanted: int) -> Tree:
    """Return a tree whose pane 0 lies that deep."""
    tree: Tree = Leaf(0)
    for pane in range(1, depth_wanted + 1):
        tree = Split(COLUMNS, 0.5, tree, Leaf(pane))
    return tree


def test_a_new_pane_is_placed_after_its_base() -> None:
    assert split(Leaf(1), 1, COLUMNS, 2) == Split(COLUMNS, 0.5, Leaf(1), Leaf(2))


def test_a_new_pane_can_be_placed_before_its_base() -> None:
    tree = split(ONE_OVER_TWO_AND_THREE, 3, COLUMNS, 4, ratio=0.3, new_first=True)

    assert tree == Split(
        COLUMNS,
        0.5,
        Leaf(1),
        Split(ROWS, 0.25, Leaf(2), Split(COLUMNS, 0.3, Leaf(4), Leaf(3))),
    )


def test_the_sibling_takes_the_place_of_a_removed_pane() -> None:
    assert remove(ONE_OVER_TWO_AND_THREE, 1) == Split(ROWS, 0.25, Leaf(2), Leaf(3))
    assert remove(ONE_OVER_TWO_AND_THREE, 2) == Split(COLUMNS, 0.5, Leaf(1), Leaf(3))


def test_removing_the_only_pane_leaves_no_tree() -> None:
    assert remove(Leaf(1), 1) is None


def test_replace_and_swap_keep_the_shape() -> None:
    assert replace(ONE_OVER_TWO_AND_THREE, 2, 9) == Split(
        COLUMNS, 0.5, Leaf(1), Split(ROWS, 0.25, Leaf(9), Leaf(3))
    )
    assert swap(ONE_OVER_TWO_AND_THREE, 1, 3) == Split(
        COLUMNS, 0.5, Leaf(3), Split(ROWS, 0.25, Leaf(2), Leaf(1))
    )


def test_the_empty_path_names_the_root_split() -> None:
    assert set_ratio(ONE_OVER_TWO_AND_THREE, (), 0.9) == Split(
        COLUMNS, 0.9, Leaf(1), Split(ROWS, 0.25, Leaf(2), Leaf(3))
    )
    assert set_ratio(ONE_OVER_TWO_AND_THREE, ("b",), 1.0) == Split(
        COLUMNS, 0.5, Leaf(1), Split(ROWS, 1.0, Leaf(2), Leaf(3))
    )


REFUSALS: list[tuple[str, Callable[[], object], type[DomainError]]] = [
    ("split of a foreign pane", lambda: split(Leaf(1), 2, ROWS, 3), NotFound),
    ("split with a pane already there", lambda: split(Leaf(1), 1, ROWS, 1), InvalidRequest),
    ("split with a bad ratio", lambda: split(Leaf(1), 1, ROWS, 2, ratio=1.1), InvalidRequest),
    ("split at the depth limit", lambda: split(chain(64), 0, ROWS, 99), LimitExceeded),
    ("remove of a foreign pane", lambda: remove(Leaf(1), 2), NotFound),
    ("replace of a foreign pane", lambda: replace(Leaf(1), 2, 3), NotFound),
    ("replace by a pane there", lambda: replace(chain(1), 0, 1), InvalidRequest),
    ("swap with a foreign pane", lambda: swap(chain(1), 0, 7), NotFound),
    ("ratio of a leaf", lambda: set_ratio(Leaf(1), (), 0.5), NotFound),
    ("ratio past a leaf", lambda: set_ratio(chain(1), ("a", "b"), 0.5), NotFound),
    ("ratio of NaN", lambda: set_ratio(chain(1), (), math.nan), InvalidRequest),
    ("ratio of infinity", lambda: set_ratio(chain(1), (), math.inf), InvalidRequest),
    ("ratio below 0", lambda: set_ratio(chain(1), (), -0.01), InvalidRequest),
    ("ratio of true", lambda: set_ratio(chain(1), (), True), InvalidRequest),
    ("graft past a leaf", lambda: graft(chain(1), ("b", "a"), Leaf(9)), NotFound),
    ("path too long", lambda: set_ratio(chain(1), ("a",) * 65, 0.5), LimitExceeded),
]


@pytest.mark.parametrize(("act", "error"), [r[1:] for r in REFUSALS], ids=[r[0] for r in REFUSALS])
def test_what_cannot_be_is_refused(act: Callable[[], object], error: type[DomainError]) -> None:
    with pytest.raises(error):
        act()


def test_a_tree_of_sixty_four_splits_may_be_split_elsewhere() -> None:
    tree = split(chain(MAX_DEPTH), MAX_DEPTH, ROWS, 99)

    assert depth(tree) == MAX_DEPTH


APPLIED: list[tuple[str, Tree, type[DomainError]]] = [
    ("a pane twice", Split(ROWS, 0.5, Leaf(1), Leaf(1)), InvalidRequest),
    ("a missing pane", Leaf(1), InvalidRequest),
    ("a foreign pane", Split(ROWS, 0.5, Leaf(1), Leaf(3)), InvalidRequest),
    ("an extra pane", ONE_OVER_TWO_AND_THREE, InvalidRequest),
    ("a bad axis", Split(2, 0.5, Leaf(1), Leaf(2)), InvalidRequest),  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]  # the point of the test
    ("a ratio above 1", Split(ROWS, 1.5, Leaf(1), Leaf(2)), InvalidRequest),
    ("a ratio of NaN", Split(ROWS, math.nan, Leaf(1), Leaf(2)), InvalidRequest),
    ("too deep", chain(65), LimitExceeded),
]


@pytest.mark.parametrize(("tree", "error"), [a[1:] for a in APPLIED], ids=[a[0] for a in APPLIED])
def test_an_applied_tree_is_refused_for(tree: Tree, error: type[DomainError]) -> None:
    with pytest.raises(error):
        validate_applied(tree, {1, 2})


def test_an_applied_tree_of_the_same_panes_is_accepted() -> None:
    validate_applied(Split(ROWS, 0, Leaf(2), Leaf(1)), {1, 2})
    validate_applied(chain(64), set(range(65)))


@given(trees(), AXES, st.data())
def test_removing_a_split_pane_gives_the_tree_before(
    tree: Tree, axis: Axis, data: st.DataObject
) -> None:
    base = data.draw(st.sampled_from(leaves(tree)))
    first = data.draw(st.booleans())

    grown = split(tree, base, axis, 99, new_first=first)

    assert sorted(leaves(grown)) == sorted((*leaves(tree), 99))
    assert remove(grown, 99) == tree


@given(trees(), st.data())
def test_swapping_twice_is_no_change(tree: Tree, data: st.DataObject) -> None:
    pane = data.draw(st.sampled_from(leaves(tree)))
    other = data.draw(st.sampled_from(leaves(tree)))

    assert swap(swap(tree, pane, other), pane, other) == tree


@given(trees())
def test_every_path_leads_to_its_pane_and_depth_is_the_longest(tree: Tree) -> None:
    paths = [path_to(tree, pane) for pane in leaves(tree)]

    assert [node_at(tree, path) for path in paths] == [Leaf(pane) for pane in leaves(tree)]
    assert max(map(len, paths)) == depth(tree)
    assert all(split_at(tree, path[:-1]) for path in paths if path)
