"""Reads the files of agents: bounded, never raising, and only those of this user.

An agent may be writing while we read: a half-written line is skipped, what cannot be understood is
left out.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, cast

FILE_BYTES = 67_108_864
"""A file larger than this is not read as a whole."""
RECORD_BYTES = 2_097_152
"""A line longer than this is skipped."""
HEAD_BYTES = 262_144
"""Of a file's beginning, where it says what session it is."""
ENTRIES = 5_000
"""Files looked at in one store."""

Json = Mapping[str, Any]


def owned(path: Path) -> os.stat_result | None:
    """Return the facts of a regular file of this user, or None."""
    try:
        found = path.stat()
    except (OSError, ValueError):
        return None
    if not stat.S_ISREG(found.st_mode) or found.st_uid != os.getuid():
        return None
    return found


def newest(paths: Iterable[Path], limit: int) -> list[tuple[float, Path]]:
    """Return the newest files with their times, newest first."""
    found: list[tuple[float, Path]] = []
    try:
        for number, path in enumerate(paths):
            if number >= ENTRIES:
                break
            facts = owned(path)
            if facts is not None:
                found.append((facts.st_mtime, path))
    except OSError:
        pass
    found.sort(key=lambda entry: entry[0], reverse=True)
    return found[:limit]


def head(path: Path, lines: int = 40) -> list[Json]:
    """Return the objects among the first lines of a file."""
    raw = _read(path, 0, HEAD_BYTES)
    return list(objects(raw.split(b"\n")[:lines]))


def tail(path: Path, size: int) -> list[Json]:
    """Return the objects among the last bytes of a file."""
    facts = owned(path)
    if facts is None:
        return []
    start = max(0, facts.st_size - size)
    lines = _read(path, start, size).split(b"\n")
    return list(objects(lines[1:] if start else lines))


def records(path: Path) -> Iterator[Json]:
    """Yield the objects of a file of JSON lines."""
    facts = owned(path)
    if facts is None or facts.st_size > FILE_BYTES:
        return
    try:
        with path.open("rb") as lines:
            while line := lines.readline(RECORD_BYTES):
                if not line.endswith(b"\n") and len(line) >= RECORD_BYTES:
                    _skip_line(lines)
                    continue
                yield from objects((line,))
    except OSError:
        return


def whole(path: Path, limit: int = FILE_BYTES) -> Any:
    """Return a JSON file's value, or None."""
    facts = owned(path)
    if facts is None or facts.st_size > limit:
        return None
    try:
        return json.loads(_read(path, 0, limit))
    except (ValueError, RecursionError):
        return None


def objects(lines: Iterable[bytes]) -> Iterator[Json]:
    """Yield the objects among lines; other lines are left out."""
    for line in lines:
        if not line.strip() or len(line) > RECORD_BYTES:
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            yield cast("Json", value)


def at(value: Any, *keys: str) -> Any:
    """Return what stands at the end of a way through objects, or None."""
    for key in keys:
        if not isinstance(value, dict):
            return None
        value = cast("dict[str, Any]", value).get(key)
    return value


def text(value: Any, *keys: str) -> str:
    """Return a text at the end of a way, or ""."""
    found = at(value, *keys)
    return found if isinstance(found, str) else ""


def count(value: Any, *keys: str) -> int:
    """Return a number of tokens at the end of a way; 0 for anything else."""
    found = at(value, *keys)
    if isinstance(found, bool) or not isinstance(found, int | float):
        return 0
    return max(0, int(found)) if abs(found) < 1e15 else 0


def money(value: Any, *keys: str) -> float | None:
    """Return a cost at the end of a way; None when there is none, and for 0."""
    found = at(value, *keys)
    if isinstance(found, bool) or not isinstance(found, int | float):
        return None
    return float(found) if 0 < found < 1e12 else None


def _skip_line(lines: Any) -> None:
    while (piece := lines.readline(RECORD_BYTES)) and not piece.endswith(b"\n"):
        continue


def _read(path: Path, start: int, size: int) -> bytes:
    if owned(path) is None:
        return b""
    try:
        with path.open("rb") as file:
            file.seek(start)
            return file.read(size)
    except OSError:
        return b""
