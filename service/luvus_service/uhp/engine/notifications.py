"""The newest notifications of the session; each is published when it comes."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from luvus_service.uhp.engine.events import EventBus

KEPT = 32
"""Notifications kept; the oldest goes when another comes."""

Source: TypeAlias = Literal["program", "client"]


@dataclass(frozen=True, slots=True)
class Notification:
    """Something a person should see."""

    title: str
    body: str
    at: float
    """Unix seconds."""
    pane: int
    terminal_id: str


class Notifications:
    """A bounded list, oldest first."""

    def __init__(self, bus: EventBus, now: Callable[[], float]) -> None:
        self._bus = bus
        self._now = now
        self._kept: deque[Notification] = deque(maxlen=KEPT)

    def push(
        self,
        title: str,
        body: str,
        *,
        pane: int,
        terminal_id: str,
        source: Source,
        dropped: int = 0,
    ) -> None:
        """Add one and publish it, dropping the oldest when `KEPT` are there.

        `dropped` counts those that came with it and were too many to tell.
        """
        self._kept.append(Notification(title, body, self._now(), pane, terminal_id))
        self._bus.publish(
            "pane.notified",
            {
                "pane": str(pane),
                "title": title,
                "body": body,
                "source": source,
                "dropped": dropped,
            },
        )

    def list(self) -> tuple[Notification, ...]:
        """Return what is kept, oldest first."""
        return tuple(self._kept)
