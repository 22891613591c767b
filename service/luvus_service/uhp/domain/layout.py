"""The split tree of one tab: panes as leaves, dividers as nodes.

Immutable: every change returns a new tree. Knows no sizes (geometry) and no tabs (topology).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from enum import IntEnum
from typing import Literal, TypeAlias

from luvus_service.uhp.domain.errors import InvalidRequest, LimitExceeded, NotFound, shown

MAX_DEPTH = 64
"""Splits above the deepest leaf."""


class Axis(IntEnum):
    """How a split lays out its two children; the numbers are those on the wire."""

    COLUMNS = 0
    """Side by side."""
    ROWS = 1
    """One above the other."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """One pane."""

    pane: int


@dataclass(frozen=True, slots=True)
class Split:
    """Two subtrees with a divider between; `a` is the left or the upper one."""

    axis: Axis
    ratio: float
    """The part of the length that `a` asks for, 0 to 1."""
    a: Tree
    b: Tree


Tree: TypeAlias = Leaf | Split
Step: TypeAlias = Literal["a", "b"]
Path: TypeAlias = tuple[Step, ...]
"""The way from the root to a node."""


def leaves(tree: Tree) -> tuple[int, ...]:
    """Return the panes in tree order."""
    return tuple(_walk(tree))


def _walk(tree: Tree) -> Iterator[int]:
    stack: list[Tree] = [tree]
    while stack:
        node = stack.pop()
        if isinstance(node, Leaf):
            yield node.pane
        else:
            stack.append(node.b)
            stack.append(node.a)


def depth(tree: Tree) -> int:
    """Return the number of splits above the deepest leaf."""
    deepest = 0
    stack: list[tuple[Tree, int]] = [(tree, 0)]
    while stack:
        node, level = stack.pop()
        deepest = max(deepest, level)
        if isinstance(node, Split):
            stack.append((node.a, level + 1))
            stack.append((node.b, level + 1))
    return deepest


def path_to(tree: Tree, pane: int) -> Path:
    """Return the way to a pane's leaf.

    Raises:
        NotFound: The pane is not in this tree.
    """
    stack: list[tuple[Tree, Path]] = [(tree, ())]
    while stack:
        node, path = stack.pop()
        if isinstance(node, Split):
            stack.append((node.b, (*path, "b")))
            stack.append((node.a, (*path, "a")))
        elif node.pane == pane:
            return path
    raise NotFound(f"no such pane in this layout: {pane}")


def node_at(tree: Tree, path: Path) -> Tree:
    """Return the node at the end of a path.

    Raises:
        NotFound: The path leads past a leaf.
    """
    node = tree
    for step in path:
        if isinstance(node, Leaf):
            raise NotFound(f"the path {'/'.join(path)} leads past pane {node.pane}")
        node = node.a if step == "a" else node.b
    return node


def graft(tree: Tree, path: Path, node: Tree) -> Tree:
    """Return the tree with another node at the end of a path that exists."""
    if not path:
        return node
    if isinstance(tree, Leaf):
        raise NotFound(f"the path leads past pane {tree.pane}")
    if path[0] == "a":
        return Split(tree.axis, tree.ratio, graft(tree.a, path[1:], node), tree.b)
    return Split(tree.axis, tree.ratio, tree.a, graft(tree.b, path[1:], node))


def split(
    tree: Tree,
    pane: int,
    axis: Axis,
    new_pane: int,
    *,
    ratio: float = 0.5,
    new_first: bool = False,
) -> Tree:
    """Put a new pane beside one that is there: after it, or before it with `new_first`.

    Raises:
        NotFound: `pane` is not in this tree.
        InvalidRequest: `new_pane` already is, or the ratio is not in 0 to 1.
        LimitExceeded: The tree would become deeper than `MAX_DEPTH`.
    """
    path = path_to(tree, pane)
    if new_pane in leaves(tree):
        raise InvalidRequest(f"pane {new_pane} is already in this layout")
    check_ratio(ratio, "ratio")
    if len(path) >= MAX_DEPTH:
        raise LimitExceeded(
            f"pane {pane} is already {MAX_DEPTH} splits deep; split a pane further out"
        )
    old, new = Leaf(pane), Leaf(new_pane)
    return graft(tree, path, Split(axis, ratio, *((new, old) if new_first else (old, new))))


def remove(tree: Tree, pane: int) -> Tree | None:
    """Take a pane out; its sibling takes the place. None when it was the only one.

    Raises:
        NotFound: The pane is not in this tree.
    """
    path = path_to(tree, pane)
    if not path:
        return None
    return graft(tree, path[:-1], node_at(tree, sibling_of(path)))


def sibling_of(path: Path) -> Path:
    """Return the path of the other child of the same split; the root has none."""
    return (*path[:-1], "b" if path[-1] == "a" else "a")


def replace(tree: Tree, pane: int, new_pane: int) -> Tree:
    """Put another pane in the place of one.

    Raises:
        NotFound: `pane` is not in this tree.
        InvalidRequest: `new_pane` already is.
    """
    path = path_to(tree, pane)
    if new_pane != pane and new_pane in leaves(tree):
        raise InvalidRequest(f"pane {new_pane} is already in this layout")
    return graft(tree, path, Leaf(new_pane))


def swap(tree: Tree, pane: int, other: int) -> Tree:
    """Exchange the places of two panes.

    Raises:
        NotFound: One of them is not in this tree.
    """
    here, there = path_to(tree, pane), path_to(tree, other)
    return graft(graft(tree, here, Leaf(other)), there, Leaf(pane))


def set_ratio(tree: Tree, path: Path, ratio: float) -> Tree:
    """Change the ratio of the split at the end of a path.

    Raises:
        NotFound: There is no split at the end of the path.
        LimitExceeded: The path has more than `MAX_DEPTH` steps.
        InvalidRequest: The ratio is not in 0 to 1.
    """
    check_ratio(ratio, "ratio")
    node = split_at(tree, path)
    return graft(tree, path, Split(node.axis, ratio, node.a, node.b))


def split_at(tree: Tree, path: Path) -> Split:
    """Return the split at the end of a path.

    Raises:
        NotFound: There is none.
        LimitExceeded: The path has more than `MAX_DEPTH` steps.
    """
    if len(path) > MAX_DEPTH:
        raise LimitExceeded(f"a path has at most {MAX_DEPTH} steps, this one has {len(path)}")
    node = node_at(tree, path)
    if isinstance(node, Leaf):
        place = "/".join(path) or "the root"
        raise NotFound(f"there is no split at {place}, only pane {node.pane}")
    return node


def check_ratio(value: object, place: str) -> float:
    """Return a ratio as a float.

    Raises:
        InvalidRequest: It is not a finite number from 0 to 1.
    """
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1:
        return float(value)
    raise InvalidRequest(f"{place} must be a number from 0 to 1, not {shown(value)}")


def validate_applied(tree: Tree, panes: Collection[int], max_depth: int = MAX_DEPTH) -> None:
    """Check that a tree may take the place of one that holds exactly these panes.

    Raises:
        LimitExceeded: The tree is deeper than `max_depth`.
        InvalidRequest: An axis or a ratio is invalid, a pane is missing, foreign or there twice.
    """
    if depth(tree) > max_depth:
        raise LimitExceeded(f"the tree is deeper than {max_depth} splits")
    _check_splits(tree)
    seen: set[int] = set()
    for pane in _walk(tree):
        if pane in seen:
            raise InvalidRequest(f"pane {pane} is in the tree twice")
        if pane not in panes:
            raise InvalidRequest(f"pane {pane} is not a pane of this tab")
        seen.add(pane)
    missing = sorted(set(panes) - seen)
    if missing:
        raise InvalidRequest(
            f"the tree must hold every pane of the tab; missing: {', '.join(map(str, missing))}"
        )


def _check_splits(tree: Tree) -> None:
    stack: list[Tree] = [tree]
    while stack:
        node = stack.pop()
        if isinstance(node, Split):
            if node.axis not in (Axis.COLUMNS, Axis.ROWS):
                raise InvalidRequest(f"axis must be 0 or 1, not {shown(node.axis)}")
            check_ratio(node.ratio, "ratio")
            stack.append(node.a)
            stack.append(node.b)
