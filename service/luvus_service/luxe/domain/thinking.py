"""The levels of thinking and which of them a model has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from luvus_service.luxe.domain.values import ThinkingLevel

LEVELS: tuple[ThinkingLevel, ...] = get_args(ThinkingLevel)


def nearest_level(wanted: ThinkingLevel, offered: Sequence[ThinkingLevel]) -> ThinkingLevel:
    """Return the wanted level, or the next lower one offered, or else the lowest offered."""
    place = LEVELS.index(wanted)
    found: ThinkingLevel | None = None
    for level in LEVELS:
        if level in offered and (found is None or LEVELS.index(level) <= place):
            found = level
    return found or "off"
