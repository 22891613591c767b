"""How often usage is read and readers are told, at most."""

from __future__ import annotations

SCAN_GAP_S = 5.0
"""Least time between the end of a scan and one that an event asks for."""
SCAN_SHARE = 0.02
"""Part of the time that such scans may take: after a slow one the gap is longer."""
TELL_GAP_S = 1.0
"""Between two announcements."""


def gap_after(took_s: float) -> float:
    """Return how long nothing is scanned after a scan that took so long."""
    return max(SCAN_GAP_S, took_s / SCAN_SHARE)
