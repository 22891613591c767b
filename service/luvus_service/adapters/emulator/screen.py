"""Rules that turn rows of a screen into a capture: trimming, cutting, the cursor's place.

Pure text work. Knows of escape sequences only SGR, which is all a capture may contain.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

RESET: Final = "\x1b[0m"
_SGR: Final = re.compile(r"\x1b\[[0-9;:]*m")


def plain(text: str) -> str:
    """Return the text without its SGR sequences."""
    return _SGR.sub("", text) if "\x1b" in text else text


def trimmed_line(line: str) -> str:
    """Return a line without trailing blanks; blanks that carry a style stay, for they show.

    The style is reset at the end of every row, so a line needs no knowledge of the one before.
    """
    last = line.rfind("\x1b[")
    return line.rstrip(" ") if last < 0 or line.startswith(RESET, last) else line


def trimmed_lines(text: str) -> list[str]:
    """Return the lines of a formatted screen without trailing blanks and blank lines at the end."""
    lines = [trimmed_line(line) for line in text.replace("\r\n", "\n").split("\n")]
    while lines and not plain(lines[-1]).strip(" "):
        lines.pop()
    return lines


@dataclass(frozen=True, slots=True)
class Tail:
    """The newest lines that fit, as one text."""

    text: str
    first: int
    """Index of the first line kept."""
    first_is_cut: bool
    """Whether the first line kept lacks its beginning."""


def tail_of(lines: Sequence[str], count: int, max_bytes: int, *, ansi: bool) -> Tail:
    """Keep at most `count` newest lines and `max_bytes` UTF-8 bytes; drops whole older lines.

    Only a line that is too long for any capture loses its beginning, and then its styles too:
    dropped whole, it could never be seen.
    """
    room = max_bytes - (len(RESET) if ansi else 0)
    first = len(lines)
    floor = max(0, len(lines) - count)
    size = 0
    while first > floor:
        size = len(lines[first - 1].encode("utf-8", "replace")) + (first < len(lines))
        if size > room:
            break
        room -= size
        first -= 1
    if first > floor and (first == len(lines) or (size > max_bytes and room > 1)):
        begun = _ending(plain(lines[first - 1]), room - (first < len(lines)))
        rest = _text(lines[first:], ansi=ansi)
        return Tail(
            "\n".join([begun, rest] if first < len(lines) else [begun]),
            first - 1,
            first_is_cut=True,
        )
    return Tail(_text(lines[first:], ansi=ansi), first, first_is_cut=False)


def _text(lines: Sequence[str], *, ansi: bool) -> str:
    text = "\n".join(lines)
    if ansi and "\x1b" in text and not text.endswith(RESET):
        text += RESET
    return text


def _ending(text: str, max_bytes: int) -> str:
    encoded = text.encode("utf-8", "replace")
    start = max(0, len(encoded) - max(0, max_bytes))
    while start < len(encoded) and encoded[start] & 0xC0 == 0x80:
        start += 1
    return encoded[start:].decode("utf-8")


def cursor_place(kept: Sequence[str], index: int, before: str) -> tuple[int, int]:
    """Return (offset, padding cells) of a cursor in line `index` of the lines kept.

    `before` is what stands before the cursor in that line, blank cells as spaces.
    """
    line_start = sum(len(plain(line)) + 1 for line in kept[:index])
    shown = min(len(before), len(plain(kept[index])))
    return line_start + shown, len(before) - shown
