"""GitHub Copilot: a folder for each session."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from luvus_service.adapters.agents import reading
from luvus_service.adapters.agents.base import Adapter, glob
from luvus_service.uhp.domain.agents.stores import StoredSession, Usage, summed


@dataclass(slots=True)
class Copilot(Adapter):
    """`copilot`."""

    id: str = "copilot"
    launch: str = "copilot"
    resume: tuple[str, ...] = ("copilot", "--resume={id}")

    @property
    def base(self) -> Path:
        """Where it keeps settings and sessions."""
        return self.places.home / ".copilot"

    def sessions(self, limit: int) -> Sequence[StoredSession]:
        """Return the newest sessions."""
        found = glob(self.base / "session-state", "*/workspace.yaml", limit)
        return self.stored(
            (*_workspace(path), when, path.parent / "events.jsonl") for when, path in found
        )

    def read_usage(self, path: Path, session: StoredSession) -> Usage | None:
        """Take the sums of the last end of the session, by model."""
        for record in reversed(reading.tail(path, reading.FILE_BYTES // 8)):
            metrics = reading.at(record, "data", "modelMetrics")
            if reading.text(record, "type") == "session.shutdown" and isinstance(metrics, dict):
                models = cast("dict[str, Any]", metrics)
                return summed(_usage(model, used) for model, used in models.items())
        return None


def _usage(model: str, metrics: Any) -> Usage:
    used = reading.at(metrics, "usage") or metrics
    read = reading.count(used, "cacheReadTokens")
    return Usage(
        model=model,
        tokens_in=max(0, reading.count(used, "inputTokens") - read),
        tokens_out=reading.count(used, "outputTokens"),
        cache_read=read,
        cache_write=reading.count(used, "cacheWriteTokens"),
    )


def _workspace(path: Path) -> tuple[str, str]:
    # Two plain keys of a small YAML file; a parser would be a dependency for two lines.
    found = {"id": "", "cwd": ""}
    facts = reading.owned(path)
    if facts is None or facts.st_size > reading.HEAD_BYTES:
        return "", ""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return "", ""
    for line in lines:
        key, _, value = line.partition(":")
        if key in found and not found[key]:
            found[key] = value.strip().strip("\"'")
    return found["id"], found["cwd"]
