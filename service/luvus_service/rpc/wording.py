"""How errors speak: pydantic's sentences as ends of ours, and values as the caller wrote them."""

from __future__ import annotations

import json
import re

SHOWN = 80
"""Longest part of a value that an error repeats."""

_SUBJECT = re.compile("^[A-Z][a-z]+ should ")


def predicate(message: str) -> str:
    """Return what pydantic says of a value without what it calls the value."""
    said = _SUBJECT.sub("must ", message, count=1).replace(" after validation", "")
    return said[:1].lower() + said[1:] or "is not valid"


def shown(value: object) -> str:
    """Return a value of a request as JSON, a string in single quotes; shortened."""
    if isinstance(value, str):
        text = repr(value[: SHOWN + 1])
    else:
        # Python's own words for it, such as None and True, are none that the caller wrote.
        text = json.dumps(value, ensure_ascii=False, default=repr)
    return text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"
