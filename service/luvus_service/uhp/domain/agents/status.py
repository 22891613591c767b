"""The status machine: which state is published when readings come, time passes and focus moves.

`TRANSITIONS` is the specification; `advance` does nothing but follow it. Knows no clock, no pane
and no text: the engine hands in readings with the time at which they were taken, and asks again at
`due`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from luvus_service.uhp.domain.agents.states import State

QUIET_DWELL_S = 2.5
"""How long `idle` and `done` must hold before they are published."""
RESIZE_FREEZE_S = 0.45
"""After a resize the program draws again; what is published does not change meanwhile."""
ACTIVITY_WINDOW_S = 0.7
"""A plain shell that wrote this recently, and was not typed into, is working."""

When: TypeAlias = Literal["at once", "after the dwell"]


@dataclass(frozen=True, slots=True)
class Transition:
    """One row of the table: a reading, and what comes of it."""

    reading: str
    seen: str
    """Whether the pane has the focus: "any", "focused", "unseen"."""
    published: str
    when: When
    note: str


TRANSITIONS: tuple[Transition, ...] = (
    Transition("blocked", "any", "blocked", "at once", "the last line says what it asks for"),
    Transition("working", "any", "working", "at once", ""),
    Transition("idle, before: working", "unseen", "done", "after the dwell", "sets the latch"),
    Transition("idle, latched", "unseen", "done", "after the dwell", ""),
    Transition("idle, latched", "focused", "idle", "after the dwell", "clears the latch"),
    Transition("idle", "any", "idle", "after the dwell", ""),
    Transition("reported", "any", "as reported", "at once", "a live lease; `done` sets the latch"),
    Transition("any, just resized", "any", "as before", "at once", "frozen for 450 ms"),
)
"""What is published for each reading, as the reference page shows it."""

_AT_ONCE: frozenset[State] = frozenset({"blocked", "working"})


@dataclass(frozen=True, slots=True)
class Reading:
    """What one look at a pane says."""

    state: State
    reported: bool = False
    """From a live lease: published at once, also during a freeze."""


@dataclass(frozen=True, slots=True)
class Machine:
    """One pane's status; a value that `advance` replaces."""

    published: State = "unknown"
    raw: State = "unknown"
    """The state of the reading before."""
    latched: bool = False
    """Finished and not yet seen."""
    candidate: State | None = None
    since: float = 0.0
    """When the candidate was read first."""
    frozen_until: float = float("-inf")
    reported_done: bool = False
    """A report said `done`, and nobody has looked since."""

    @property
    def pending(self) -> bool:
        """Whether a candidate waits for its dwell."""
        return self.candidate is not None

    def due(self) -> float | None:
        """Return when `advance` must be asked again although nothing happens, or None."""
        if self.candidate is None:
            return None
        wait = 0.0 if self.candidate in _AT_ONCE else QUIET_DWELL_S
        return max(self.since + wait, self.frozen_until)


def advance(machine: Machine, reading: Reading, now: float, *, focused: bool) -> Machine:
    """Return the machine after a reading taken at `now`."""
    latched = _latched(machine, reading, focused=focused)
    desired: State = reading.state
    if reading.state == "idle" and latched:
        desired = "done"
    after = replace(
        machine,
        raw=reading.state,
        latched=latched,
        reported_done=reading.reported and reading.state == "done",
    )
    if desired == machine.published:
        return replace(after, candidate=None)
    if reading.reported:
        return replace(after, published=desired, candidate=None)
    since = machine.since if machine.candidate == desired else now
    waited = replace(after, candidate=desired, since=since)
    due = waited.due()
    if due is not None and now >= due:
        return replace(waited, published=desired, candidate=None)
    return waited


def resized(machine: Machine, now: float) -> Machine:
    """Return the machine after the terminal got another size."""
    return replace(machine, frozen_until=now + RESIZE_FREEZE_S)


def seen(machine: Machine, now: float) -> Machine:
    """Return the machine after its pane got the focus: `done` becomes `idle` at once."""
    if machine.published != "done" and not machine.latched:
        return machine
    published: State = "idle" if machine.published == "done" else machine.published
    candidate = "idle" if machine.candidate == "done" else machine.candidate
    if candidate == published:
        candidate = None
    return replace(machine, latched=False, published=published, candidate=candidate, since=now)


def _latched(machine: Machine, reading: Reading, *, focused: bool) -> bool:
    if reading.reported:
        return reading.state == "done" or (machine.latched and not focused)
    if focused:
        return False
    return machine.latched or (machine.raw == "working" and reading.state == "idle")
