"""What a session's file says about itself, read without building its records."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import orjson

from luvus_service.luxe.domain.records import PullRequestName, SessionSummary
from luvus_service.luxe.domain.values import ModelRef

FIRST_MESSAGE_CHARS = 200


def summarised(path: Path) -> SessionSummary | None:
    """Return a session as a list shows it; None when its header cannot be read."""
    with path.open("rb") as file:
        header = _object(file.readline())
        if header.get("type") != "session":
            return None
        seen = _Seen()
        for line in file:
            seen.take(line)
    status = path.stat()
    moment = datetime.fromtimestamp(status.st_mtime, UTC)
    return SessionSummary(
        id=str(header["id"]),
        title=seen.title,
        first_message=seen.first,
        cwd=seen.cwd or str(header["cwd"]),
        created_at=str(header["created_at"]),
        updated_at=f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03d}Z",
        messages=seen.messages,
        turns=seen.turns,
        model=seen.model,
        branch=_branch(header) if seen.cwd is None else None,
        cost_usd=seen.cost,
        size_bytes=status.st_size,
        current=False,
        locked=False,
        pull_request=seen.link,
    )


def ends_in_a_turn(lines: Iterable[bytes]) -> bool:
    """Say whether the last turn of a file's lines has no end."""
    last: dict[str, Any] = {}
    for line in lines:
        if line.startswith(b'{"type":"turn"'):
            last = _object(line) or last
    return last.get("state") == "start"


class _Seen:
    def __init__(self) -> None:
        self.messages = 0
        self.turns = 0
        self.first: str | None = None
        self.title: str | None = None
        self.model: ModelRef | None = None
        self.cost: float | None = None
        self.link: PullRequestName | None = None
        self.cwd: str | None = None

    def take(self, line: bytes) -> None:
        if line.startswith(b'{"type":"message"'):
            self.messages += 1
            if self.first is None and b'"role":"user"' in line:
                self.first = _text(_object(line))
            return
        found = _object(line)
        kind = found.get("type")
        if kind == "turn" and found.get("state") == "start":
            self.turns += 1
        elif kind == "title":
            self.title = str(found.get("title"))
        elif kind == "model":
            self.model = ModelRef(**found["model"])
        elif kind == "usage":
            cost = found["usage"].get("cost_usd")
            if cost is not None:
                self.cost = round((self.cost or 0.0) + cost, 6)
        elif kind == "link":
            self.link = PullRequestName(found["repository"], found["number"])
        elif kind == "moved":
            self.cwd = str(found.get("cwd"))


def _branch(header: dict[str, Any]) -> str | None:
    worktree: object = header.get("worktree")
    if not isinstance(worktree, dict):
        return None
    branch = cast("dict[str, object]", worktree).get("branch")
    return branch if isinstance(branch, str) else None


def _object(line: bytes) -> dict[str, Any]:
    try:
        found: object = orjson.loads(line)
    except orjson.JSONDecodeError:
        return {}
    return cast("dict[str, Any]", found) if isinstance(found, dict) else {}


def _text(record: dict[str, Any]) -> str | None:
    parts = record.get("message", {}).get("parts", [])
    texts = [part["text"] for part in parts if part.get("type") == "text"]
    return "".join(texts)[:FIRST_MESSAGE_CHARS] or None
