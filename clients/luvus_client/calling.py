"""How generated methods reach a server.

A caller sends one method by its wire name; the families above it give the names their types.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any, Protocol


class SyncCaller(Protocol):
    """Calls methods and opens streams, blocking the calling thread."""

    def call(self, method: str, params: dict[str, object]) -> dict[str, Any]:
        """Call a method and return its result."""
        ...

    def stream(self, method: str, params: dict[str, object]) -> Iterator[dict[str, Any]]:
        """Open a stream and return its frames."""
        ...


class AsyncCaller(Protocol):
    """Calls methods and opens streams on an event loop."""

    async def call(self, method: str, params: dict[str, object]) -> dict[str, Any]:
        """Call a method and return its result."""
        ...

    def stream(self, method: str, params: dict[str, object]) -> AsyncIterator[dict[str, Any]]:
        """Open a stream and return its frames."""
        ...


class SyncFamily:
    """The methods of one family, for a blocking caller."""

    def __init__(self, caller: SyncCaller) -> None:
        self._caller = caller


class AsyncFamily:
    """The methods of one family, for an event loop."""

    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller
