"""The logical keys and the bytes that a terminal sends for them."""

from __future__ import annotations

from typing import Literal, TypeAlias, cast, get_args

Key: TypeAlias = Literal[
    "enter",
    "escape",
    "tab",
    "backtab",
    "up",
    "down",
    "left",
    "right",
    "home",
    "end",
    "backspace",
    "delete",
    "pageup",
    "pagedown",
    "ctrl-c",
    "ctrl-d",
    "ctrl-k",
    "ctrl-u",
    "ctrl-w",
    "alt-d",
    "space",
    "digit-0",
    "digit-1",
    "digit-2",
    "digit-3",
    "digit-4",
    "digit-5",
    "digit-6",
    "digit-7",
    "digit-8",
    "digit-9",
]
"""The keys of the terminal namespace. ctrl-z is none of them: it would stop the program."""

KEYS: tuple[Key, ...] = cast("tuple[Key, ...]", get_args(Key))

_CURSOR = {"up": b"A", "down": b"B", "right": b"C", "left": b"D", "home": b"H", "end": b"F"}
_FIXED = {
    "enter": b"\r",
    "escape": b"\x1b",
    "tab": b"\t",
    "backtab": b"\x1b[Z",
    "backspace": b"\x7f",
    "delete": b"\x1b[3~",
    "pageup": b"\x1b[5~",
    "pagedown": b"\x1b[6~",
    "alt-d": b"\x1bd",
    "space": b" ",
}


def key_bytes(key: Key, *, application_cursor: bool) -> bytes:
    """Return what a key sends; the cursor keys, home and end depend on the terminal's mode."""
    final = _CURSOR.get(key)
    if final is not None:
        return (b"\x1bO" if application_cursor else b"\x1b[") + final
    fixed = _FIXED.get(key)
    if fixed is not None:
        return fixed
    kind, _, character = key.partition("-")
    return bytes([ord(character) & 0x1F]) if kind == "ctrl" else character.encode()
