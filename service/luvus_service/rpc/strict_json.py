"""JSON as the protocol reads it: no repeated key, no NaN, no lone surrogate, no endless number.

Parsers disagree on repeated keys and on numbers beyond what a double holds, so a message with one
could mean two things to two readers.
"""

from __future__ import annotations

import json
from collections import Counter
from math import isinf
from typing import Any

_DIGITS = 300
"""An integer of at most as many characters fits a double, however large its digits are."""


class BadJson(ValueError):
    """The text is no JSON that this protocol accepts."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        counts = Counter(key for key, _ in pairs)
        repeated = next(key for key, count in counts.items() if count > 1)
        raise BadJson(f"key {repeated[:64]!r} is repeated")
    return found


def _constant(name: str) -> Any:
    raise BadJson(f"{name} is not JSON")


def _integer(digits: str) -> int:
    if len(digits) > _DIGITS:
        _fraction(digits)
    return int(digits)


def _fraction(text: str) -> float:
    value = float(text)
    if isinf(value):
        shown = text if len(text) <= 32 else text[:32] + "…"
        raise BadJson(f"{shown} is beyond what a double can hold")
    return value


_decode = json.JSONDecoder(
    object_pairs_hook=_object,
    parse_constant=_constant,
    parse_int=_integer,
    parse_float=_fraction,
).decode


def loads(raw: bytes) -> Any:
    """Read one JSON text.

    Raises:
        BadJson: It is not valid, not UTF-8, nested too deep, or repeats a key.
    """
    try:
        text = raw.decode()
        value = _decode(text)
        if "\\ud" in text or "\\uD" in text:
            _refuse_lone_surrogates(value)
    except BadJson:
        raise
    except RecursionError as error:
        raise BadJson("nested too deep") from error
    except ValueError as error:
        raise BadJson(str(error)) from error
    return value


def _refuse_lone_surrogates(value: Any) -> None:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise BadJson("a lone surrogate is no text") from error
