"""Quote removal of shell words, as bash does it; and a second opinion on how words split.

Knows no grammar: the texts it gets were cut out by one.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence

BRACES = re.compile(r"\{.*(?:,|\.\.).*\}", re.DOTALL)
_ANSI = re.compile(r"\\(x[0-9a-fA-F]{1,2}|[0-7]{1,3}|u[0-9a-fA-F]{1,4}|[abefnrtv\\'\"?E])")
_ANSI_LETTERS = {
    **{"a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "n": "\n", "r": "\r"},
    **{"t": "\t", "v": "\v", "\\": "\\", "'": "'", '"': '"', "?": "?"},
}


def unescaped(raw: str) -> str:
    """Return a word outside quotes without its backslashes."""
    return re.sub(r"\\(.)", r"\1", raw.replace("\\\n", ""), flags=re.DOTALL)


def ansi(raw: str) -> tuple[str, bool]:
    """Decode the inside of `$'…'`; an escape that is not known counts as an expansion."""
    left = _ANSI.sub("", raw)

    def decoded(found: re.Match[str]) -> str:
        code = found[1]
        if code in _ANSI_LETTERS:
            return _ANSI_LETTERS[code]
        return chr(int(code[1:], 16) if code[0] in "xu" else int(code, 8) & 0xFF)

    return _ANSI.sub(decoded, raw), "\\" in left


def splits_alike(raw: str, words: Sequence[str], assignments: int) -> bool:
    """Ask the standard library's splitter, where it reads the same language, for its opinion."""
    if any(char in raw for char in "\\$`#<>"):
        return True
    try:
        split = shlex.split(raw, comments=False, posix=True)
    except ValueError:
        return False
    return len(split) == assignments + len(words) and split[assignments:] == list(words)
