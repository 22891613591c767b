"""Codex: rollouts by day."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from luvus_service.adapters.agents import reading
from luvus_service.adapters.agents.base import Adapter, glob
from luvus_service.adapters.agents.reading import Json
from luvus_service.uhp.domain.agents.stores import StoredSession, Usage

TAIL_BYTES = 8_388_608


@dataclass(slots=True)
class Codex(Adapter):
    """`codex`; it keeps one folder for all projects, so that its newest session proves nothing."""

    id: str = "codex"
    launch: str = "codex"
    resume: tuple[str, ...] = ("codex", "resume", "{id}")
    fork: tuple[str, ...] = ("codex", "fork", "{id}")
    guesses: bool = False

    @property
    def base(self) -> Path:
        """Where it keeps settings and rollouts."""
        return self.places.folder("CODEX_HOME", ".codex")

    def sessions(self, limit: int) -> Sequence[StoredSession]:
        """Return the newest rollouts."""
        found = glob(self.base / "sessions", "*/*/*/rollout-*.jsonl", limit)
        return self.stored((*_meta(path), when, path) for when, path in found)

    def read_usage(self, path: Path, session: StoredSession) -> Usage | None:
        """Take the newest total; its input includes what came from the cache."""
        for record in reversed(reading.tail(path, TAIL_BYTES)):
            info = reading.at(record, "payload", "info")
            total = reading.at(info, "total_token_usage")
            if reading.text(record, "payload", "type") != "token_count" or total is None:
                continue
            cached = reading.count(total, "cached_input_tokens")
            last = reading.at(info, "last_token_usage")
            return Usage(
                model=_model(path),
                tokens_in=max(0, reading.count(total, "input_tokens") - cached),
                tokens_out=reading.count(total, "output_tokens"),
                cache_read=cached,
                context=reading.count(last, "input_tokens") or None,
            )
        return None


def _meta(path: Path) -> tuple[str, str]:
    session_id = cwd = ""
    for record in reading.head(path, 10):
        for place in (reading.at(record, "payload"), record):
            session_id = session_id or _id(place)
            cwd = cwd or reading.text(place, "cwd")
    return session_id, cwd


def _id(place: Json | None) -> str:
    return reading.text(place, "session_id") or reading.text(place, "id")


def _model(path: Path) -> str:
    found = (reading.text(record, "payload", "model") for record in reading.head(path, 400))
    return next((model for model in found if model), "")
