"""Values that the fast encoder refuses: lone surrogates, and integers of more than 64 bits."""

from __future__ import annotations

import json
import re
from dataclasses import fields, is_dataclass
from typing import Any, cast

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def plain_line(value: object) -> bytes:
    """Return a value as one line of JSON with its newline."""
    return json.dumps(_mended(value), ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _mended(value: Any) -> Any:
    if isinstance(value, str):
        return _LONE_SURROGATE.sub("\ufffd", value)
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: _mended(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, dict):
        return {_mended(k): _mended(v) for k, v in cast("dict[str, Any]", value).items()}
    if isinstance(value, list | tuple):
        return [_mended(item) for item in cast("tuple[Any, ...]", value)]
    return value
