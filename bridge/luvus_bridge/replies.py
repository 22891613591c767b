"""The lines that go back to a client: an id around a result or an error that others made.

Results and errors are wrapped as text and never parsed again.
"""

from __future__ import annotations

import orjson

from luvus_bridge.envelope import NO_ID, Refusal
from luvus_bridge.limits import FRAME_BYTES, Limits
from luvus_bridge.ndjson import one_line


def error_line(request_id: str, code: str, message: str, *, retryable: bool = False) -> bytes:
    """Return an error answer of the bridge itself."""
    error: dict[str, str | bool] = {"code": code, "message": message}
    if retryable:
        error["retryable"] = True
    return orjson.dumps({"id": request_id, "error": error}) + b"\n"


def refusal_line(refusal: Refusal) -> bytes:
    """Return the answer to a frame that is no request."""
    return error_line(refusal.id, refusal.code, refusal.message)


def internal_line(request_id: str) -> bytes:
    """Return the answer to a call that failed for a reason that is not the client's business."""
    return error_line(request_id, "internal", "the call failed unexpectedly; see the server's log")


def too_large_line(limits: Limits) -> bytes:
    """Return the answer to a frame over the cap."""
    return error_line(
        NO_ID,
        "frame_too_large",
        f"a request may have at most {limits.frame_bytes} bytes with its line end",
    )


def busy_line(limits: Limits) -> bytes:
    """Return the answer to a connection for which there is no place."""
    return error_line(
        NO_ID,
        "server_busy",
        f"all {limits.connections} connections are in use; try again in a moment",
        retryable=True,
    )


def wrap(request_id: str, key: str, body: bytes, *, limit: int = FRAME_BYTES) -> bytes:
    """Return `body`, the text of a JSON object, as the `key` of an answer.

    A body that would break the framing or the size cap is replaced by an internal error.
    """
    if body[:1] != b"{" or body[-1:] != b"}":
        body = body.strip()
        if body[:1] != b"{" or body[-1:] != b"}":
            return internal_line(request_id)
    line = b'{"id":"%b","%b":%b}\n' % (request_id.encode(), key.encode(), one_line(body))
    return line if len(line) <= limit else _over_cap(request_id, len(line), limit)


def acknowledge(request_id: str, first: bytes, *, limit: int = FRAME_BYTES) -> bytes:
    """Return the first message of a stream, a JSON object, with the id as its first member."""
    first = first.strip()
    if first[:1] != b"{" or first[-1:] != b"}" or len(first) < 3:
        return internal_line(request_id)
    line = b'{"id":"%b",%b\n' % (request_id.encode(), one_line(first[1:]))
    return line if len(line) <= limit else _over_cap(request_id, len(line), limit)


def _over_cap(request_id: str, size: int, limit: int) -> bytes:
    return error_line(
        request_id,
        "internal",
        f"the answer has {size} bytes and the limit is {limit}; ask for less",
    )
