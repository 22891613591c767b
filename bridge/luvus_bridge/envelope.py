"""The request envelope: one frame in, a request or a refusal out.

Checks what holds for every method and nothing else. The parameters are passed on as the client
wrote them, byte for byte. Does no I/O.
"""

from __future__ import annotations

import json
import re
from typing import Any, Literal, NamedTuple, TypeAlias, cast

import orjson

ParamsKind: TypeAlias = Literal["object", "absent", "null", "other"]

MAX_DEPTH = 200
"""Deepest nesting of a frame, the depth at which common JSON readers give up too."""
NO_ID = "0"
"""The id of answers to requests whose own id could not be read."""

_ID = re.compile(r"[A-Za-z0-9._:-]{1,128}")
_METHOD = re.compile(r"[A-Za-z0-9._-]{1,128}")
_AUTH = re.compile(r"[!-~]{1,256}")
_KNOWN = frozenset({"id", "method", "params", "auth"})
_SPACE = re.compile(r"[ \t\r\n]*")
# What nearly every client writes, with all rules of the envelope in it. In valid JSON without
# repeated keys whose only keys are these, the last group is exactly the parameters.
_USUAL = re.compile(
    rb'\{"id": ?"[A-Za-z0-9._:-]{1,128}", ?"method": ?"[A-Za-z0-9._-]{1,128}",'
    rb'(?P<auth> ?"auth": ?"[!#-\[\]-~]{1,256}",)? ?"params": ?(?P<params>\{.*\})\}\s*',
    re.DOTALL,
)


class Request(NamedTuple):
    """A request whose envelope is sound; its method may not exist."""

    id: str
    method: str
    auth: str | None
    params: bytes
    """The parameters as JSON text, `{}` unless `params_kind` is `object`."""
    params_kind: ParamsKind
    extra: tuple[str, ...]
    """Top-level keys that the envelope does not know."""


class Refusal(NamedTuple):
    """Why a frame is no request."""

    id: str
    code: str
    message: str


class _BadJson(ValueError):
    """The frame is no JSON, or JSON that two readers could understand differently."""


def parse(frame: bytes) -> Request | Refusal:
    """Read one frame, given without its LF."""
    try:
        return _parse(frame)
    except (ValueError, RecursionError):
        return Refusal(NO_ID, "invalid_request", "bad json")


def _parse(frame: bytes) -> Request | Refusal:
    found: Any = orjson.loads(frame)
    if not isinstance(found, dict):
        return Refusal(NO_ID, "invalid_request", "a request must be a JSON object")
    fields = cast("dict[str, Any]", found)
    # A colon outside of strings belongs to exactly one member, and repeated keys collapse in the
    # parsed value. Equal counts therefore prove that no key is repeated; unequal ones prove
    # nothing, because strings may hold colons too.
    if _count_members(fields) == frame.count(b":"):
        usual = _USUAL.fullmatch(frame)
        if usual is not None and len(fields) == (3 if usual["auth"] is None else 4):
            return Request(
                fields["id"], fields["method"], fields.get("auth"), usual["params"], "object", ()
            )
    return _check(fields, _scan(frame.decode()))


def _check(fields: dict[str, Any], params: bytes) -> Request | Refusal:
    request_id = fields.get("id")
    if not isinstance(request_id, str) or _ID.fullmatch(request_id) is None:
        return Refusal(
            NO_ID,
            "invalid_request",
            "`id` must be a string of 1 to 128 letters, digits, dots, underscores, colons or "
            "hyphens",
        )
    method = fields.get("method")
    if not isinstance(method, str):
        return Refusal(request_id, "invalid_request", "`method` must be a string")
    auth = fields.get("auth")
    if "auth" in fields and (not isinstance(auth, str) or _AUTH.fullmatch(auth) is None):
        return Refusal(
            request_id,
            "invalid_request",
            "`auth` must be a string of 1 to 256 printable ASCII characters without spaces",
        )
    if _METHOD.fullmatch(method) is None:
        shown = ascii(method if len(method) <= 128 else method[:128] + "…")
        return Refusal(request_id, "invalid_request", f"unknown method {shown}")
    known = fields.keys() <= _KNOWN
    extra = () if known else tuple(key for key in fields if key not in _KNOWN)
    return Request(request_id, method, auth, params, _kind_of(fields), extra)


def _kind_of(fields: dict[str, Any]) -> ParamsKind:
    params = fields.get("params", _KNOWN)
    if type(params) is dict:
        return "object"
    if params is _KNOWN:
        return "absent"
    return "null" if params is None else "other"


def _count_members(fields: dict[str, Any]) -> int:
    """Return how many members all objects of a frame have together.

    Raises:
        ValueError: The nesting is too deep.
    """
    members = 0
    level: list[dict[str, Any] | list[Any]] = [fields]
    for _depth in range(MAX_DEPTH):
        below: list[dict[str, Any] | list[Any]] = []
        for holder in level:
            if isinstance(holder, dict):
                members += len(holder)
                below += [each for each in holder.values() if type(each) in _HOLDERS]
            else:
                below += [each for each in holder if type(each) in _HOLDERS]
        if not below:
            return members
        level = below
    raise _BadJson("nested too deep")


_HOLDERS = frozenset({dict, list})


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _BadJson("repeated key")
    return found


def _ignore_number(_text: str) -> int:
    return 0


_SCANNER = json.JSONDecoder(
    object_pairs_hook=_unique,
    parse_int=_ignore_number,
    parse_float=_ignore_number,
)


def _scan(text: str) -> bytes:
    """Walk over the members of an object, known to be valid JSON, and return its parameters.

    Raises:
        ValueError: A key is repeated, here or further down.
    """
    params = b"{}"
    seen: set[str] = set()
    at = _skip(text, _skip(text, 0) + 1)
    while text[at] != "}":
        key, at = _SCANNER.raw_decode(text, at)
        start = _skip(text, _skip(text, at) + 1)
        value, end = _SCANNER.raw_decode(text, start)
        if key in seen:
            raise _BadJson("repeated key")
        seen.add(key)
        if key == "params" and type(value) is dict:
            params = text[start:end].encode()
        at = _skip(text, end)
        if text[at] == ",":
            at = _skip(text, at + 1)
    return params


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return at if found is None else found.end()
