"""Gemini and Qwen: chats by project, in one format."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from luvus_service.adapters.agents import reading
from luvus_service.adapters.agents.base import Adapter, glob
from luvus_service.adapters.agents.reading import Json
from luvus_service.uhp.domain.agents.stores import StoredSession, Usage, summed

CHAT_BYTES = 33_554_432


@dataclass(slots=True)
class Gemini(Adapter):
    """`gemini`."""

    id: str = "gemini"
    launch: str = "gemini"
    resume: tuple[str, ...] = ("gemini", "--resume", "{id}")
    folder: str = ".gemini"

    def sessions(self, limit: int) -> Sequence[StoredSession]:
        """Return the newest chats."""
        base = self.places.home / self.folder / "tmp"
        found = glob(base, "*/chats/session-*.json*", limit)
        return self.stored((_session_id(path), _root(path), when, path) for when, path in found)

    def read_usage(self, path: Path, session: StoredSession) -> Usage | None:
        """Sum the answers, each once; input includes what came from the cache."""
        answers: dict[str, Usage] = {}
        for number, message in enumerate(_messages(path)):
            used = reading.at(message, "tokens") or reading.at(message, "usageMetadata")
            if isinstance(used, dict):
                name = reading.text(message, "id") or str(number)
                answers[name] = _usage(message, cast("Json", used))
        return summed(answers.values())


@dataclass(slots=True)
class Qwen(Gemini):
    """`qwen`."""

    id: str = "qwen"
    launch: str = "qwen"
    resume: tuple[str, ...] = ("qwen", "--resume", "{id}")
    folder: str = ".qwen"


def _usage(message: Json, used: Json) -> Usage:
    cached = reading.count(used, "cached") + reading.count(used, "cachedContentTokenCount")
    whole = reading.count(used, "input") + reading.count(used, "promptTokenCount")
    spoken = reading.count(used, "output") + reading.count(used, "candidatesTokenCount")
    thought = reading.count(used, "thoughts") + reading.count(used, "thoughtsTokenCount")
    return Usage(
        model=reading.text(message, "model"),
        tokens_in=max(0, whole - cached),
        tokens_out=spoken + thought,
        cache_read=cached,
        context=whole or None,
    )


def _messages(path: Path) -> Iterable[Json]:
    if path.suffix == ".jsonl":
        return list(reading.records(path))
    found: Any = reading.at(reading.whole(path, CHAT_BYTES), "messages")
    if not isinstance(found, list):
        return []
    return [cast("Json", m) for m in cast("list[object]", found) if isinstance(m, dict)]


def _session_id(path: Path) -> str:
    if path.suffix == ".jsonl":
        records: Iterable[Any] = reading.head(path)
    else:
        records = [reading.whole(path, CHAT_BYTES)]
    return next((found for r in records if (found := reading.text(r, "sessionId"))), "")


def _root(path: Path) -> str:
    marker = path.parent.parent / ".project_root"
    facts = reading.owned(marker)
    if facts is None or facts.st_size > 4096:
        return ""
    try:
        return marker.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return ""
