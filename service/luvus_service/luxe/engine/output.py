"""Limits of what a tool says: the result for the model, and the progress for the client."""

from __future__ import annotations

from collections.abc import Callable

from luvus_service.luxe.domain.events import ToolProgress
from luvus_service.luxe.domain.limits import (
    OUTPUT_BYTES,
    OUTPUT_LINES,
    PROGRESS_BYTES,
    PROGRESS_PER_SECOND,
)
from luvus_service.luxe.domain.ports import Clock
from luvus_service.luxe.domain.tool_ports import OutputStream


def capped(text: str) -> tuple[str, bool]:
    """Return the end of a text within the limits of a result, and whether it was cut."""
    raw = text.encode("utf-8", "replace")
    cut = len(raw) > OUTPUT_BYTES
    if cut:
        text = raw[-OUTPUT_BYTES:].decode("utf-8", "replace")
    lines = text.split("\n")
    if len(lines) > OUTPUT_LINES:
        cut = True
        text = "\n".join(lines[-OUTPUT_LINES:])
    return text, cut


class ProgressMeter:
    """Sends a call's progress, at most so often and so much; the rest is counted."""

    def __init__(self, emit: Callable[[object], None], clock: Clock, call_id: str) -> None:
        self._emit = emit
        self._clock = clock
        self._call_id = call_id
        self._began = clock.monotonic()
        self._sent_at = float("-inf")
        self._total = 0
        self._dropped = 0
        self._closed = False

    def __call__(self, text: str, stream: OutputStream = "stdout") -> None:
        """Report output."""
        if self._closed or not text:
            return
        raw = text.encode("utf-8", "replace")
        self._total += len(raw)
        now = self._clock.monotonic()
        if now - self._sent_at < 1 / PROGRESS_PER_SECOND:
            self._dropped += len(raw)
            return
        if len(raw) > PROGRESS_BYTES:
            self._dropped += len(raw) - PROGRESS_BYTES
            text = raw[-PROGRESS_BYTES:].decode("utf-8", "replace")
        self._sent_at = now
        elapsed = round((now - self._began) * 1000)
        self._emit(
            ToolProgress(self._call_id, text, stream, elapsed, self._total, self._dropped or None)
        )
        self._dropped = 0

    def close(self) -> None:
        """Send nothing more."""
        self._closed = True
