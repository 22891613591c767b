"""The figures of the newline-JSON socket, as the bridge keeps them."""

from __future__ import annotations

from typing import Protocol


class Traffic(Protocol):
    """What a transport can say about itself."""

    def connections(self) -> dict[str, int]:
        """Return active, capacity, accepted, rejected and initial_frame_timeouts."""
        ...

    def requests(self) -> dict[str, int]:
        """Return completed, bytes_in, bytes_out and mean_latency_us."""
        ...


class NoTraffic:
    """Stands in when no transport is attached."""

    def connections(self) -> dict[str, int]:
        """Return zeros."""
        names = ("active", "capacity", "accepted", "rejected", "initial_frame_timeouts")
        return dict.fromkeys(names, 0)

    def requests(self) -> dict[str, int]:
        """Return zeros."""
        return dict.fromkeys(("completed", "bytes_in", "bytes_out", "mean_latency_us"), 0)
