"""The levels of thinking and which of them a model has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from luvus_service.luxe.domain.values import ThinkingLevel

LEVELS: tuple[ThinkingLevel, ...] = get_args(ThinkingLevel)


def nearest_level(wanted: ThinkingLevel, offered: Sequence[ThinkingLevel]) -> ThinkingLevel:
    """Return the wanted level, or the next lower one offered, or else the lowest offered."""
    order = sorted(offered, key=LEVELS.index)
    below = [level for level in order if LEVELS.index(level) <= LEVELS.index(wanted)]
    if below:
        return below[-1]
    lowest: tuple[ThinkingLevel, ...] = ("off",)
    return (*order, *lowest)[0]
