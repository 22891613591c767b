"""The rules of an event feed that survives reconnection: pure state, no socket, no clock.

What arrives goes in, what the consumer must see comes out. A gap is always an item of its own: a
feed never continues as if nothing had been lost.
"""

from __future__ import annotations

import os
from collections.abc import Collection
from typing import Any, NamedTuple, cast

from luvus_client.endpoint import Evidence
from luvus_client.errors import BadAnswer, LuvusError

SUBSCRIBE = "events.subscribe"

FIRST_DELAY_S = 0.1
LONGEST_DELAY_S = 5.0

_TRANSIENT = frozenset({"server_busy", "unavailable", "busy"})
_CURSOR_REFUSED = frozenset({"invalid_params", "invalid_request", "resync_required"})
_LOSS_FRAMES = frozenset({"events.resync_required", "terminal.resync_required"})


class Event(NamedTuple):
    """Something that happened in the session."""

    sequence: int
    name: str
    data: dict[str, Any]


class Resync(NamedTuple):
    """Events were lost; take a snapshot now and drop events up to its `event_sequence`."""

    sequence: int
    """The server's sequence when the feed went on, or the frame's own on an announced loss."""
    reason: str
    """`resync_required`, `cursor_newer`, `server_restarted`, `gap`, `sequence_went_back`, or the
    reason that the server gave, such as `subscriber_overflow`."""


class FeedState:
    """Where a feed stands, and what each thing that happens to it means."""

    def __init__(self, after_sequence: int | None, names: Collection[str] | None) -> None:
        self._cursor = after_sequence
        self._names = frozenset(names) if names is not None else None
        self._evidence: Evidence | None = None
        self._owed: str | None = None
        self._failures = 0
        self.connected_before = False
        """Whether a server was reached; before, a missing server is the caller's to hear of."""

    def params(self) -> dict[str, object]:
        """Return the parameters to subscribe with."""
        return {} if self._cursor is None else {"after_sequence": self._cursor}

    def connecting(self, evidence: Evidence) -> None:
        """Note which server is about to be asked; another one than before owes a resync."""
        if self._evidence is not None and evidence != self._evidence:
            self._cursor = None
            self._owed = "server_restarted"
        self._evidence = evidence

    def acknowledged(self, result: dict[str, Any]) -> Resync | None:
        """Take the acknowledgement; return the resync that is owed since the last connection."""
        self.reached()
        fence = _sequence(result.get("sequence"))
        if self._cursor is None:
            self._cursor = fence
        if self._owed is None:
            return None
        owed, self._owed = self._owed, None
        return Resync(fence, owed)

    @property
    def needs_fence(self) -> bool:
        """Whether only the server's present sequence tells where the feed begins."""
        return self._cursor is None

    def reached(self) -> None:
        """Take note of a subscription that was accepted without telling its fence."""
        self._failures = 0
        self.connected_before = True

    def jump(self, sequence: int) -> None:
        """Go on from a loss that the server announced on a stream that stays open."""
        self._cursor = sequence

    def refused(self, error: LuvusError) -> bool:
        """Take a refusal to subscribe; return whether to subscribe again at once.

        Raises:
            LuvusError: Trying again would not help.
        """
        if self._cursor is not None and error.code in _CURSOR_REFUSED and "sequence" in error.data:
            newer = error.code != "resync_required"
            self._owed = "cursor_newer" if newer else "resync_required"
            self._cursor = None
            return True
        if error.code in _TRANSIENT and self.connected_before:
            return False
        raise error

    def frame(self, frame: dict[str, Any]) -> tuple[Event | Resync, ...]:
        """Take a frame of the stream; return what the consumer sees, in order."""
        sequence, name = _sequence(frame.get("sequence")), frame.get("event")
        payload = frame.get("data")
        if not isinstance(name, str) or not isinstance(payload, dict):
            raise BadAnswer("the server sent a frame that is no event", possibly_executed=True)
        data = cast("dict[str, Any]", payload)
        if name in _LOSS_FRAMES:
            return (Resync(sequence, str(data.get("reason", "resync_required"))),)
        items: list[Event | Resync] = []
        if self._cursor is not None and sequence != self._cursor + 1:
            went_back = sequence <= self._cursor
            items.append(Resync(sequence, "sequence_went_back" if went_back else "gap"))
        self._cursor = sequence
        if self._names is None or name in self._names:
            items.append(Event(sequence, name, data))
        return tuple(items)

    def delay(self, chance: float | None = None) -> float:
        """Return the seconds to wait before the next try.

        `chance` between 0 and 1 spreads clients that lost the same server; drawn when left out.
        """
        seconds = backoff(self._failures, chance)
        self._failures += 1
        return seconds


def backoff(failures: int, chance: float | None = None) -> float:
    """Return the seconds to wait after so many failures in a row; see `FeedState.delay`."""
    drawn = os.urandom(1)[0] / 255 if chance is None else chance
    longest = min(FIRST_DELAY_S * 2.0 ** min(failures, 16), LONGEST_DELAY_S)
    return longest * (0.5 + drawn / 2)


def _sequence(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise BadAnswer("the server sent an event without a sequence", possibly_executed=True)
    return value
