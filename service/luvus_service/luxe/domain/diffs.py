"""Unified diffs of git as values: files, hunks, lines, with ids that survive shifts."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from typing import Literal

from luvus_service.luxe.domain.project_events import DiffHunk, DiffLine

LINE_CHARS = 5_000
CHANGED_LINES = 20_000
_HEADER = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)")


def short_hash(*parts: str) -> str:
    """Return 16 hex digits that stand for the parts."""
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogateescape")).hexdigest()[:16]


def hunks_of(diff: str, file_id: str) -> tuple[tuple[DiffHunk, ...], bool]:
    """Return the hunks of one file's diff, and whether some were left out."""
    found: list[DiffHunk] = []
    seen: dict[str, int] = {}
    changed = 0
    for header, body in _blocks(diff):
        match = _HEADER.fullmatch(header)
        if match is None:
            continue
        old, new = int(match[1]), int(match[3])
        lines = tuple(_lines(body, old, new))
        changed += sum(line.t != " " for line in lines)
        if changed > CHANGED_LINES:
            return tuple(found), True
        content = "\n".join(line.t + line.text for line in lines if line.t != " ")
        before = seen.get(content, 0)
        seen[content] = before + 1
        found.append(
            DiffHunk(
                id="hunk:" + short_hash(file_id, content, str(before)),
                header=header,
                section=match[5] or None,
                old_start=old,
                old_lines=int(match[2] or 1),
                new_start=new,
                new_lines=int(match[4] or 1),
                lines=lines,
            )
        )
    return tuple(found), False


def cut_largest(texts: Sequence[str], limit: int) -> list[str]:
    """Return texts that have at most `limit` characters together; the largest are cut first."""
    if sum(map(len, texts)) <= limit:
        return list(texts)
    low, high = 0, limit
    while low < high:
        middle = (low + high + 1) // 2
        if sum(min(len(text), middle) for text in texts) <= limit:
            low = middle
        else:
            high = middle - 1
    return [text[:low] for text in texts]


def _blocks(diff: str) -> Iterator[tuple[str, Sequence[str]]]:
    header: str | None = None
    body: list[str] = []
    for line in diff.split("\n"):
        if line.startswith("@@ "):
            if header is not None:
                yield header, body
            header, body = line, []
        elif header is not None and line[:1] in {" ", "+", "-", "\\"}:
            body.append(line)
    if header is not None:
        yield header, body


def _lines(body: Sequence[str], old: int, new: int) -> Iterator[DiffLine]:
    for index, line in enumerate(body):
        sign, text = line[:1], line[1:]
        if sign == "\\":
            continue
        if len(text) > LINE_CHARS:
            text = text[:LINE_CHARS] + "…"
        last = index + 1 < len(body) and body[index + 1].startswith("\\")
        eof: Literal[True] | None = True if last else None
        if sign == "+":
            yield DiffLine("+", None, new, text, eof)
        elif sign == "-":
            yield DiffLine("-", old, None, text, eof)
        else:
            yield DiffLine(" ", old, new, text, eof)
        old += sign != "+"
        new += sign != "-"
