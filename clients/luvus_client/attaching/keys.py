"""What a person's terminal sends, split into keys for the program and everything else.

Bytes go through as they are, except for the detach key and the answers of the person's terminal to
device queries: the server has answered those, and a second answer would be typed into the program.
Holds at most one sequence that is not complete yet. Knows no terminal and no clock.
"""

from __future__ import annotations

import re
from typing import NamedTuple

ESCAPE_S = 0.05
"""How long a lone escape, or one with a single character, may be the beginning of more."""
REST_S = 1.0
"""How long the rest of a longer sequence is waited for."""
HELD_BYTES = 65_536
"""A sequence that is longer is no answer; it is passed on."""

DEFAULT_DETACH = 0x1C
"""`ctrl-\\`."""
_CTRL = 4
_OTHER_MODIFIERS = 2 | 8 | 16 | 32

_PASTE_START = b"\x1b[200~"
_PASTE_END = b"\x1b[201~"

_CSI = re.compile(rb"\x1b\[[0-?]*[ -/]*[@-~]")
# Only beginnings that answers have: Alt with one of these characters is a key.
_STRING = re.compile(rb"\x1b(?:\][0-9lL]|P[0-9!>$+]|_G)[\x20-\xff]*(?:\x07|\x1b\\)")
_PARTIAL = re.compile(
    rb"\x1b(?:\[[0-?]*[ -/]*|(?:\](?:[0-9lL][\x20-\xff]*)?|P(?:[0-9!>$+][\x20-\xff]*)?"
    rb"|_(?:G[\x20-\xff]*)?)\x1b?)?"
)
_ANSWER = re.compile(
    rb"\x1b\[(?:"
    rb"[?>=][0-9;]*c"  # device attributes
    rb"|\?[0-9;]+[Rn]|[03]n"  # status, extended cursor position, colour scheme
    rb"|\??[0-9;]+\$y"  # modes
    rb"|\?[0-9]+u"  # keyboard flags
    rb"|[0-9;]+t"  # windows and sizes
    rb"|[23];[0-9;]*x"  # terminal parameters
    rb"|>[0-9;]+m"  # modified keys
    rb"|\?[0-9;]+S"  # graphics
    rb")"
)
_POSITION = re.compile(rb"\x1b\[(\d+);(\d+)R")
_KITTY = re.compile(rb"\x1b\[([0-9:]+);(\d+)(?::(\d))?(?:;[0-9:]*)?u")
_XTERM = re.compile(rb"\x1b\[27;(\d+);(\d+)~")
_F3_MODIFIERS = range(2, 17)


class Typed(NamedTuple):
    """What a piece of input came to."""

    keys: bytes
    """For the program."""
    detach: bool
    """Whether the person wants to leave; nothing after the detach key is kept."""


class KeyFilter:
    """Reads what a terminal sends, in pieces of any size."""

    def __init__(self, detach: int = DEFAULT_DETACH) -> None:
        """`detach` is the control character of the detach key."""
        self._detach = detach
        self._special = re.compile(b"[\x1b" + re.escape(bytes([detach])) + b"]")
        self._codes = _codes(detach)
        self._held: bytes = b""
        self._pasting: bool = False

    @property
    def patience_s(self) -> float | None:
        """After how much silence `give_up` is due; None when nothing is held."""
        if not self._held and not self._pasting:
            return None
        return ESCAPE_S if not self._pasting and len(self._held) <= 2 else REST_S

    def feed(self, data: bytes) -> Typed:
        """Take input and return what it came to."""
        left = self._held + data
        self._held = b""
        keys: list[bytes] = []
        while left:
            if self._pasting:
                left = self._paste(left, keys)
                continue
            found = self._special.search(left)
            if found is None:
                keys.append(left)
                break
            keys.append(left[: found.start()])
            left = left[found.start() :]
            if left[0] == self._detach:
                return Typed(b"".join(keys), detach=True)
            taken = self._sequence(left)
            if taken is None:
                self._held = left
                break
            sequence, left = left[:taken], left[taken:]
            if self._leaves(sequence):
                return Typed(b"".join(keys), detach=True)
            self._pasting = sequence == _PASTE_START
            if not _is_answer(sequence):
                keys.append(sequence)
        return Typed(b"".join(keys), detach=False)

    def give_up(self) -> bytes:
        """Return what was held and turned out to be keys: nothing followed."""
        held, self._held = self._held, b""
        # A paste that never ends must not keep the detach key from working for ever.
        self._pasting = False
        if len(held) > 2 and held[1:2] in (b"]", b"P", b"_"):
            return b""
        return held

    def _paste(self, left: bytes, keys: list[bytes]) -> bytes:
        end = left.find(_PASTE_END)
        if end >= 0:
            self._pasting = False
            end += len(_PASTE_END)
            keys.append(left[:end])
            return left[end:]
        kept = next(
            (n for n in range(len(_PASTE_END) - 1, 0, -1) if left.endswith(_PASTE_END[:n])), 0
        )
        keys.append(left[: len(left) - kept])
        self._held = left[len(left) - kept :]
        return b""

    def _sequence(self, left: bytes) -> int | None:
        """Return the length of the sequence at the beginning, or None while it may go on."""
        found = _CSI.match(left) or _STRING.match(left)
        if found is not None:
            return found.end()
        if len(left) <= HELD_BYTES and _PARTIAL.fullmatch(left):
            return None
        return 1

    def _leaves(self, sequence: bytes) -> bool:
        """Say whether this is the detach key as keyboards with richer reports send it."""
        found = _KITTY.fullmatch(sequence)
        if found is not None:
            codes = {int(code) for code in found[1].split(b":") if code}
            return found[3] != b"3" and bool(codes & self._codes) and _only_ctrl(int(found[2]))
        found = _XTERM.fullmatch(sequence)
        return found is not None and int(found[2]) in self._codes and _only_ctrl(int(found[1]))


def _codes(detach: int) -> frozenset[int]:
    if detach == 0:
        return frozenset((ord("@"), ord(" ")))
    return frozenset((detach + 64, ord(chr(detach + 64).lower())))


def _only_ctrl(modifiers: int) -> bool:
    return bool((modifiers - 1) & _CTRL) and not (modifiers - 1) & _OTHER_MODIFIERS


def _is_answer(sequence: bytes) -> bool:
    if _ANSWER.fullmatch(sequence) or _STRING.fullmatch(sequence):
        return True
    position = _POSITION.fullmatch(sequence)
    # F3 with modifiers is sent as what also means "the cursor is in the first row".
    return position is not None and not (position[1] == b"1" and int(position[2]) in _F3_MODIFIERS)
