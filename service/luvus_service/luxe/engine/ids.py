"""Names that the engine makes: ids of sessions, messages, turns and prompts, and timestamps."""

from __future__ import annotations

import secrets
import time
from datetime import UTC, datetime


def uuid7() -> str:
    """Return a UUID of version 7: sorted by time of making."""
    value = (time.time_ns() // 1_000_000) << 80 | secrets.randbits(80)
    value = value & ~(0xF << 76) | 0x7 << 76
    value = value & ~(0x3 << 62) | 0x2 << 62
    text = f"{value:032x}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def new_id(prefix: str) -> str:
    """Return a fresh id such as "turn:…", sorted by time of making."""
    return f"{prefix}:{time.time_ns() // 1_000_000:x}{secrets.token_hex(5)}"


def timestamp(seconds: float) -> str:
    """Return seconds since the epoch as RFC 3339 in UTC with milliseconds."""
    moment = datetime.fromtimestamp(seconds, UTC)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03d}Z"
