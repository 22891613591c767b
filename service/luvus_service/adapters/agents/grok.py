"""Grok: sessions by folder, named after it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

from luvus_service.adapters.agents import reading
from luvus_service.adapters.agents.base import Adapter, glob
from luvus_service.uhp.domain.agents.stores import StoredSession, Usage

TICKS = 1e10
"""Of a US dollar."""


@dataclass(slots=True)
class Grok(Adapter):
    """`grok`."""

    id: str = "grok"
    launch: str = "grok"
    resume: tuple[str, ...] = ("grok", "--resume", "{id}")
    fork: tuple[str, ...] = ("grok", "--resume", "{id}", "--fork-session")

    @property
    def base(self) -> Path:
        """Where it keeps settings and sessions."""
        return self.places.folder("GROK_HOME", ".grok")

    def sessions(self, limit: int) -> Sequence[StoredSession]:
        """Return the newest sessions, without those of sub-agents."""
        found = glob(self.base / "sessions", "*/*/updates.jsonl", limit)
        return self.stored(
            (path.parent.name, _cwd(path.parent.parent), when, path)
            for when, path in found
            if path.parent.name != "subagents"
        )

    def read_usage(self, path: Path, session: StoredSession) -> Usage | None:
        """Take the newest figures, which are those of the whole session."""
        for record in reversed(reading.tail(path, reading.FILE_BYTES // 8)):
            used = reading.at(record, "params", "update", "usage")
            if not isinstance(used, dict):
                continue
            read = reading.count(used, "cachedReadTokens") or reading.count(used, "cacheReadTokens")
            ticks = reading.money(used, "costUsdTicks")
            return Usage(
                model=reading.text(record, "params", "update", "model"),
                tokens_in=max(0, reading.count(used, "inputTokens") - read),
                tokens_out=reading.count(used, "outputTokens"),
                cache_read=read,
                cost=None if ticks is None else ticks / TICKS,
            )
        return None


def _cwd(folder: Path) -> str:
    if folder.name.startswith("%2F"):
        return unquote(folder.name)
    marker = folder / ".cwd"
    facts = reading.owned(marker)
    if facts is None or facts.st_size > 4096:
        return ""
    try:
        return marker.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return ""
