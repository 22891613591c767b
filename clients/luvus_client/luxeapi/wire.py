"""What both clients of agent sessions share: paths, answers, and when to try a stream again."""

from __future__ import annotations

import json
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, cast
from urllib.parse import quote

from websockets.exceptions import ConnectionClosed, WebSocketException

from luvus_client.errors import BadAnswer, ConnectionLost, LuvusError, RequestRefused, error_of
from luvus_client.feed import backoff
from luvus_client.wire import read_object

if TYPE_CHECKING:
    from luvus_client.generated import luxe_types as types
    from luvus_client.generated.luxe import Event

BASE: Final = "http://localhost/luxe/v2/"
STREAM_BASE: Final = "ws://localhost/luxe/v2/"
SESSIONS: Final = "sessions"
ANSWER_BYTES: Final = 64 * 1024 * 1024
"""The largest answer or frame; transcripts and pictures are inside them."""
CLOSED: Final = 1000
"""Ends the stream of a session that was closed; a server that ends uses another code."""

_PASSING = frozenset({"closing", "locked"})
"""Refusals of a stream that was there before, and may be there again."""
_OK = range(200, 300)


def one(session_id: str) -> str:
    """Return the path of a session."""
    return f"{SESSIONS}/{quote(session_id, safe='')}"


def stored(cwd: str) -> str:
    """Return the path of the sessions of a folder on the disk."""
    return f"stored?cwd={quote(cwd, safe='')}"


def body(content: object) -> bytes:
    """Write a content as JSON; nothing for none.

    Raises:
        RequestRefused: It is no JSON.
    """
    if content is None:
        return b""
    try:
        return json.dumps(content, ensure_ascii=False, allow_nan=False).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise RequestRefused(f"the content cannot be written as JSON: {error}") from error


def event_of(frame: dict[str, Any]) -> Event:
    """Return a frame of a session as its event."""
    return cast("Event", frame)


def rows_of(frame: dict[str, Any]) -> list[types.SessionRow]:
    """Return the sessions that a frame of the list carries."""
    return cast("list[types.SessionRow]", frame["content"]["sessions"])


def check(status: int, raw: bytes) -> None:
    """Raise the refusal that an answer is.

    Raises:
        LuvusError: The server refused it.
        BadAnswer: It is no answer of a server.
    """
    if status in _OK:
        return
    found = read_object(raw)
    if not isinstance(found.get("code"), str):
        raise BadAnswer(f"HTTP status {status} without an error object", possibly_executed=True)
    raise error_of(found)


def too_large() -> BadAnswer:
    """Return the error for an answer that nobody reads to its end."""
    return BadAnswer(
        f"the server sent an answer of more than {ANSWER_BYTES} bytes", possibly_executed=True
    )


class Stream:
    """The life of one stream through lost connections; knows no socket."""

    def __init__(self, *, ends: bool, give_up_after: float | None) -> None:
        """`ends` says whether a stream that is over is over for good."""
        self._ends = ends
        self._give_up_after = give_up_after
        self._failures = 0
        self._live_before = False
        self._failing_since: float | None = None

    def frame(self, message: str | bytes) -> dict[str, Any]:
        """Return a frame.

        Raises:
            LuvusError: It is the refusal of the stream.
        """
        found = read_object(message.encode() if isinstance(message, str) else message)
        if "error" in found:
            raise error_of(found["error"])
        self._live_before = True
        self._failing_since = None
        self._failures = 0
        return found

    def is_over(self, error: Exception) -> bool:
        """Say whether an end is for good, and no failure."""
        if not self._ends or not isinstance(error, ConnectionClosed):
            return False
        return error.rcvd is not None and error.rcvd.code == CLOSED

    def delay(self, error: Exception) -> float:
        """Return the seconds until the next try.

        Raises:
            ClientError: There is none: the stream was never there, or is not for too long.
        """
        now = monotonic()
        self._failing_since = self._failing_since or now
        given_up = (
            self._give_up_after is not None and now - self._failing_since > self._give_up_after
        )
        final = isinstance(error, BadAnswer) or (
            isinstance(error, LuvusError) and error.code not in _PASSING
        )
        if not self._live_before or given_up or final:
            raise failure(error) from error
        self._failures += 1
        return backoff(self._failures - 1)


def failure(error: Exception) -> Exception:
    """Return what the failure of a stream means."""
    if isinstance(error, WebSocketException | OSError):
        return ConnectionLost(f"the stream broke: {error}", possibly_executed=False)
    return error
