"""Which mouse reporting is in force, from the modes that ask for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias

MouseReports: TypeAlias = Literal["off", "x10", "normal", "button", "any"]


def mouse_reports(is_set: Callable[[int], bool]) -> MouseReports:
    """Return the widest reporting among the private modes that are set."""
    if is_set(1003):
        return "any"
    if is_set(1002):
        return "button"
    if is_set(1000):
        return "normal"
    return "x10" if is_set(9) else "off"
