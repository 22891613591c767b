"""Counters of the bridge since its start, for whoever reports them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class BridgeStats:
    """Written by the bridge only; read it at any time on the loop."""

    capacity: int = 0
    active: int = 0
    """Connections that hold one of `capacity` places now."""
    streams: int = 0
    """Connections that carry a stream now."""
    accepted: int = 0
    rejected: int = 0
    """Connections turned away because all places were taken."""
    unauthorized: int = 0
    """Connections closed because of who the peer is."""
    initial_frame_timeouts: int = 0
    write_timeouts: int = 0
    completed: int = 0
    """Requests that were answered, refusals and acknowledged streams included."""
    bytes_in: int = 0
    bytes_out: int = 0
    latency_us_total: int = 0
    """Microseconds from a whole frame to its first answer line, over all `completed`."""

    @property
    def mean_latency_us(self) -> int:
        """Return the mean latency, 0 before the first answer."""
        return self.latency_us_total // self.completed if self.completed else 0
