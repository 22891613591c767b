"""A unified diff of two texts, in bounded time: what they share at both ends is set aside first."""

from __future__ import annotations

import difflib
from dataclasses import dataclass

COMPARED_LINES = 3_000
"""Of the part that differs; a bigger one is shown as taken out and put in as a whole."""
CONTEXT = 3


@dataclass(frozen=True, slots=True)
class FileDiff:
    """A diff of one file."""

    text: str
    additions: int
    deletions: int


def file_diff(old: str | None, new: str, path: str) -> FileDiff:
    """Return the diff of a file; `old` None is for a new one."""
    before = _lines(old or "")
    after = _lines(new)
    start = 0
    while start < min(len(before), len(after)) and before[start] == after[start]:
        start += 1
    end = 0
    while end < min(len(before), len(after)) - start and before[-1 - end] == after[-1 - end]:
        end += 1
    if start == len(before) == len(after):
        return FileDiff("", 0, 0)
    head = max(0, start - CONTEXT)
    tail = max(0, end - CONTEXT)
    left, right = before[head : len(before) - tail], after[head : len(after) - tail]
    if max(len(left), len(right)) > COMPARED_LINES:
        body = [*(f"-{line}" for line in left), *(f"+{line}" for line in right)]
        body.insert(0, f"@@ -{_range(head, len(left))} +{_range(head, len(right))} @@\n")
    else:
        body = _shifted(list(difflib.unified_diff(left, right, n=CONTEXT))[2:], head)
    text = [f"--- {'/dev/null' if old is None else 'a/' + path}\n", f"+++ b/{path}\n"]
    missing = "\n\\ No newline at end of file\n"
    text += [line if line.endswith("\n") else line + missing for line in body]
    return FileDiff(
        "".join(text),
        sum(line.startswith("+") for line in body),
        sum(line.startswith("-") for line in body),
    )


def _lines(text: str) -> list[str]:
    # Not `splitlines`: a form feed or U+2028 inside a line is no line end.
    lines = text.split("\n")
    kept = [line + "\n" for line in lines[:-1]]
    return [*kept, lines[-1]] if lines[-1] else kept


def _range(start: int, count: int) -> str:
    return f"{start + 1 if count else start},{count}"


def _shifted(lines: list[str], by: int) -> list[str]:
    """Return hunks whose headers count from the beginning of the file."""
    if not by:
        return lines
    return [_shifted_header(line, by) if line.startswith("@@ ") else line for line in lines]


def _shifted_header(line: str, by: int) -> str:
    _, old, new, _ = line.split(" ", 3)
    return f"@@ -{_moved(old[1:], by)} +{_moved(new[1:], by)} @@\n"


def _moved(text: str, by: int) -> str:
    start, comma, count = text.partition(",")
    return f"{int(start) + by}{comma}{count}"
