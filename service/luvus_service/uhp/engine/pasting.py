"""How a pasted text reaches a program."""

from __future__ import annotations

PASTE_START = b"\x1b[200~"
PASTE_END = b"\x1b[201~"


def pasted(text: str, *, bracketed: bool) -> bytes:
    """Return a paste as the program gets it: whole between brackets, or with line ends as Enter.

    The closing bracket is removed from the text itself, also where removing it makes another, so
    that a paste cannot end early and have its rest taken for typing.
    """
    if not bracketed:
        return text.replace("\r\n", "\r").replace("\n", "\r").encode()
    data = text.encode()
    while PASTE_END in data:
        data = data.replace(PASTE_END, b"")
    return PASTE_START + data + PASTE_END
