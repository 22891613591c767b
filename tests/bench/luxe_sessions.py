"""Stored sessions of agents, made long by repeating their messages in each one's own form."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from uuid import uuid4

from tests.bench.agent_drivers import Claude, Codex, Driver, Luxe, Pi
from tests.bench.processes import MIB

SESSION_BYTES = 50 * MIB
FILLER = "All work and no play. " * 200

Line = dict[str, Any]
Again = Callable[[Line, int, str], Line]
"""A line as it stands again, given the how manyth it is and the id of the message before it."""


def newest(folder: Path) -> Path:
    """Return the file that a session was written to last."""
    return max(folder.rglob("*.jsonl"), key=lambda found: found.stat().st_mtime)


def grow(driver: type[Driver], home: Path) -> str:
    """Make the newest session of an agent long and return what it is resumed by."""
    folder, again, ids, named = GROWN[driver]
    path = newest(home / folder)
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    spoken = list(filter(_spoken, lines))
    size, number, last = path.stat().st_size, len(lines), str(lines[-1].get(ids, ""))
    with path.open("a", encoding="utf-8") as file:
        while size < SESSION_BYTES:
            for line in spoken:
                made = again(line, number, last)
                number, last = number + 1, str(made.get(ids, ""))
                size += file.write(json.dumps(made) + "\n")
    return named(path)


def _spoken(line: Mapping[str, Any]) -> bool:
    said = line.get("message") or line.get("payload") or {}
    texts = said.get("parts") or said.get("content") or []
    return said.get("role") in ("user", "assistant") and "<" not in str(texts)


def _filled(said: Mapping[str, Any], field: str, number: int) -> Line:
    texts = said[field]
    if isinstance(texts, str):
        return {**said, field: f"{number} {FILLER}"}
    parts = [{**part, "text": f"{number} {FILLER}"} for part in texts if "text" in part]
    return {**said, field: parts}


def _luxe(line: Line, number: int, _last: str) -> Line:
    message = _filled(line["message"], "parts", number)
    return {**line, "message": {**message, "id": f"{message['id']}{number}"}}


def _pi(line: Line, number: int, last: str) -> Line:
    filled = _filled(line["message"], "content", number)
    return {**line, "id": f"{number:08x}", "parentId": last, "message": filled}


def _codex(line: Line, number: int, _last: str) -> Line:
    filled = {**_filled(line["payload"], "content", number), "id": f"msg_{number}"}
    return {**line, "ordinal": number, "payload": filled}


def _claude(line: Line, number: int, last: str) -> Line:
    filled = _filled(line["message"], "content", number)
    if "id" in filled:
        filled["id"] = f"msg_{number}"
    return {**line, "uuid": str(uuid4()), "parentUuid": last, "message": filled}


def _thread(path: Path) -> str:
    return path.stem[-36:]


def _whole(path: Path) -> str:
    return str(path)


def _stem(path: Path) -> str:
    return path.stem


GROWN: Mapping[type[Driver], tuple[str, Again, str, Callable[[Path], str]]] = {
    Luxe: ("luxe/sessions", _luxe, "id", _stem),
    Pi: (".pi/agent/sessions", _pi, "id", _whole),
    Codex: (".codex/sessions", _codex, "ordinal", _thread),
    Claude: (".claude/projects", _claude, "uuid", _stem),
}
"""Where each keeps its sessions, how it repeats a line, what identifies one, what resumes it.

opencode keeps rows in a database of its own, which nobody else should write.
"""
