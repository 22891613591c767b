"""Finds where a piece of output may do what the native emulator does not survive.

Two things are kept from libghostty-vt: private mode 2027 (grapheme clustering), after which text
can make it touch freed memory, and hyperlinks, of which enough on one page make it panic. Pure:
only finds places; the emulator stops at each and looks at what the terminal is up to.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from luvus_service.uhp.domain.ports import Buffer

UNSAFE_MODE: Final = 2027

# Control characters run in the middle of a sequence and 8-bit bytes are passed over there, so
# digits may stand apart. What stands before the question mark of a mode is not looked at: the
# sequence can begin in more ways (ESC [, the byte 9B inside another one) than are worth listing.
_BETWEEN: Final = rb"[\x00-\x17\x19\x1c-\x1f\x7f-\x9c\x9e-\xff]*"
_MODE: Final = rb"\?[0-9;:\x00-\x17\x19\x1c-\x1f\x7f-\x9c\x9e-\xff]*" + _BETWEEN.join(
    (b"2", b"0", b"2", b"(?P<mode>7)")
)
_LINK_START: Final = _BETWEEN + rb"0*" + _BETWEEN + rb"8" + _BETWEEN + rb";"
_SUSPECT: Final = re.compile(_MODE + rb"|[\]\x9d]" + _LINK_START)
# The same, one literal first byte each: these run at the speed of memchr and nearly always find
# nothing, which settles a piece.
_QUICK: Final = (
    re.compile(_MODE),
    re.compile(rb"\]" + _LINK_START),
    re.compile(rb"\x9d" + _LINK_START),
)
_SET: Final = re.compile(b"h")
_LINK: Final = re.compile(rb"[^\]\x9d]*[\]\x9d]" + _BETWEEN + rb"0*" + _BETWEEN + rb"8[^0-9]*;")

CANCEL: Final = b"\x18"
SWALLOW: Final = b"\x1b]65535;"
"""Begins a sequence that nothing comes of: an unknown command, up to BEL or ST."""


def places_to_look(data: Buffer) -> Iterator[int]:
    """Yield the positions after which the unsafe mode may be on or a hyperlink has begun.

    Rising. Finds every sequence that lies within `data` as a whole.
    """
    if not any(quick.search(data) for quick in _QUICK):
        return
    position = 0
    while suspect := _SUSPECT.search(data, position):
        position = suspect.end()
        if suspect["mode"] is not None:
            final = _SET.search(data, position)
            if final is None:
                # No mode can be set any more, but links can begin.
                yield from _link_places(data, position)
                return
            yield from _link_places(data, position, final.start())
            position = final.end()
        yield position


def _link_places(data: Buffer, start: int, end: int | None = None) -> Iterator[int]:
    stop = len(data) if end is None else end
    for suspect in _SUSPECT.finditer(data, start, stop):
        if suspect["mode"] is None:
            yield suspect.end()


def begins_link(unfinished: bytes) -> bool:
    """Tell whether an unfinished sequence is a hyperlink (OSC 8) up to its first semicolon."""
    return _LINK.fullmatch(unfinished) is not None


def may_begin_link(unfinished: bytes) -> bool:
    """Tell whether an unfinished sequence is too short to know."""
    return len(unfinished) <= 16 and b";" not in unfinished and unfinished[:1] == b"\x1b"
