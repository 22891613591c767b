"""What generations of Claude models can do, read from their names.

The Messages API answers 400 to a way of thinking that a generation does not know.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from luvus_service.luxe.domain.values import ThinkingLevel

Style: TypeAlias = Literal["none", "budget", "adaptive", "always"]
"""`none` cannot think; `budget` takes tokens; `adaptive` takes an effort; `always` cannot stop."""

_NAME: Final = re.compile(
    r"claude-(?:(opus|sonnet|haiku|fable|mythos)-)?(\d+)(?:[-.](\d{1,2}))?(?!\d)"
)
_EFFORTS: Final[dict[ThinkingLevel, str]] = {
    "minimal": "low",
    "low": "low",
    "medium": "medium",
    "high": "high",
    "xhigh": "xhigh",
    "ultra": "max",
}
_EARLY_EFFORTS: Final[dict[ThinkingLevel, str]] = {**_EFFORTS, "xhigh": "high", "ultra": "high"}


@dataclass(frozen=True, slots=True)
class Traits:
    """How a model thinks."""

    style: Style
    efforts: Mapping[ThinkingLevel, str]
    levels: tuple[ThinkingLevel, ...]
    forceable: bool = True
    """Whether a call can be forced."""


def traits_of(model: str) -> Traits:
    """Return the traits of a model; a name that is not Claude's takes a budget."""
    found = _NAME.search(model.lower())
    if found is None:
        return _BUDGET
    family, version = found[1], (int(found[2]), int(found[3] or 0))
    if version < (3, 7):
        return _NONE
    if version < (4, 6):
        return _BUDGET
    if version == (4, 6):
        return _EARLY
    # Sonnet 5.5 can only be kept from thinking first, not from thinking; Haiku 5.5 can stop.
    always = family in {"fable", "mythos"} or (version >= (5, 5) and family != "haiku")
    return _ALWAYS if always else _LATE if version >= (5, 5) else _ADAPTIVE


_NONE: Final = Traits("none", {}, ("off",))
_BUDGET: Final = Traits("budget", {}, ("off", "minimal", "low", "medium", "high", "xhigh", "ultra"))
_EARLY: Final = Traits("adaptive", _EARLY_EFFORTS, ("off", "low", "medium", "high"))
_ADAPTIVE: Final = Traits("adaptive", _EFFORTS, ("off", "low", "medium", "high", "xhigh", "ultra"))
_LATE: Final = Traits("adaptive", _EFFORTS, _ADAPTIVE.levels, forceable=False)
_ALWAYS: Final = Traits(
    "always", _EFFORTS, ("low", "medium", "high", "xhigh", "ultra"), forceable=False
)
