"""The written forms of keys and chords: `f5`, `ctrl+space`, `alt+shift+x`, `ctrl++`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

MODIFIERS = ("ctrl", "alt", "shift")
MAX_CHORD = 32
"""Characters of a chord."""

_NAMED = frozenset(
    (
        *("space", "enter", "tab", "esc", "backspace", "delete", "insert", "home", "end"),
        *("pageup", "pagedown", "up", "down", "left", "right"),
    )
)
_FUNCTION = re.compile(r"f([1-9]|1[0-2])")


@dataclass(frozen=True, slots=True)
class Chord:
    """A key with the modifiers held down."""

    modifiers: frozenset[str]
    key: str

    @property
    def is_direct(self) -> bool:
        """Whether it can be told from typing: F1 to F12, or anything with Ctrl or Alt."""
        held = bool(self.modifiers & {"ctrl", "alt"})
        return held or _FUNCTION.fullmatch(self.key) is not None


def parse_chord(text: str) -> Chord | None:
    """Read a chord; None when it is none."""
    if not text or len(text) > MAX_CHORD:
        return None
    if text == "+" or text.endswith("++"):
        held, key = text[:-2].split("+") if len(text) > 1 else [], "+"
    else:
        *held, key = text.split("+")
    modifiers = [word.lower() for word in held]
    if len(set(modifiers)) != len(modifiers) or not set(modifiers) <= set(MODIFIERS):
        return None
    if len(key) == 1:
        valid = key.isprintable() and not key.isspace()
        # Ctrl and Alt with a letter are the same key whatever its case.
        name = key.lower() if modifiers else key
        return Chord(frozenset(modifiers), name) if valid else None
    name = key.lower()
    if name in _NAMED or _FUNCTION.fullmatch(name):
        return Chord(frozenset(modifiers), name)
    return None


def prefix_fault(prefix: str) -> str | None:
    """Say why a chord cannot be the prefix, or return None."""
    chord = parse_chord(prefix)
    if chord is None or not chord.is_direct:
        return "must be F1 to F12, or a key with ctrl+ or alt+ before it, such as ctrl+space"
    return None


def bindings_fault(bindings: Mapping[str, str]) -> str | None:
    """Say what is wrong with the keys that follow the prefix, or return None; "" unbinds."""
    for command, key in bindings.items():
        if key and parse_chord(key) is None:
            return f"{command!r}: {key[:MAX_CHORD]!r} is no key such as x, F5 or ctrl+x"
    return None


def direct_fault(bindings: Mapping[str, str], prefix: str) -> str | None:
    """Say what is wrong with the chords that work without the prefix, or return None."""
    seen: dict[Chord | None, str] = {parse_chord(prefix): "the prefix"}
    for command, text in bindings.items():
        if not text:
            continue
        chord = parse_chord(text)
        if chord is None or not chord.is_direct:
            return (
                f"{command!r}: {text[:MAX_CHORD]!r} must be F1 to F12, or a key with ctrl+ or alt+"
            )
        if chord in seen:
            return f"{command!r}: {text!r} already belongs to {seen[chord]}"
        seen[chord] = repr(command)
    return None
