"""Finds where a piece of output may switch on a mode that the native emulator does not survive.

Private mode 2027 (grapheme clustering) can make libghostty-vt touch freed memory once text
follows. Pure: it only finds places; the emulator stops there and switches the mode off again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from luvus_service.uhp.domain.ports import Buffer

UNSAFE_MODE: Final = 2027

# Control characters run in the middle of a sequence and 8-bit bytes are passed over there, so the
# four digits may stand apart. Nothing before them is looked at: a sequence can begin in more ways
# (ESC [, the byte 9B inside another sequence) than are worth listing.
_BETWEEN: Final = rb"[\x00-\x17\x19\x1c-\x1f\x7f-\xff]*"
_DIGITS: Final = re.compile(_BETWEEN.join((b"2", b"0", b"2", b"7")))
_SET: Final = re.compile(b"h")


def unsafe_ends(data: Buffer) -> Iterator[int]:
    """Yield the positions just after each byte that may switch the unsafe mode on.

    Rising; finds every sequence that lies within `data` as a whole. The caller looks at the mode
    after a sequence that an earlier piece began.
    """
    position = 0
    while digits := _DIGITS.search(data, position):
        final = _SET.search(data, digits.end())
        if final is None:
            return
        position = final.end()
        yield position
