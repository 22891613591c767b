"""The key names of `agent.keys` and the bytes they stand for."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from luvus_service.uhp.domain.errors import InvalidRequest, shown

_NAMED = {
    **dict.fromkeys(("enter", "return", "cr"), b"\r"),
    **dict.fromkeys(("esc", "escape"), b"\x1b"),
    "tab": b"\t",
    "space": b" ",
    **dict.fromkeys(("backspace", "bs"), b"\x7f"),
    **dict.fromkeys(("delete", "del"), b"\x1b[3~"),
    "up": b"\x1b[A",
    "down": b"\x1b[B",
    "right": b"\x1b[C",
    "left": b"\x1b[D",
    "home": b"\x1b[H",
    "end": b"\x1b[F",
    **dict.fromkeys(("pageup", "pgup"), b"\x1b[5~"),
    **dict.fromkeys(("pagedown", "pgdn"), b"\x1b[6~"),
}
_CONTROL = ("ctrl+", "c-")
_CURSOR = frozenset(b"ABCDHF")


def pattern() -> str:
    """Return the keys as a regular expression, for a schema, which knows no other case of a letter.

    Surrogates are not in it: no text of a well-formed request has one.
    """
    prefixes = "|".join(_either_case(prefix).replace("+", "[+]") for prefix in _CONTROL)
    names = "|".join(_either_case(name) for name in _NAMED)
    return rf"^([^\x00-\x1f\x7f-\x9f]|{names}|({prefixes})[a-zA-Z])$"


def _either_case(word: str) -> str:
    return "".join(f"[{c}{c.upper()}]" if c.isalpha() else c for c in word)


def encode(keys: Sequence[str], *, application_cursor: bool = False) -> bytes:
    """Return the bytes of a whole batch.

    With `application_cursor` the arrows, home and end are sent as a program in that mode reads
    them.

    Raises:
        InvalidRequest: One of them is no key; the batch is refused as a whole.
    """
    return b"".join(_encode(key, application_cursor=application_cursor) for key in keys)


def _encode(key: str, *, application_cursor: bool) -> bytes:
    if len(key) == 1:
        # Surrogates are no text, and a control character would be a key nobody named.
        if unicodedata.category(key) in ("Cc", "Cs"):
            raise InvalidRequest(f"{shown(key)} is a control character; name the key, as ctrl+c")
        return key.encode()
    # Not `lower()` alone: the Kelvin sign becomes an ordinary k.
    lowered = key.lower() if key.isascii() else ""
    named = _NAMED.get(lowered)
    if named is not None:
        if application_cursor and len(named) == 3 and named[2] in _CURSOR:
            return b"\x1bO" + named[2:]
        return named
    for prefix in _CONTROL:
        letter = lowered.removeprefix(prefix)
        if letter != lowered and len(letter) == 1 and "a" <= letter <= "z":
            return bytes([ord(letter) & 0x1F])
    raise InvalidRequest(
        f"{shown(key)} is no key: give enter, esc, tab, space, backspace, delete, up, down, left, "
        "right, home, end, pageup, pagedown, ctrl+<letter>, or one character"
    )
