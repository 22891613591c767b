"""Luxe, our own: sessions by project, one file each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from luvus_service.adapters.agents import reading
from luvus_service.adapters.agents.base import Adapter, glob
from luvus_service.uhp.domain.agents.stores import StoredSession, Usage, summed


@dataclass(slots=True)
class Luxe(Adapter):
    """`luxe`."""

    id: str = "luxe"
    launch: str = "luxe"
    resume: tuple[str, ...] = ("luxe", "--resume", "{id}")

    @property
    def base(self) -> Path:
        """Where it keeps its data."""
        return self.places.folder("XDG_DATA_HOME", ".local", "share") / "luxe" / "sessions"

    def sessions(self, limit: int) -> Sequence[StoredSession]:
        """Return the newest sessions."""
        found = glob(self.base, "*/*.jsonl", limit)
        return self.stored((*_header(path), when, path) for when, path in found)

    def read_usage(self, path: Path, session: StoredSession) -> Usage | None:
        """Sum the calls, each once."""
        calls: dict[str, Usage] = {}
        for number, record in enumerate(reading.records(path)):
            if reading.text(record, "type") != "usage":
                continue
            calls[reading.text(record, "id") or str(number)] = Usage(
                model=reading.text(record, "model"),
                tokens_in=reading.count(record, "prompt_tokens"),
                tokens_out=reading.count(record, "completion_tokens"),
                cache_read=reading.count(record, "cache_read_tokens"),
                cache_write=reading.count(record, "cache_write_tokens"),
                cost=reading.money(record, "cost_usd"),
            )
        return summed(calls.values())


def _header(path: Path) -> tuple[str, str]:
    for record in reading.head(path, 1):
        if reading.text(record, "type") == "session":
            return reading.text(record, "id"), reading.text(record, "cwd")
    return "", ""
