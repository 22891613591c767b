"""Reads single values out of JSON text that is still being written."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable


def early_string(text: str, names: Iterable[str]) -> str | None:
    """Return the first complete string among the named members, or None.

    Good enough to show a path early: a member of the same name inside another value is taken too.
    """
    for name in names:
        found = re.search(rf'"{re.escape(name)}"\s*:\s*("(?:[^"\\]|\\.)*")', text)
        if found:
            try:
                value: object = json.loads(found[1])
            except ValueError:
                continue
            if isinstance(value, str):
                return value
    return None
