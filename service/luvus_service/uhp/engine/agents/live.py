"""What is known of one pane's agent at this moment."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from luvus_service.uhp.domain.agents.identity import NOBODY, Identity
from luvus_service.uhp.domain.agents.leases import Lease
from luvus_service.uhp.domain.agents.rules import Rule
from luvus_service.uhp.domain.agents.states import State, StateSource
from luvus_service.uhp.domain.agents.status import Machine


@dataclass(frozen=True, slots=True)
class Evidence:
    """Where a state was read."""

    state: State
    source: StateSource
    rule: Rule | None = None
    hint: str | None = None
    """What the agent asks for, when it is blocked."""


UNREAD = Evidence("unknown", "none")


@dataclass(slots=True)
class Live:
    """One pane; only the detector writes here."""

    pane: int
    terminal_id: str
    machine: Machine = field(default_factory=Machine)
    identity: Identity = NOBODY
    evidence: Evidence = UNREAD
    """What the last reading rests on."""
    shown: Evidence = UNREAD
    """What the published state rests on."""
    lease: Lease | None = None
    size: tuple[int, int] | None = None
    output_at: float = float("-inf")
    read_at: float = float("-inf")
    due: float = float("inf")
    timer: asyncio.TimerHandle | None = None
    glanced: tuple[object, ...] | None = None
    """What the last evidence was made of, so that an unchanged screen is not read again."""
    since_ms: int | None = None
    """When the published state began, in Unix milliseconds."""
    told_agent: str = ""
    """The agent that the last event named."""
    reading: bool = False
    """Whether a reading waits for the emulator."""

    def stop(self) -> None:
        """Cancel the timer."""
        if self.timer is not None:
            self.timer.cancel()
            self.timer = None
        self.due = float("inf")
