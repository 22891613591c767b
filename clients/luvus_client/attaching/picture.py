"""A program's output made fit for a person's terminal, and what brings that terminal back.

The person's terminal shows the pane on its alternate screen, so what a program does to screens as a
whole is translated, and queries are taken out: the server has answered them. Everything else passes
unchanged. Holds at most one sequence that is not complete yet; knows no terminal.
"""

from __future__ import annotations

import re

HELD_CHARACTERS = 65_536
"""A sequence that is longer is passed on in pieces, whatever it is."""

# In this order: pen, link, character sets, insert and line-feed mode, cursor keys, colours
# reversed, origin, wrapping, cursor, keypad, mouse, focus, paste, reports, margins, cursor shape,
# keyboard flags and modified keys.
RESET = (
    "\x1b[m\x1b]8;;\x1b\\\x1b(B\x0f\x1b[4l\x1b[20l\x1b[?1l\x1b[?5l\x1b[?6l\x1b[?7h\x1b[?25h"
    "\x1b[?66l\x1b>\x1b[?9l\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1005l\x1b[?1006l\x1b[?1015l"
    "\x1b[?1016l\x1b[?1004l\x1b[?2004l\x1b[?2031l\x1b[?2048l\x1b[?69l\x1b[r\x1b[0 q\x1b[<9u"
    "\x1b[>4m"
)
CLEAR = "\x1b[H\x1b[2J"
TABSTOPS = "\x1b[3g" + "".join(f"\x1b[{column}G\x1bH" for column in range(9, 500, 8)) + "\x1b[H"
COLOURS = "\x1b]104\x1b\\\x1b]110\x1b\\\x1b]111\x1b\\\x1b]112\x1b\\"
ENTER = "\x1b[22;0t\x1b[?1049h" + RESET + CLEAR
# First out of whatever sequence the terminal was left in.
LEAVE = "\x1b\\\x1b[?2026l" + RESET + "\x1b[?1049l\x1b[23;0t"
TOGETHER, SHOW = "\x1b[?2026h", "\x1b[?2026l"

_ALTERNATE = frozenset(("47", "1047", "1049"))
_KEPT_FROM_TERMINAL = _ALTERNATE | {"3", "40", "2026", "2027"}
"""Screens, the width of the window, waits, and what makes terminals disagree about widths."""
_REPORTS = frozenset(
    ("9", "1000", "1001", "1002", "1003", "1004", "1005", "1006", "1015", "1016", "2004")
)
"""What makes a terminal send more than keys, or other than text."""

_FOREIGN = re.compile(
    r"\x05"
    r"|\x1b(?:"
    r"[cZ]"  # the whole reset; an old query
    r"|\[(?:"
    r"(?P<sign>\?)(?P<modes>[0-9;]+)(?P<set>[hl])"
    r"|[>=?]?[0-9;]*c"  # device attributes
    r"|\??[0-9;]*n"  # status, cursor position
    r"|\??[0-9;]*\$p"  # modes
    r"|>[0-9]*q"  # version
    r"|\?u"  # keyboard flags
    r"|[0-9;]*t"  # windows
    r"|[01]?x"  # terminal parameters
    r"|\?[0-9;]*[Sm]"  # graphics, modified keys
    r"|3J"  # the person's scrollback is not the program's
    r")"
    r"|P[$+]q[^\x07\x1b]*\x1b\\"  # settings, capabilities
    r"|\](?:4|5|1[0-9]|21|22|52|60);(?:[^\x07\x1b]*;)?\?[^\x07\x1b]*(?:\x07|\x1b\\)"
    r")"
)
_UNFINISHED = re.compile(r"\x1b(?:\[[0-?]*[ -/]*|[\]P_^X][^\x07\x1b]*\x1b?|[ -/]*)?\Z")
_COLOURING = re.compile(r"\x1b\](?:4|1[0-2]);")
_TABBING = re.compile(r"\x1b(?:H|\[[03]?g)")
_KEY_MODES = re.compile(r"\x1b(?:[=>]|\[\?(?:1|66|2004)[hl])")


class Picture:
    """Translates one pane's output for one terminal."""

    def __init__(self, *, reports: bool) -> None:
        """Without `reports` the terminal is not made to send mouse, focus or pastes in brackets."""
        self._kept = _KEPT_FROM_TERMINAL if reports else _KEPT_FROM_TERMINAL | _REPORTS
        self._held = ""
        self._coloured = False
        self._tabbed = False
        self.outdated = False
        """Whether only a new picture can show the pane: the program left the alternate screen."""

    def anew(self, text: str) -> str:
        """Return what shows a snapshot on a terminal in any state."""
        self._held = ""
        self.outdated = False
        return TOGETHER + self._restored() + CLEAR + self.more(text) + SHOW

    def more(self, text: str) -> str:
        """Return what shows further output."""
        text = self._held + text
        found = _UNFINISHED.search(text)
        self._held = ""
        if found is not None and len(text) - found.start() <= HELD_CHARACTERS:
            self._held = text[found.start() :]
            text = text[: found.start()]
        if "\x1b" in text:
            self._coloured = self._coloured or _COLOURING.search(text) is not None
            self._tabbed = self._tabbed or _TABBING.search(text) is not None
        return _FOREIGN.sub(self._translated, text)

    def leaving(self) -> str:
        """Return what gives the terminal back as it was before `ENTER`."""
        extra = (TABSTOPS if self._tabbed else "") + (COLOURS if self._coloured else "")
        return "\x1b\\" + extra + LEAVE

    def _restored(self) -> str:
        extra = (TABSTOPS if self._tabbed else "") + (COLOURS if self._coloured else "")
        self._tabbed = self._coloured = False
        return RESET + extra

    def _translated(self, found: re.Match[str]) -> str:
        if found[0] == "\x1bc":
            return self._restored() + CLEAR
        if found["modes"] is None:
            return ""
        modes = found["modes"].split(";")
        left = ";".join(mode for mode in modes if mode not in self._kept)
        passed = f"\x1b[?{left}{found['set']}" if left else ""
        if _ALTERNATE.isdisjoint(modes):
            return passed
        if found["set"] == "l":
            self.outdated = True
            return passed
        return passed + "\x1b[2J"


def key_modes(text: str) -> str:
    """Return those sequences of some output that change what keys and pastes are sent as."""
    return "".join(_KEY_MODES.findall(text))
