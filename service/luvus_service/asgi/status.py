"""Which HTTP status stands for which kind of error; kinds, never methods."""

from __future__ import annotations

from luvus_service.rpc.errors import Kind, RpcError

OF_KIND: dict[Kind, int] = {
    Kind.INVALID: 400,
    Kind.FORBIDDEN: 403,
    Kind.NOT_FOUND: 404,
    Kind.TIMEOUT: 408,
    Kind.CONFLICT: 409,
    Kind.TOO_LARGE: 413,
    Kind.STREAM: 426,
    Kind.LIMIT: 429,
    Kind.FAILED: 500,
    Kind.UNAVAILABLE: 503,
}


def status_of(error: RpcError) -> int:
    """Return the status that goes with an error object."""
    return OF_KIND[error.kind]
