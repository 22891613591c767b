"""Reads from a terminal's output what the fallback emulator does not tell: queries, names, modes.

Sans I/O. Sees the same text as the emulator, keeps only an unfinished sequence, and answers what
can be answered without the screen.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from luvus_service.adapters.emulator.noted import Noted, cwd_path, title_text

MAX_UNFINISHED_CHARS: Final = 64 * 1024
"""Of a longer unfinished sequence only is known that it must be swallowed."""
SWALLOW: Final = "\x1b]65535;"

CURSOR_REPORT: Final = "cursor"
PRIVATE_CURSOR_REPORT: Final = "private cursor"

_SEQUENCE: Final = re.compile(
    r"\x1b\](?P<osc>[^\x07\x18\x1a\x1b]*)(?:\x07|\x1b\\|[\x18\x1a]|(?=\x1b[^\\]))"
    r"|\x1b[PX^_][^\x18\x1a\x1b]*(?:\x1b\\|[\x18\x1a]|(?=\x1b[^\\]))"
    r"|\x1b\[(?P<csi>[?>=!]?[0-9;]*\$?[chlnpqt])"
    r"|\x1b(?P<esc>[=>cZ])"
    r"|(?P<bell>\x07)"
)
_UNFINISHED: Final = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*|\][^\x07\x18\x1a\x1b]*\x1b?|[PX^_][^\x18\x1a\x1b]*\x1b?)?\Z"
)

_DEVICE: Final = "\x1b[?62;22c"
_ANSWERS: Final = {
    "c": _DEVICE,
    "0c": _DEVICE,
    ">c": "\x1b[>1;0;0c",
    ">0c": "\x1b[>1;0;0c",
    "=c": "\x1bP!|00000000\x1b\\",
    "5n": "\x1b[0n",
    ">q": "\x1bP>|luvus\x1b\\",
    ">0q": "\x1bP>|luvus\x1b\\",
    "16t": "\x1b[6;16;8t",
    "?996n": "\x1b[?997;1n",
}
_COLOURS: Final = {"10": "e5e5/e5e5/e5e5", "11": "0000/0000/0000", "12": "e5e5/e5e5/e5e5"}
_TRACKED: Final = frozenset((1, 7, 9, 25, 66, 1000, 1002, 1003, 1004, 1006, 1049, 1047, 47, 2004))
_ON: Final[frozenset[int]] = frozenset((7, 25))
ALTERNATE: Final[frozenset[int]] = frozenset((47, 1047, 1049))


class Scanner:
    """What the output of one terminal told so far."""

    def __init__(self, noted: Noted) -> None:
        self._noted = noted
        self.unfinished = ""
        """The sequence at the end of the output that is not complete yet."""
        self.modes: set[int] = set(_ON)
        """The DEC private modes in force, among those that matter here."""
        self.title: str | None = None
        self.cwd: str | None = None

    def scan(self, text: str) -> Iterator[tuple[int, str]]:
        """Take output; yield (index, kind) after each query that only the screen can answer."""
        seen = self.unfinished + text
        shift = len(self.unfinished)
        end = 0
        for match in _SEQUENCE.finditer(seen):
            end = match.end()
            csi = match["csi"]
            if csi in ("6n", "?6n"):
                kind = CURSOR_REPORT if csi == "6n" else PRIVATE_CURSOR_REPORT
                yield max(0, end - shift), kind
            elif csi is not None:
                self._csi(csi)
            elif match["osc"] is not None:
                self._osc(match["osc"], match[0])
            elif match["esc"] is not None:
                self._escape(match["esc"])
            elif match["bell"] is not None:
                self._noted.bell()
        rest = _UNFINISHED.search(seen, end)
        self.unfinished = rest[0] if rest is not None else ""
        if len(self.unfinished) > MAX_UNFINISHED_CHARS:
            self.unfinished = SWALLOW

    def _reply(self, text: str) -> None:
        self._noted.reply(text.encode())

    def _escape(self, final: str) -> None:
        if final == "Z":
            self._reply(_DEVICE)
        elif final == "c":
            self.modes = set(_ON)
            self.title = None
        else:
            (self.modes.add if final == "=" else self.modes.discard)(66)

    def _csi(self, csi: str) -> None:
        if answer := _ANSWERS.get(csi):
            self._reply(answer)
        elif csi in ("14t", "18t"):
            cols, rows = self._noted.size
            told = f"4;{rows * 16};{cols * 8}" if csi == "14t" else f"8;{rows};{cols}"
            self._reply(f"\x1b[{told}t")
        elif csi.startswith("?") and csi.endswith("$p"):
            self._report_mode(csi[1:-2])
        elif csi == "!p":
            self.modes -= {1, 66}
            self.modes |= _ON
        elif csi.startswith("?") and csi[-1] in "hl":
            numbers = {int(n) for n in csi[1:-1].split(";") if _is_number(n)} & _TRACKED
            if csi[-1] == "h":
                self.modes |= numbers
            else:
                # Whichever mode showed the alternate screen, leaving by any other hides it.
                self.modes -= numbers | (ALTERNATE if numbers & ALTERNATE else frozenset())

    def _report_mode(self, number: str) -> None:
        if not _is_number(number):
            return
        state = 0
        if int(number) in _TRACKED:
            state = 1 if int(number) in self.modes else 2
        self._reply(f"\x1b[?{int(number)};{state}$y")

    def _osc(self, text: str, whole: str) -> None:
        number, _, payload = text.partition(";")
        raw = payload.encode("utf-8", "replace")
        if number in ("0", "2"):
            title = title_text(raw)
            if title != self.title:
                self.title = title
                self._noted.title_changed = True
        elif number == "7":
            path = cwd_path(raw)
            if path is not None and path != self.cwd:
                self.cwd = path
                self._noted.cwd_changed = True
        elif number == "9" and not payload.startswith("4;"):
            self._noted.notify(b"", raw)
        elif number == "777" and payload.startswith("notify;"):
            title_part, _, body = payload[7:].partition(";")
            self._noted.notify(title_part.encode("utf-8", "replace"), body.encode())
        elif payload == "?" and number in _COLOURS:
            ending = "\x07" if whole.endswith("\x07") else "\x1b\\"
            self._reply(f"\x1b]{number};rgb:{_COLOURS[number]}{ending}")


def _is_number(text: str) -> bool:
    # A program may send any intermediate character between the digits.
    return text.isascii() and text.isdigit() and len(text) <= 5
