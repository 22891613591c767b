"""The client for an event loop: every family typed, and the events of the session."""

from __future__ import annotations

from collections.abc import Collection

from luvus_client.async_caller import AsyncCaller
from luvus_client.async_streaming import AsyncEventFeed
from luvus_client.generated.events import AsyncEventsMethods
from luvus_client.generated.methods import AsyncMethods
from luvus_client.patience import GIVE_UP_AFTER_S


class AsyncSessionEvents(AsyncEventsMethods):
    """The family `events`; calling it follows the events across lost connections and restarts."""

    def __init__(self, caller: AsyncCaller) -> None:
        super().__init__(caller)
        self._follow = caller.follow

    def __call__(
        self,
        after_sequence: int | None = None,
        names: Collection[str] | None = None,
        *,
        give_up_after: float | None = GIVE_UP_AFTER_S,
    ) -> AsyncEventFeed:
        """Follow the events; see `AsyncCaller.follow`."""
        return self._follow(after_sequence, names, give_up_after=give_up_after)


class AsyncLuvusClient(AsyncCaller, AsyncMethods):
    """Talks to the server of one session from an event loop; holds no connection between calls.

    Methods are reached as `await client.pane.split(...)`, or by name with `call`.
    """

    @property
    def events(self) -> AsyncSessionEvents:
        """The events of the session: `async for item in client.events(): ...`."""
        return AsyncSessionEvents(self)
