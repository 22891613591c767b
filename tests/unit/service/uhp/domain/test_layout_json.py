"""The JSON shape of trees and paths, both ways."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given

from luvus_service.uhp.domain.errors import DomainError, InvalidRequest, LimitExceeded
from luvus_service.uhp.domain.layout import Axis, Leaf, Split, Tree
from luvus_service.uhp.domain.layout_json import path_from_json, tree_from_json, tree_to_json
from tests.support.layout_trees import trees


def split_json(**changed: object) -> dict[str, object]:
    """Return a valid split with some parts changed."""
    parts: dict[str, object] = {"axis": 0, "ratio": 0.5, "a": {"Leaf": 1}, "b": {"Leaf": 2}}
    return {"Split": parts | changed}


def nested(levels: int) -> dict[str, object]:
    """Return a tree of that depth."""
    tree: dict[str, object] = {"Leaf": 0}
    for pane in range(1, levels + 1):
        tree = split_json(a=tree, b={"Leaf": pane})
    return tree


def test_a_split_is_written_with_whole_numbers_for_axis_and_panes() -> None:
    tree = Split(Axis.ROWS, 0.25, Leaf(7), Leaf(8))

    assert tree_to_json(tree) == {
        "Split": {"axis": 1, "ratio": 0.25, "a": {"Leaf": 7}, "b": {"Leaf": 8}}
    }
    assert '"axis": 1,' in json.dumps(tree_to_json(tree))


@given(trees())
def test_a_tree_written_and_read_is_the_same(tree: Tree) -> None:
    assert tree_from_json(json.loads(json.dumps(tree_to_json(tree)))) == tree


BAD: list[tuple[str, object, type[DomainError], str]] = [
    ("null", None, InvalidRequest, "tree"),
    ("a number", 7, InvalidRequest, "tree"),
    ("a list", [{"Leaf": 1}], InvalidRequest, "tree"),
    ("no key", {}, InvalidRequest, "tree"),
    ("both keys", {"Leaf": 1, **split_json()}, InvalidRequest, "tree"),
    ("another key", {"leaf": 1}, InvalidRequest, "tree"),
    ("a leaf of a string", {"Leaf": "1"}, InvalidRequest, "tree.Leaf"),
    ("a leaf of true", {"Leaf": True}, InvalidRequest, "tree.Leaf"),
    ("a leaf of 1.0", {"Leaf": 1.0}, InvalidRequest, "tree.Leaf"),
    ("a leaf of -1", {"Leaf": -1}, InvalidRequest, "tree.Leaf"),
    ("a leaf above 32 bits", {"Leaf": 2**32}, InvalidRequest, "tree.Leaf"),
    ("a split of a list", {"Split": []}, InvalidRequest, "tree.Split"),
    ("a split with more", split_json(c=1), InvalidRequest, "tree.Split"),
    ("a split with less", {"Split": {"axis": 0}}, InvalidRequest, "tree.Split"),
    ("axis 2", split_json(axis=2), InvalidRequest, "tree.Split.axis"),
    ("axis true", split_json(axis=True), InvalidRequest, "tree.Split.axis"),
    ("axis 1.0", split_json(axis=1.0), InvalidRequest, "tree.Split.axis"),
    ("axis of a word", split_json(axis="columns"), InvalidRequest, "tree.Split.axis"),
    ("ratio above 1", split_json(ratio=1.01), InvalidRequest, "tree.Split.ratio"),
    ("ratio below 0", split_json(ratio=-1), InvalidRequest, "tree.Split.ratio"),
    ("ratio NaN", split_json(ratio=math.nan), InvalidRequest, "tree.Split.ratio"),
    ("ratio of a string", split_json(ratio="0.5"), InvalidRequest, "tree.Split.ratio"),
    ("ratio of a huge number", split_json(ratio=10**400), InvalidRequest, "tree.Split.ratio"),
    ("deep inside", split_json(b=split_json(a={"Leaf": []})), InvalidRequest, "Split.b.Split.a"),
    ("65 levels", nested(65), LimitExceeded, "tree"),
]


@pytest.mark.parametrize(("value", "error", "place"), [b[1:] for b in BAD], ids=[b[0] for b in BAD])
def test_a_wrong_shape_is_refused_with_its_place(
    value: object, error: type[DomainError], place: str
) -> None:
    with pytest.raises(error, match=place):
        tree_from_json(value)


def test_sixty_four_levels_are_read_and_a_hostile_depth_is_refused_early() -> None:
    assert tree_to_json(tree_from_json(nested(64))) == nested(64)
    with pytest.raises(LimitExceeded):
        tree_from_json(nested(900))


def test_a_path_is_a_list_of_steps() -> None:
    assert path_from_json(["a", "b"]) == ("a", "b")
    assert path_from_json([]) == ()


@pytest.mark.parametrize("value", [None, "ab", {"a": 1}, ["c"], ["a", 1], [["a"]], ["A"]])
def test_another_path_is_invalid(value: object) -> None:
    with pytest.raises(InvalidRequest):
        path_from_json(value)


def test_a_path_of_sixty_five_steps_passes_the_limit() -> None:
    assert len(path_from_json(["a"] * 64)) == 64
    with pytest.raises(LimitExceeded):
        path_from_json(["a"] * 65)
