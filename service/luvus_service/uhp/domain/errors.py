"""Refusals of the pure rules, each with the code that a caller sees.

Texts are for people: what was wrong, with which value. Knows nothing of envelopes or statuses.
"""

from __future__ import annotations

import json
from typing import ClassVar

MAX_SHOWN = 64
"""Characters of a caller's value that an error text repeats."""


class DomainError(Exception):
    """A request that the rules refuse; nothing was changed."""

    code: ClassVar[str]

    @property
    def message(self) -> str:
        """The text for people."""
        return str(self)


class NotFound(DomainError):
    """A well-formed name that nothing live answers to."""

    code = "not_found"


class NoDivider(NotFound):
    """No divider lies in the direction in which a pane was to be resized."""


class InvalidRequest(DomainError):
    """A value that is malformed, or that is never allowed here."""

    code = "invalid_request"


class NoSession(DomainError):
    """The session has no workspace to act on."""

    code = "no_session"


class LimitExceeded(DomainError):
    """A named limit would be passed."""

    code = "limit_exceeded"


def shown(value: object) -> str:
    """Return a caller's value as an error text repeats it, shortened."""
    # A long string is cut before repr, so that a hostile value costs no more than a short one.
    if isinstance(value, str):
        text = repr(value[: MAX_SHOWN + 1])
    elif isinstance(value, list):
        return "a list"
    elif isinstance(value, dict):
        return "an object"
    elif isinstance(value, int) and not isinstance(value, bool) and value.bit_length() > 128:
        return "a number of more than 128 bits"
    else:
        # None and True are Python's words, not the caller's.
        text = json.dumps(value) if value is None or isinstance(value, bool) else repr(value)
    return text if len(text) <= MAX_SHOWN else text[:MAX_SHOWN] + "…"
