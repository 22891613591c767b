"""pi: sessions by folder, one file each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from luvus_service.adapters.agents import reading
from luvus_service.adapters.agents.base import Adapter, glob
from luvus_service.uhp.domain.agents.stores import StoredSession, Usage, summed


@dataclass(slots=True)
class Pi(Adapter):
    """`pi`."""

    id: str = "pi"
    launch: str = "pi"
    resume: tuple[str, ...] = ("pi", "--session", "{id}")
    fork: tuple[str, ...] = ("pi", "--fork", "{id}")

    @property
    def base(self) -> Path:
        """Where it keeps sessions."""
        return self.places.folder("PI_CODING_AGENT_SESSION_DIR", ".pi", "agent", "sessions")

    def sessions(self, limit: int) -> Sequence[StoredSession]:
        """Return the newest sessions."""
        found = glob(self.base, "*/*.jsonl", limit)
        return self.stored((*_header(path), when, path) for when, path in found)

    def read_usage(self, path: Path, session: StoredSession) -> Usage | None:
        """Sum the answers, each once."""
        answers: dict[str, Usage] = {}
        for number, record in enumerate(reading.records(path)):
            used = reading.at(record, "message", "usage")
            if not isinstance(used, dict):
                continue
            fresh = reading.count(used, "input")
            read, write = reading.count(used, "cacheRead"), reading.count(used, "cacheWrite")
            answers[reading.text(record, "id") or str(number)] = Usage(
                model=reading.text(record, "message", "model"),
                tokens_in=fresh,
                tokens_out=reading.count(used, "output"),
                cache_read=read,
                cache_write=write,
                cost=reading.money(used, "cost", "total"),
                context=fresh + read + write,
            )
        return summed(answers.values())


def _header(path: Path) -> tuple[str, str]:
    for record in reading.head(path, 1):
        if reading.text(record, "type") == "session":
            return reading.text(record, "id"), reading.text(record, "cwd")
    return "", ""
