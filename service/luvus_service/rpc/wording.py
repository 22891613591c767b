"""Turns pydantic's sentences into the end of ours, which begin with the name of the parameter."""

from __future__ import annotations

import re

_SUBJECT = re.compile("^[A-Z][a-z]+ should ")


def predicate(message: str) -> str:
    """Return what pydantic says of a value without what it calls the value."""
    said = _SUBJECT.sub("must ", message, count=1).replace(" after validation", "")
    return said[:1].lower() + said[1:] or "is not valid"
