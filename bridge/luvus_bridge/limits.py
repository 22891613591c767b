"""Every limit of the bridge in one value; the defaults are the published ones."""

from __future__ import annotations

from dataclasses import dataclass

FRAME_BYTES = 1_048_576
"""Largest line in either direction, its LF included."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Sizes in bytes, times in seconds."""

    frame_bytes: int = FRAME_BYTES
    connections: int = 80
    """Connections that wait for their frame, run a call or carry a stream."""
    lingering: int = 80
    """Answered connections that are being drained; further ones are closed at once."""
    first_frame_s: float = 5.0
    reply_write_s: float = 5.0
    """How long an answer may lie unread before its connection is cut."""
    stream_write_s: float = 30.0
    """How long one line of a stream may lie unread before its connection is cut."""
    drain_s: float = 1.0
    drain_bytes: int = 2 * FRAME_BYTES
    """Input that is read and dropped after the answer, so that the client sees a clean end."""
    backlog_bytes: int = 65_536
    """Input kept for a running call before the socket is no longer read."""
    inline_parse_bytes: int = 65_536
    """Frames above this are parsed in a worker thread."""
    hang_up_check_s: float = 1.0
    """How often a half-closed or unread connection with a running call is looked at."""
    stream_end_s: float = 1.0
    """How long a stopping server waits for streams to end themselves."""
    listen_backlog: int = 128
