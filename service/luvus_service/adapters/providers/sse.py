"""Server-sent events: bytes in, events out.

Holds at most one incomplete event. Knows nothing of HTTP or of what events mean; may be fed one
byte at a time.
"""

from __future__ import annotations

from typing import Final, NamedTuple

EVENT_BYTES: Final = 16 * 1024 * 1024
"""One event; a stream that exceeds it is garbage."""

_BOM: Final = b"\xef\xbb\xbf"


class GarbledStream(Exception):
    """The stream is not what its format says; the text says what was found."""


class Event(NamedTuple):
    """One event with data."""

    name: str
    data: bytes


class EventStream:
    """Reads one stream."""

    def __init__(self, limit: int = EVENT_BYTES) -> None:
        self._limit = limit
        self._tail: list[bytes] = []
        self._size = 0
        self._after_return = False
        self._begun = False
        self._name = ""
        self._data: list[bytes] = []

    def feed(self, chunk: bytes) -> list[Event]:
        """Take bytes and return the events they completed.

        Raises:
            GarbledStream: An event is too large.
        """
        if b"\r" in chunk or self._after_return:
            chunk = self._plain_ends(chunk)
        self._size += len(chunk)
        if b"\n" not in chunk:
            self._tail.append(chunk)
            self._check_size()
            return []
        lines = (b"".join(self._tail) + chunk).split(b"\n")
        self._tail = [lines.pop()]
        events: list[Event] = []
        for line in lines:
            if line:
                self._field(line)
            elif self._data:
                events.append(self._event())
            else:
                self._name = ""
        self._size = len(self._tail[0]) + sum(map(len, self._data))
        self._check_size()
        return events

    def finish(self) -> list[Event]:
        """Return the last event of a stream that ended without its empty line."""
        line = b"".join(self._tail)
        self._tail = []
        if line:
            self._field(line)
        return [self._event()] if self._data else []

    def _plain_ends(self, chunk: bytes) -> bytes:
        if self._after_return and chunk[:1] == b"\n":
            chunk = chunk[1:]
            self._after_return = False
        if chunk:
            self._after_return = chunk.endswith(b"\r")
        return chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n")

    def _field(self, line: bytes) -> None:
        if not self._begun:
            self._begun = True
            line = line.removeprefix(_BOM)
        name, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if name == b"data":
            self._data.append(value)
        elif name == b"event":
            self._name = value.decode("ascii", "replace")

    def _event(self) -> Event:
        event = Event(self._name, self._data[0] if len(self._data) == 1 else b"\n".join(self._data))
        self._name = ""
        self._data = []
        return event

    def _check_size(self) -> None:
        if self._size > self._limit:
            raise GarbledStream(f"an event is larger than {self._limit} bytes")
