"""How generated methods reach a server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator


class SyncCaller(Protocol):
    """Calls methods and waits for their results."""

    def call(self, method: str, params: dict[str, object]) -> dict[str, Any]:
        """Return the result of one call."""
        ...

    def stream(self, method: str, params: dict[str, object]) -> Iterator[dict[str, Any]]:
        """Return the frames of a stream, after its acknowledgement."""
        ...


class AsyncCaller(Protocol):
    """Calls methods without blocking the loop."""

    async def call(self, method: str, params: dict[str, object]) -> dict[str, Any]:
        """Return the result of one call."""
        ...

    def stream(self, method: str, params: dict[str, object]) -> AsyncIterator[dict[str, Any]]:
        """Return the frames of a stream, after its acknowledgement."""
        ...


class SyncFamily:
    """A group of methods that go through one caller."""

    def __init__(self, client: SyncCaller) -> None:
        self._caller = client


class AsyncFamily:
    """A group of methods that go through one asynchronous caller."""

    def __init__(self, client: AsyncCaller) -> None:
        self._caller = client
