"""The names people give to workspaces and tabs."""

from __future__ import annotations

import unicodedata

from luvus_service.uhp.domain.errors import InvalidRequest

MAX_NAME_CHARS = 40


def clean_name(name: str, *, cut: bool = False) -> str:
    """Return a name without surrounding blanks; may be empty.

    With `cut` it is made to fit instead of refused, for names that nobody typed.

    Raises:
        InvalidRequest: It has more than `MAX_NAME_CHARS` characters, or control characters.
    """
    if cut:
        printable = "".join("\ufffd" if _is_control(c) else c for c in name)
        return printable.strip()[:MAX_NAME_CHARS].strip()
    trimmed = name.strip()
    if len(trimmed) > MAX_NAME_CHARS:
        raise InvalidRequest(
            f"a name has at most {MAX_NAME_CHARS} characters, this one has {len(trimmed)}"
        )
    # A name is drawn in terminals, where control characters would be obeyed.
    if any(map(_is_control, trimmed)):
        raise InvalidRequest("a name must not have control characters")
    return trimmed


def _is_control(character: str) -> bool:
    return unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp")
