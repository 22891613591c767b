"""What a session had used, minute by minute: the rules of its chart and of its burn.

A history is a tuple of samples, oldest first, at most one a minute; it knows no clock.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeAlias

MINUTES = 60
"""How far a history goes back."""
BURN_MINUTES = 10
"""Over how many minutes burn is told: long enough that one answer is no peak."""


@dataclass(frozen=True, slots=True)
class Sample:
    """What was used in total by the end of a minute."""

    minute: int
    """Minutes since 1970."""
    tokens: int
    cost: float | None


History: TypeAlias = tuple[Sample, ...]


def noted(history: History, sample: Sample) -> History:
    """Return a history with one more sample, which replaces an earlier one of its minute.

    What was used when a session was first seen belongs to no minute of the history.
    """
    if not history:
        return (replace(sample, minute=sample.minute - 1), sample)
    kept = [old for old in history if old.minute < sample.minute]
    oldest = sample.minute - MINUTES
    # The newest one that is too old says where the first minute began.
    recent = [old for old in kept if old.minute >= oldest]
    before = [replace(old, minute=oldest) for old in kept if old.minute < oldest][-1:]
    start = [] if recent and recent[0].minute == oldest else before
    return (*start, *recent, sample)


def burn(history: History, minute: int) -> float | None:
    """Return US dollars an hour over the last `BURN_MINUTES`; None while that is not known."""
    known = [(s.minute, s.cost) for s in history if s.cost is not None]
    if len(known) < 2:
        return None
    since = minute - BURN_MINUTES
    older = [entry for entry in known if entry[0] <= since]
    start, before = older[-1] if older else known[0]
    _, now = known[-1]
    minutes = minute - max(start, since)
    return max(0.0, now - before) / max(minutes, 1) * 60
