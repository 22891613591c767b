"""What the server's work amounted to since the process began; only ever grows.

Counts events, never contents: no text, path, command or client is kept here.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field


@dataclass(slots=True)
class RenderCounters:
    """Output on its way from programs to whoever looks at it."""

    output_wakes: int = 0
    """Times the loop was woken because a program had written."""
    worker_wakes: int = 0
    """Times the loop was woken because a worker had emulated a large piece."""
    output_bytes: int = 0
    reading_pauses: int = 0
    """Times a program had to wait until its earlier output was emulated or saved."""
    causes_output: int = 0
    """Changes of a screen by output."""
    causes_resize: int = 0
    """Changes of a screen by another size."""
    screens_published: int = 0
    projections_changed: int = 0
    """Screens read of which somebody got a newer revision than the one read before."""
    projections_unchanged: int = 0
    """Screens read again at the same revision."""
    event_frames_delivered: int = 0
    """Frames that subscribers took from their queues."""
    event_readers_overflowed: int = 0
    """Subscribers that fell behind and were told to take a new snapshot."""


@dataclass(slots=True)
class DetectionCounters:
    """Panes looked at to find out which agent they hold and how it is doing."""

    panes_considered: int = 0
    panes_extracted: int = 0
    panes_generation_skipped: int = 0
    full_fleet_audits: int = 0
    audit_recoveries: int = 0


@dataclass(slots=True)
class Counters:
    """All counters of one server process."""

    render: RenderCounters = field(default_factory=RenderCounters)
    detection: DetectionCounters = field(default_factory=DetectionCounters)


def as_counts(counters: RenderCounters | DetectionCounters) -> dict[str, int]:
    """Return counters by name."""
    return asdict(counters)
