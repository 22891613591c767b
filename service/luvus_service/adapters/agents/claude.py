"""Claude Code: transcripts by project folder."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from luvus_service.adapters.agents import reading
from luvus_service.adapters.agents.base import Adapter, glob
from luvus_service.uhp.domain.agents.stores import StoredSession, Usage, summed


@dataclass(slots=True)
class Claude(Adapter):
    """`claude`."""

    id: str = "claude"
    launch: str = "claude"
    resume: tuple[str, ...] = ("claude", "--resume", "{id}")
    fork: tuple[str, ...] = ("claude", "--resume", "{id}", "--fork-session")

    @property
    def base(self) -> Path:
        """Where it keeps settings and transcripts."""
        return self.places.folder("CLAUDE_CONFIG_DIR", ".claude")

    def sessions(self, limit: int) -> Sequence[StoredSession]:
        """Return the newest transcripts."""
        return self.stored(
            (path.stem, _cwd(path), when, path)
            for when, path in glob(self.base / "projects", "*/*.jsonl", limit)
        )

    def file_of(self, session: StoredSession) -> Path | None:
        """Return the transcript."""
        if session.path:
            return Path(session.path)
        folder = re.sub(r"[/.]", "-", session.cwd)
        return self.base / "projects" / folder / f"{session.session_id}.jsonl"

    def read_usage(self, path: Path, session: StoredSession) -> Usage | None:
        """Sum the answers; one that is written in several records counts once."""
        answers: dict[str, Usage] = {}
        for record in reading.records(path):
            used = reading.at(record, "message", "usage")
            name = reading.text(record, "message", "id") or reading.text(record, "uuid")
            if not isinstance(used, dict) or not name:
                continue
            read = reading.count(used, "cache_read_input_tokens")
            write = reading.count(used, "cache_creation_input_tokens")
            fresh = reading.count(used, "input_tokens")
            answers[name] = Usage(
                model=reading.text(record, "message", "model"),
                tokens_in=fresh,
                tokens_out=reading.count(used, "output_tokens"),
                cache_read=read,
                cache_write=write,
                context=fresh + read + write,
            )
        return summed(answers.values())


def _cwd(path: Path) -> str:
    return next((found for r in reading.head(path) if (found := reading.text(r, "cwd"))), "")
