"""OpenCode: a database, and before that a folder of JSON files."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from luvus_service.adapters.agents import reading
from luvus_service.adapters.agents.base import Adapter, glob
from luvus_service.uhp.domain.agents.stores import StoredSession, Usage, summed

BUSY_S = 0.2
"""How long a database that OpenCode is writing to is waited for."""
SUMS = (
    "cost",
    "tokens_input",
    "tokens_output",
    "tokens_reasoning",
    "tokens_cache_read",
    "tokens_cache_write",
)
MESSAGES = 20_000
TABLES = ("session_v2", "session")


@dataclass(slots=True)
class OpenCode(Adapter):
    """`opencode`."""

    id: str = "opencode"
    launch: str = "opencode"
    resume: tuple[str, ...] = ("opencode", "--session", "{id}")
    fork: tuple[str, ...] = ("opencode", "--session", "{id}", "--fork")

    @property
    def base(self) -> Path:
        """Where it keeps its data."""
        return self.places.folder("XDG_DATA_HOME", ".local", "share") / "opencode"

    def sessions(self, limit: int) -> Sequence[StoredSession]:
        """Return the newest sessions of database and files."""
        found = [*self._of_database(limit), *self._of_files(limit)]
        found.sort(key=lambda session: session.updated, reverse=True)
        return found[:limit]

    def read_usage(self, path: Path, session: StoredSession) -> Usage | None:
        """Read the session's own sums, or sum its messages."""
        if path.name.endswith(".db"):
            return _database_usage(path, session.session_id)
        folder = path.parents[2] / "message" / session.session_id
        parts = [reading.whole(file) for _, file in glob(folder, "*.json", MESSAGES)]
        return summed(_message_usage(part) for part in reversed(parts) if _answers(part))

    def _of_database(self, limit: int) -> list[StoredSession]:
        path = self.base / "opencode.db"
        rows = _rows(path, _newest_query(path), limit)
        return self.stored(
            (str(row["id"]), str(row["directory"]), _seconds(row["updated"]), path) for row in rows
        )

    def _of_files(self, limit: int) -> list[StoredSession]:
        found = glob(self.base / "storage" / "session", "*/*.json", limit)
        read = [(when, path, reading.whole(path, reading.HEAD_BYTES)) for when, path in found]
        return self.stored(
            (reading.text(info, "id"), reading.text(info, "directory"), when, path)
            for when, path, info in read
        )


def _newest_query(path: Path) -> str:
    for table in TABLES:
        columns = _columns(path, table)
        if {"id", "directory"} <= columns:
            order = "time_updated" if "time_updated" in columns else "rowid"
            # The names are ours or the table's own, not a caller's.
            return f"SELECT id, directory, {order} AS updated FROM {table} ORDER BY {order} DESC LIMIT ?"  # noqa: S608, E501
    return ""


def _database_usage(path: Path, session_id: str) -> Usage | None:
    for table in TABLES:
        columns = _columns(path, table)
        if set(SUMS) <= columns:
            names = ", ".join((*SUMS, *(["model"] if "model" in columns else [])))
            query = f"SELECT {names} FROM {table} WHERE id = ?"  # noqa: S608 - names of ours
            for row in _rows(path, query, session_id):
                used = dict(row)
                model = used.get("model")
                return Usage(
                    model=model if isinstance(model, str) else "",
                    tokens_in=reading.count(used, "tokens_input"),
                    tokens_out=reading.count(used, "tokens_output")
                    + reading.count(used, "tokens_reasoning"),
                    cache_read=reading.count(used, "tokens_cache_read"),
                    cache_write=reading.count(used, "tokens_cache_write"),
                    cost=reading.money(used, "cost"),
                )
    if "data" not in _columns(path, "message"):
        return None
    rows = _rows(path, "SELECT data FROM message WHERE session_id = ? ORDER BY id", session_id)
    parts = reading.objects(str(row["data"]).encode() for row in rows)
    return summed(_message_usage(part) for part in parts if _answers(part))


def _answers(message: Any) -> bool:
    return reading.text(message, "role") == "assistant"


def _message_usage(message: Any) -> Usage:
    fresh = reading.count(message, "tokens", "input")
    read = reading.count(message, "tokens", "cache", "read")
    write = reading.count(message, "tokens", "cache", "write")
    reasoning = reading.count(message, "tokens", "reasoning")
    return Usage(
        model=reading.text(message, "modelID"),
        tokens_in=fresh,
        tokens_out=reading.count(message, "tokens", "output") + reasoning,
        cache_read=read,
        cache_write=write,
        cost=reading.money(message, "cost"),
        context=fresh + read + write,
    )


def _columns(path: Path, table: str) -> set[str]:
    return {str(row["name"]) for row in _rows(path, "SELECT name FROM pragma_table_info(?)", table)}


def _rows(path: Path, query: str, value: object) -> list[sqlite3.Row]:
    if not query or reading.owned(path) is None:
        return []
    try:
        address = f"{path.as_uri()}?mode=ro"
        with closing(sqlite3.connect(address, uri=True, timeout=BUSY_S)) as database:
            database.row_factory = sqlite3.Row
            return database.execute(query, (value,)).fetchmany(MESSAGES)
    except (sqlite3.Error, ValueError):
        return []


def _seconds(value: object) -> float:
    number = float(value) if isinstance(value, int | float) else 0.0
    return number / 1000 if number > 1e11 else number
