"""Newline framing: bytes in, lines out.

Knows nothing of sockets, JSON or requests. Whoever feeds it stops feeding while lines wait; it
refuses only a single line that is too long.
"""

from __future__ import annotations

LF = 0x0A
_ESCAPED = (
    (b"\xa8", b"\xe2\x80\xa8", b"\\u2028"),
    (b"\xa9", b"\xe2\x80\xa9", b"\\u2029"),
    (b"\x85", b"\xc2\x85", b"\\u0085"),
)
"""What some line readers split at: its last byte, for a quick look, all of it, and its escape."""


class FrameTooLarge(Exception):
    """A line grew over the limit; nothing after it can be read."""


class LineBuffer:
    """Collects bytes and gives back the lines in them, without their LF."""

    __slots__ = ("_buffer", "_limit", "_searched", "_skips")

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._buffer = bytearray()
        self._searched = 0
        self._skips = False

    def __len__(self) -> int:
        return len(self._buffer)

    def feed(self, received: bytes) -> None:
        """Append what was received, without what belongs to a line that is skipped."""
        if self._skips:
            end = received.find(LF)
            if end < 0:
                return
            self._skips = False
            received = received[end + 1 :]
        self._buffer += received

    def has_line(self) -> bool:
        """Say whether `next_line` would return a line or fail."""
        return self._find() >= 0 or len(self._buffer) >= self._limit

    def next_line(self) -> bytes | None:
        """Take the first whole line, or return None while there is none.

        Raises:
            FrameTooLarge: The first line has more than `limit` bytes with its LF.
        """
        end = self._find()
        if end >= self._limit or (end < 0 and len(self._buffer) >= self._limit):
            raise FrameTooLarge
        if end < 0:
            return None
        line = bytes(self._buffer[:end])
        del self._buffer[: end + 1]
        self._searched = 0
        return line

    def skip_line(self) -> None:
        """Drop the first line, also what is still to come of it."""
        end = self._find()
        self._skips = end < 0
        del self._buffer[: end + 1 if end >= 0 else len(self._buffer)]
        self._searched = 0

    def clear(self) -> None:
        """Forget everything."""
        self._buffer.clear()
        self._searched = 0

    def _find(self) -> int:
        # Start where the last search ended: a line that arrives one byte at a time would
        # otherwise cost a square of its length.
        end = self._buffer.find(LF, self._searched)
        self._searched = len(self._buffer) if end < 0 else end
        return end


def one_line(text: bytes) -> bytes:
    """Return JSON text as one line to every reader.

    Line ends inside JSON can only be white space. Some readers also split at the separators of
    Unicode, which inside JSON can only be part of a string.
    """
    if LF in text:
        text = text.replace(b"\n", b" ")
    if not text.isascii():
        for last, whole, escaped in _ESCAPED:
            if last in text:
                text = text.replace(whole, escaped)
    return text
