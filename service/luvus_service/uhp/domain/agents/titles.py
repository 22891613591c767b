"""What an agent's terminal title says that it is about, without what only decorates it."""

from __future__ import annotations

import re

LENGTH = 120
"""Characters that are kept."""

_DECORATION = re.compile(r"^[^\w(\[{\"'#@$/~<.-]+")
_SHELL = re.compile(r"^[\w.-]+@[\w.-]+(:|\s|$)|^[~/]")
"""Titles that shells set: `me@host: ~/folder`, or a folder."""


def session_title(raw: str | None) -> str | None:
    """Return a title as people would say it, or None when it says nothing.

    Agents turn a glyph in front of their title while they work: it must not count as a change.
    """
    if raw is None or _SHELL.match(raw.strip()):
        return None
    plain = _DECORATION.sub("", raw).strip()
    if len(plain) > LENGTH:
        plain = plain[: LENGTH - 1].rstrip() + "…"
    return plain or None
