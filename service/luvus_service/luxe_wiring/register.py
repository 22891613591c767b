"""The server's list of agent sessions, in the order in which they were opened.

A session is live, or dormant: listed as it stood when the last server ended, and loaded once
somebody looks at it or acts. Knows how to do neither.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from luvus_service.luxe_wiring.kept import CUT, Kept
from luvus_service.luxe_wiring.rows import SessionRow
from luvus_service.rpc.refusals import Refused


class Entry(Protocol):
    """A session of the list."""

    @property
    def id(self) -> str:
        """The id of the session that is open in it now."""
        ...

    @property
    def first_id(self) -> str:
        """The id of the session it was opened with, which finds it too."""
        ...

    def row(self) -> SessionRow:
        """Return what a list shows."""
        ...

    def kept(self) -> Kept | None:
        """Return what is to be remembered of it; None when nothing is."""
        ...


class Dormant:
    """A session that nobody has looked at since the server started."""

    def __init__(self, kept: Kept) -> None:
        self._kept = kept
        self._fault: Kept | None = None

    @property
    def id(self) -> str:
        """The id of the session that was open in it."""
        return self._kept.row.session_id

    @property
    def first_id(self) -> str:
        """The id of the session it was opened with."""
        return self._kept.first_id

    def row(self) -> SessionRow:
        """Return how it stood, or that it cannot be loaded."""
        return (self._fault or self._kept).row

    def kept(self) -> Kept:
        """Return what is remembered of it."""
        return self._kept

    def cut(self, now_ms: int) -> None:
        """Take note that its file ends in the middle of a turn."""
        if self._kept.row.state != "failed":
            self._kept = self._kept.failed(CUT, now_ms)

    def fail(self, why: str, now_ms: int) -> None:
        """List it as failed; what is remembered stays, for the reason may go away."""
        if self._fault is None or self._fault.row.error != why:
            self._fault = self._kept.failed(why, now_ms)


class Register:
    """All sessions by their places; a place is never taken twice."""

    def __init__(self) -> None:
        self._entries: dict[int, Entry] = {}
        self._next = 0

    def __len__(self) -> int:
        return len(self._entries)

    def bring_back(self, place: int, kept: Kept) -> None:
        """List a session of the last server; in the order of their places."""
        self._entries[place] = Dormant(kept)
        self._next = max(self._next, place + 1)

    def begin_after(self, place: int) -> None:
        """Leave a place, and all before it, to what holds it on the disk."""
        self._next = max(self._next, place + 1)

    def add(self, entry: Entry) -> None:
        """List a session: where it lay dormant, otherwise at the end."""
        place = next((p for p, e in self._entries.items() if _is_of(e, entry.id)), self._next)
        self._entries[place] = entry
        self._next = max(self._next, place + 1)

    def replace(self, old: Entry, new: Entry) -> None:
        """Put a session in the place of another; at the end when that is gone."""
        place = next((p for p, e in self._entries.items() if e is old), self._next)
        self._entries[place] = new
        self._next = max(self._next, place + 1)

    def drop(self, entry: Entry) -> None:
        """Take a session from the list, if it is there."""
        self._entries = {p: e for p, e in self._entries.items() if e is not entry}

    def find(self, session_id: str) -> Entry:
        """Return a session by its id, or by the one it was opened with.

        Raises:
            Refused: There is none.
        """
        self._forget_doubles()
        entries = self._entries.values()
        by_id = next((e for e in entries if e.id == session_id), None)
        found = by_id or next((e for e in reversed(entries) if e.first_id == session_id), None)
        if found is None:
            raise Refused("not_found", f"no agent session {session_id[:64]!r} is open here")
        return found

    def listed(self) -> list[SessionRow]:
        """Return all rows, oldest first."""
        self._forget_doubles()
        return [entry.row() for entry in self._entries.values()]

    def kept(self) -> Mapping[int, Kept]:
        """Return what is to be remembered, by place."""
        self._forget_doubles()
        found = {place: entry.kept() for place, entry in self._entries.items()}
        return {place: kept for place, kept in found.items() if kept is not None}

    def dormant(self) -> list[Dormant]:
        """Return the sessions that nobody has looked at yet."""
        return [e for e in self._entries.values() if isinstance(e, Dormant)]

    def _forget_doubles(self) -> None:
        # A live session can load the conversation of a dormant one, and then has it.
        dormant = self.dormant()
        if not dormant:
            return
        live = {e.id for e in self._entries.values() if not isinstance(e, Dormant)}
        for entry in dormant:
            if entry.id in live:
                self.drop(entry)


def _is_of(entry: Entry, session_id: str) -> bool:
    return isinstance(entry, Dormant) and entry.id == session_id
