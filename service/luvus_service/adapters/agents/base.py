"""What all adapters share: an agent's names and commands, its places on disk, nothing stored."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from luvus_service.adapters.agents.reading import newest, owned
from luvus_service.uhp.domain.agents.stores import StoredSession, Usage

KEPT = 256
"""Usages of files that have not changed since."""


@dataclass(frozen=True, slots=True)
class Places:
    """Where agents keep things for this user."""

    env: Mapping[str, str]

    @property
    def home(self) -> Path:
        """The user's home folder."""
        return Path(self.env.get("HOME") or "/")

    def folder(self, variable: str, *default: str) -> Path:
        """Return the folder that a variable names, or the default below the home."""
        value = self.env.get(variable, "")
        return Path(value) if value.startswith("/") else self.home.joinpath(*default)


@dataclass(slots=True)
class Adapter:
    """An agent with commands and no store of its own that we could read."""

    places: Places
    id: str = ""
    launch: str = ""
    aliases: tuple[str, ...] = ()
    resume: tuple[str, ...] = ()
    fork: tuple[str, ...] = ()
    guesses: bool = True
    _kept: dict[Path, tuple[int, int, Usage | None]] = field(
        default_factory=dict[Path, tuple[int, int, "Usage | None"]]
    )

    def sessions(self, limit: int) -> Sequence[StoredSession]:
        """Return nothing."""
        return ()

    def usage(self, session: StoredSession) -> Usage | None:
        """Return what a session's file says, read again only when it has changed."""
        path = self.file_of(session)
        facts = None if path is None else owned(path)
        if path is None or facts is None:
            return None
        stamp = (facts.st_mtime_ns, facts.st_size)
        kept = self._kept.get(path)
        if kept is not None and kept[:2] == stamp:
            return kept[2]
        found = self.read_usage(path, session)
        if len(self._kept) >= KEPT:
            self._kept.pop(next(iter(self._kept)))
        self._kept[path] = (*stamp, found)
        return found

    def file_of(self, session: StoredSession) -> Path | None:
        """Return the file that tells a session's usage."""
        if session.path:
            return Path(session.path)
        return next(
            (Path(s.path) for s in self.sessions(KEPT) if s.session_id == session.session_id), None
        )

    def read_usage(self, path: Path, session: StoredSession) -> Usage | None:
        """Read a session's file."""
        return None

    def stored(self, found: Iterable[tuple[str, str, float, Path]]) -> list[StoredSession]:
        """Return sessions of (id, folder, time, file), without those that say too little."""
        return [
            StoredSession(self.id, session_id, cwd, updated, str(path))
            for session_id, cwd, updated, path in found
            if session_id and cwd.startswith("/")
        ]


def glob(folder: Path, pattern: str, limit: int) -> list[tuple[float, Path]]:
    """Return the newest files below a folder, newest first; nothing when it is not there."""
    try:
        return newest(folder.glob(pattern), limit)
    except (OSError, ValueError):
        return []
