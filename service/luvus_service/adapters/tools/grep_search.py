"""Searches files for a pattern, as a program of its own: a slow pattern can be ended from outside.

Reads one line of JSON, then NUL-ended paths; writes one JSON array a line: [path, line number, is
match, text], or [path, count]. Knows the standard library only.
"""

from __future__ import annotations

import json
import os
import re
import stat
import sys
from collections.abc import Iterator
from typing import Any

FILE_BYTES = 8 * 1024 * 1024
"""Of one file; bigger ones are not searched."""
SNIFFED_BYTES = 8_000
LINE_CHARS = 500


def main() -> int:
    """Search what the input says."""
    order: dict[str, Any] = json.loads(sys.stdin.buffer.readline())
    text = re.escape(order["pattern"]) if order["literal"] else order["pattern"]
    flags = re.IGNORECASE if order["ignore_case"] else 0
    pattern = re.compile(text.encode("utf-8"), flags | re.MULTILINE)
    os.chdir(order["folder"])
    skipped = 0
    for raw in sys.stdin.buffer.read().split(b"\0"):
        if not raw:
            continue
        content = _content(raw)
        if content is None:
            skipped += 1
        elif pattern.search(content):
            _report(os.fsdecode(raw), content, pattern, order)
    _say(["", skipped])
    return 0


def _content(path: bytes) -> bytes | None:
    """Return a text file's bytes; None for one that is too big or cannot be read."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW)
    except OSError:
        return b""
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            return b""
        if status.st_size > FILE_BYTES:
            return None
        content = file.read(FILE_BYTES)
    return b"" if b"\0" in content[:SNIFFED_BYTES] else content


def _report(path: str, content: bytes, pattern: re.Pattern[bytes], order: dict[str, Any]) -> None:
    lines = content.split(b"\n")
    if lines and not lines[-1]:
        lines.pop()
    found = [number for number, line in enumerate(lines) if pattern.search(line.rstrip(b"\r"))]
    if not found:
        return
    if order["mode"] != "content":
        _say([path, len(found)])
        return
    wanted = set(found[: order["limit"]])
    for number in sorted(_around(wanted, order["context"], len(lines))):
        shown = lines[number].decode("utf-8", "replace").rstrip("\r")
        if len(shown) > LINE_CHARS:
            shown = shown[:LINE_CHARS] + "…"
        _say([path, number + 1, number in wanted, shown])


def _around(numbers: set[int], context: int, count: int) -> set[int]:
    return {
        near
        for number in numbers
        for near in range(max(0, number - context), min(count, number + context + 1))
    }


def _say(item: list[Any]) -> None:
    sys.stdout.write(json.dumps(item) + "\n")


def parts(line: bytes) -> Iterator[Any]:
    """Yield the parts of a line that this program wrote."""
    yield from json.loads(line)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except BrokenPipeError:
        os._exit(0)
