"""What the tests of the emulators share: how to compare two terminals."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeAlias

from luvus_service.uhp.domain.ports import Emulator

Make: TypeAlias = Callable[..., Emulator]
HISTORY_BYTES = 1 << 20
ALL_BYTES = 1 << 24

_TOKEN = re.compile(r"\x1b\[([0-9;:]*)m|(.)", re.DOTALL)
_SHOWS = re.compile(r"48;|4[:;]|4$|7$|9$|53$")


def seen(text: str) -> list[list[tuple[str, frozenset[str]]]]:
    """Return the characters of each line with their styles, blanks with those that show.

    Written and unwritten blanks look the same, and so do two ways to say one style.
    """
    lines: list[list[tuple[str, frozenset[str]]]] = [[]]
    style: frozenset[str] = frozenset()
    for match in _TOKEN.finditer(text):
        if match[1] is not None:
            style = frozenset() if match[1] in ("", "0") else style | {match[1]}
        elif match[2] == "\n":
            lines.append([])
        else:
            shown = frozenset(s for s in style if _SHOWS.match(s)) if match[2] == " " else style
            lines[-1].append((match[2], shown))
    for line in lines:
        while line and line[-1] == (" ", frozenset()):
            line.pop()
    while lines and not lines[-1]:
        lines.pop()
    return lines


def state_of(emulator: Emulator) -> dict[str, object]:
    """Return all that a rebuilt terminal has to have in common with its model."""
    plain = emulator.capture("visible", 1000, ansi=False, max_bytes=ALL_BYTES)
    styled = emulator.capture("visible", 1000, ansi=True, max_bytes=ALL_BYTES)
    return {
        "text": plain.text,
        "cursor place": plain.cursor,
        "look": seen(styled.text),
        "cursor": emulator.cursor(),
        "modes": emulator.modes(),
        "title": emulator.title(),
        "cwd": emulator.cwd(),
    }
