"""One line of JSON as a frame, and an event as one line that no line reader splits.

Knows no action and no event.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, cast

import orjson

from luvus_service.rpc.refusals import Refused

DEPTH = 64
DIGITS = 32
_SEPARATORS = re.compile(b"\xe2\x80\xa8|\xe2\x80\xa9|\xc2\x85")
_ESCAPED = {
    b"\xe2\x80\xa8": b"\\u2028",
    b"\xe2\x80\xa9": b"\\u2029",
    b"\xc2\x85": b"\\u0085",
}
_NESTED = re.compile(r"[\[{]")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Frame:
    """A frame whose content nobody has looked at."""

    kind: str
    content: Any


def read_frame(line: bytes) -> Frame | None:
    """Read one line without its newline; None for a line of white space.

    Raises:
        Refused: It is no frame.
    """
    text = line.strip(b" \t\r")
    if not text:
        return None
    try:
        value = read_json(_decoded(text))
    except ValueError as error:
        raise Refused("malformed", f"invalid JSON: {error}") from None
    if not isinstance(value, dict):
        raise Refused("malformed", "a frame must be an object")
    frame = cast("dict[str, Any]", value)
    kind = frame.get("kind")
    if not isinstance(kind, str):
        raise Refused("malformed", "a frame must have a string `kind`")
    return Frame(kind, frame.get("content"))


def read_json(text: str) -> Any:
    """Read JSON that can be written again: no NaN, no endless digits, no bottomless nesting.

    Raises:
        ValueError: It is none, or beyond a limit.
    """
    try:
        value = json.loads(text, parse_constant=_no_constant, parse_int=_integer)
    except RecursionError:
        raise ValueError("nested too deep") from None
    # Most texts hold fewer brackets than the limit; only the others are walked.
    if len(_NESTED.findall(text)) > DEPTH and _depth(value) > DEPTH:
        raise ValueError(f"nested deeper than {DEPTH}")
    return value


def request_id_of(content: Any) -> str | None:
    """Return the request id of a content when it has a usable one."""
    if not isinstance(content, dict):
        return None
    found: object = cast("dict[str, object]", content).get("request_id")
    return found if isinstance(found, str) and 1 <= len(found) <= 128 else None


def event_line(event: object) -> bytes:
    """Return an event, a dataclass with its kind in `frame`, as a line without its newline.

    Fields named in its `omitted` are left out while they are None; in values inside it too when
    the event says `prune`.
    """
    kind: str = getattr(event, "frame")  # noqa: B009 - events share no base class
    omitted: tuple[str, ...] = getattr(event, "omitted", ())
    content: object = event
    if getattr(event, "prune", False):
        content = _pruned(event)
    elif any(getattr(event, name) is None for name in omitted):
        assert is_dataclass(event)
        content = {
            field.name: value
            for field in fields(event)
            if (value := getattr(event, field.name)) is not None or field.name not in omitted
        }
    return encode({"kind": kind, "content": content})


def _pruned(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        omitted: tuple[str, ...] = getattr(value, "omitted", ())
        return {
            field.name: _pruned(found)
            for field in fields(value)
            if (found := getattr(value, field.name)) is not None or field.name not in omitted
        }
    if isinstance(value, tuple):
        return [_pruned(item) for item in cast("list[Any]", value)]
    return value


def encode(value: object) -> bytes:
    """Return JSON on one line, with every character escaped that some reader splits at."""
    try:
        raw = orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS)
    except (TypeError, ValueError):
        # Lone surrogates, which are no text, and integers of more than 64 bits.
        plain = json.dumps(_mended(value), ensure_ascii=False, separators=(",", ":"))
        raw = plain.encode()
    if _SEPARATORS.search(raw):
        raw = _SEPARATORS.sub(lambda found: _ESCAPED[found[0]], raw)
    return raw


def _decoded(text: bytes) -> str:
    try:
        return text.decode()
    except UnicodeDecodeError as error:
        raise ValueError(f"not UTF-8 at byte {error.start}") from None


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _integer(digits: str) -> int:
    if len(digits.lstrip("-")) > DIGITS:
        raise ValueError(f"an integer of more than {DIGITS} digits")
    return int(digits)


def _depth(value: Any) -> int:
    deepest, waiting = 0, [(value, 1)]
    while waiting:
        item, level = waiting.pop()
        deepest = max(deepest, level)
        if isinstance(item, dict):
            waiting.extend((v, level + 1) for v in cast("dict[str, Any]", item).values())
        elif isinstance(item, list):
            waiting.extend((v, level + 1) for v in cast("list[object]", item))
    return deepest


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
