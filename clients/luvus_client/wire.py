"""The newline JSON of the protocol: requests to bytes, bytes to lines, lines to answers.

Knows no socket and no method, so the blocking and the asynchronous client share it.
"""

from __future__ import annotations

import json
import math
from typing import Any, NoReturn, cast

from luvus_client.errors import BadAnswer, RequestRefused, error_of

FRAME_LIMIT = 1 << 20
"""The largest frame in bytes, its line feed included, in both directions."""

REQUEST_ID = "1"
"""A connection carries one request, so every request may have the same id."""

_REFUSED_ID = "0"


def request_frame(method: str, params: dict[str, object], *, token: str | None = None) -> bytes:
    """Write a request as one frame.

    Raises:
        RequestRefused: It is no JSON, or larger than a frame may be.
    """
    envelope: dict[str, object] = {"id": REQUEST_ID, "method": method}
    if token is not None:
        envelope["auth"] = token
    envelope["params"] = params
    return frame(envelope)


def frame(message: dict[str, object]) -> bytes:
    """Write an object as one frame.

    Raises:
        RequestRefused: It is no JSON, or larger than a frame may be.
    """
    try:
        text = json.dumps(message, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        raw = text.encode() + b"\n"
    except UnicodeEncodeError as error:
        raise RequestRefused(f"a text is not valid Unicode at character {error.start}") from error
    except (TypeError, ValueError, RecursionError) as error:
        raise RequestRefused(f"the request cannot be written as JSON: {error}") from error
    if len(raw) > FRAME_LIMIT:
        raise RequestRefused(f"the request has {len(raw)} bytes; a frame holds {FRAME_LIMIT}")
    return raw


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key is repeated")
    return found


def _constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _number(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise ValueError("a number is too large")
    return value


_decode = json.JSONDecoder(
    object_pairs_hook=_object, parse_constant=_constant, parse_float=_number
).decode


def read_object(line: bytes) -> dict[str, Any]:
    """Read a line as an object; repeated keys are refused at any depth.

    Raises:
        BadAnswer: It is anything else.
    """
    try:
        value = _decode(line.decode())
    except (ValueError, RecursionError) as error:
        raise _bad(f"the server's answer cannot be read: {error}") from error
    if not isinstance(value, dict):
        raise _bad("the server's answer is no JSON object")
    return cast("dict[str, Any]", value)


def read_answer(line: bytes) -> dict[str, Any]:
    """Return the result that an answer carries.

    Raises:
        LuvusError: The answer is a refusal.
        BadAnswer: It is no answer to this client's request.
    """
    answer = read_object(line)
    error = answer.get("error")
    result = answer.get("result")
    if isinstance(error, dict) and "result" not in answer:
        if answer.get("id") not in (REQUEST_ID, _REFUSED_ID):
            raise _bad("the server answered another request")
        raise error_of(cast("dict[str, Any]", error))
    if not isinstance(result, dict) or "error" in answer:
        raise _bad("the server's answer has neither a result nor an error")
    if answer.get("id") != REQUEST_ID:
        raise _bad("the server answered another request")
    return cast("dict[str, Any]", result)


def _bad(message: str) -> BadAnswer:
    return BadAnswer(message, possibly_executed=True)


class LineBuffer:
    """Cuts received bytes into lines; holds at most one frame that is not complete yet."""

    def __init__(self) -> None:
        self._held = bytearray()
        self._scanned = 0

    def feed(self, piece: bytes) -> None:
        """Take what a socket gave."""
        self._held += piece

    def next_line(self) -> bytes | None:
        """Return the next complete line without its line feed, or None until more is fed.

        Raises:
            BadAnswer: The line is longer than a frame may be.
        """
        end = self._held.find(b"\n", self._scanned)
        if end < 0:
            self._scanned = len(self._held)
            if self._scanned >= FRAME_LIMIT:
                raise overlong()
            return None
        if end >= FRAME_LIMIT:
            raise overlong()
        line = bytes(self._held[:end])
        del self._held[: end + 1]
        self._scanned = 0
        return line

    @property
    def partial(self) -> bool:
        """Whether an incomplete line is held."""
        return bool(self._held)


def overlong() -> BadAnswer:
    """Return the error for a line over the limit."""
    return _bad(f"the server sent a line of more than {FRAME_LIMIT} bytes")
