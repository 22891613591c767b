"""The clocks of the operating system."""

from __future__ import annotations

import time


class SystemClock:
    """Real time."""

    def monotonic(self) -> float:
        """Seconds of a clock that never steps."""
        return time.monotonic()

    def time(self) -> float:
        """Unix seconds."""
        return time.time()
