"""Kimi: an index of sessions, a folder for each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from luvus_service.adapters.agents import reading
from luvus_service.adapters.agents.base import Adapter
from luvus_service.uhp.domain.agents.stores import StoredSession, Usage, summed

INDEX_BYTES = 1_048_576


@dataclass(slots=True)
class Kimi(Adapter):
    """`kimi`."""

    id: str = "kimi"
    launch: str = "kimi"
    resume: tuple[str, ...] = ("kimi", "--resume", "{id}")

    @property
    def base(self) -> Path:
        """Where it keeps settings and sessions."""
        return self.places.folder("KIMI_CODE_HOME", ".kimi-code")

    def sessions(self, limit: int) -> Sequence[StoredSession]:
        """Return the sessions last added to the index."""
        index = self.base / "session_index.jsonl"
        facts = reading.owned(index)
        if facts is None:
            return ()
        newest = list(reversed(reading.tail(index, INDEX_BYTES)))[:limit]
        return self.stored(
            (
                reading.text(record, "sessionId"),
                reading.text(record, "workDir"),
                # The order of the index is the order of use; the file knows one time only.
                facts.st_mtime - number * 0.001,
                Path(reading.text(record, "sessionDir")) / "agents" / "main" / "wire.jsonl",
            )
            for number, record in enumerate(newest)
        )

    def read_usage(self, path: Path, session: StoredSession) -> Usage | None:
        """Sum the answers, each once."""
        answers: dict[str, Usage] = {}
        for number, record in enumerate(reading.records(path)):
            place = record
            used = reading.at(record, "token_usage")
            for way in (("payload",), ("message", "payload"), ("params",)):
                if used is None:
                    found = reading.at(record, *way)
                    used = reading.at(found, "token_usage")
                    place = found if used is not None else place
            if not isinstance(used, dict):
                continue
            fresh = reading.count(used, "input_other")
            read = reading.count(used, "input_cache_read")
            write = reading.count(used, "input_cache_creation")
            answers[reading.text(place, "message_id") or str(number)] = Usage(
                model=reading.text(place, "model"),
                tokens_in=fresh,
                tokens_out=reading.count(used, "output"),
                cache_read=read,
                cache_write=write,
                context=fresh + read + write,
            )
        return summed(answers.values())
