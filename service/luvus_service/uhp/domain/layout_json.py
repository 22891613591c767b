"""The JSON shape of a split tree: {"Leaf": 7} and {"Split": {"axis", "ratio", "a", "b"}}.

Refuses a wrong shape with the place where it is wrong. Knows no session.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from luvus_service.uhp.domain.errors import InvalidRequest, LimitExceeded, shown
from luvus_service.uhp.domain.ids import MAX_PANE_ID
from luvus_service.uhp.domain.layout import (
    MAX_DEPTH,
    Axis,
    Leaf,
    Path,
    Split,
    Step,
    Tree,
    check_ratio,
)

_SPLIT_KEYS: frozenset[object] = frozenset({"axis", "ratio", "a", "b"})


def tree_to_json(tree: Tree) -> dict[str, object]:
    """Return a tree in its JSON shape."""
    if isinstance(tree, Leaf):
        return {"Leaf": tree.pane}
    return {
        "Split": {
            "axis": int(tree.axis),
            "ratio": tree.ratio,
            "a": tree_to_json(tree.a),
            "b": tree_to_json(tree.b),
        }
    }


def tree_from_json(value: object, place: str = "tree", max_depth: int = MAX_DEPTH) -> Tree:
    """Read a tree from its JSON shape.

    Raises:
        InvalidRequest: The shape, a pane id, an axis or a ratio is wrong; the text names the place.
        LimitExceeded: The tree is deeper than `max_depth` splits.
    """
    return _read(value, place, max_depth)


def path_from_json(value: object, field: str = "path") -> Path:
    """Read a list of "a" and "b".

    Raises:
        InvalidRequest: The value is something else.
        LimitExceeded: It has more than `MAX_DEPTH` steps.
    """
    if not isinstance(value, list | tuple):
        raise InvalidRequest(f'{field} must be a list of "a" and "b", not {shown(value)}')
    items = cast("Sequence[object]", value)
    if len(items) > MAX_DEPTH:
        raise LimitExceeded(f"{field} has at most {MAX_DEPTH} steps, this one has {len(items)}")
    steps: list[Step] = []
    for index, item in enumerate(items):
        if item == "a":
            steps.append("a")
        elif item == "b":
            steps.append("b")
        else:
            raise InvalidRequest(f'{field}[{index}] must be "a" or "b", not {shown(item)}')
    return tuple(steps)


def _read(value: object, place: str, levels: int) -> Tree:
    if not isinstance(value, Mapping) or len(cast("Mapping[object, object]", value)) != 1:
        raise InvalidRequest(f'{place} must be {{"Leaf": pane}} or {{"Split": …}}')
    node = cast("Mapping[object, object]", value)
    if "Leaf" in node:
        return Leaf(_leaf(node["Leaf"], f"{place}.Leaf"))
    if "Split" not in node:
        raise InvalidRequest(f'{place} must be {{"Leaf": pane}} or {{"Split": …}}')
    place = f"{place}.Split"
    if levels == 0:
        raise LimitExceeded(f"{place} is deeper than the tree may be")
    parts = _parts(node["Split"], place)
    axis = parts["axis"]
    if not isinstance(axis, int) or isinstance(axis, bool) or axis not in (0, 1):
        raise InvalidRequest(f"{place}.axis must be 0 (columns) or 1 (rows), not {shown(axis)}")
    ratio = check_ratio(parts["ratio"], f"{place}.ratio")
    first = _read(parts["a"], f"{place}.a", levels - 1)
    second = _read(parts["b"], f"{place}.b", levels - 1)
    return Split(Axis(axis), ratio, first, second)


def _leaf(value: object, place: str) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MAX_PANE_ID:
        return value
    raise InvalidRequest(f"{place} must be a pane id as an integer, not {shown(value)}")


def _parts(value: object, place: str) -> Mapping[object, object]:
    if not isinstance(value, Mapping):
        raise InvalidRequest(f"{place} must be an object, not {shown(value)}")
    parts = cast("Mapping[object, object]", value)
    wrong = sorted(map(str, _SPLIT_KEYS.symmetric_difference(parts)))
    if wrong:
        raise InvalidRequest(
            f"{place} must have exactly axis, ratio, a and b; look at {shown(', '.join(wrong))}"
        )
    return parts
