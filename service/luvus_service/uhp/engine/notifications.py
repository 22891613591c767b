"""The newest notifications of the session; whoever shows them reads them here."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

KEPT = 32
"""Notifications kept; the oldest goes when another comes."""


@dataclass(frozen=True, slots=True)
class Notification:
    """Something a person should see."""

    title: str
    body: str
    at: float
    """Unix seconds."""
    pane: int | None = None
    terminal_id: str | None = None


class Notifications:
    """A bounded list, oldest first."""

    def __init__(self) -> None:
        self._kept: deque[Notification] = deque(maxlen=KEPT)

    def push(self, notification: Notification) -> None:
        """Add one, dropping the oldest when `KEPT` are there."""
        self._kept.append(notification)

    def list(self) -> tuple[Notification, ...]:
        """Return what is kept, oldest first."""
        return tuple(self._kept)
