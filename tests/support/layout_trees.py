"""Hypothesis strategies for split trees."""

from __future__ import annotations

from hypothesis import strategies as st

from luvus_service.uhp.domain.geometry import Area
from luvus_service.uhp.domain.layout import Axis, Leaf, Split, Tree

AXES = st.sampled_from(list(Axis))
RATIOS = st.floats(0, 1)
AREAS = st.builds(
    Area,
    cols=st.integers(0, 300),
    rows=st.integers(0, 100),
    col_gap=st.integers(0, 3),
    row_gap=st.integers(0, 3),
)


@st.composite
def trees(draw: st.DrawFn, max_leaves: int = 12) -> Tree:
    """Draw a tree of the panes 1 to n in any order."""
    count = draw(st.integers(1, max_leaves))
    forest: list[Tree] = [Leaf(pane) for pane in draw(st.permutations(range(1, count + 1)))]
    while len(forest) > 1:
        index = draw(st.integers(0, len(forest) - 2))
        forest[index : index + 2] = [
            Split(draw(AXES), draw(RATIOS), forest[index], forest[index + 1])
        ]
    return forest[0]
