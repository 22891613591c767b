"""The blocking client of the library: every family typed, and the events of the session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from luvus_client.caller import Caller
from luvus_client.generated.events import EventsMethods
from luvus_client.generated.methods import SyncMethods
from luvus_client.patience import GIVE_UP_AFTER_S

if TYPE_CHECKING:
    from collections.abc import Collection

    from luvus_client.streaming import EventFeed


class SessionEvents(EventsMethods):
    """The family `events`; calling it follows the events across lost connections and restarts."""

    def __init__(self, caller: Caller) -> None:
        super().__init__(caller)
        self._follow = caller.follow

    def __call__(
        self,
        after_sequence: int | None = None,
        names: Collection[str] | None = None,
        *,
        give_up_after: float | None = GIVE_UP_AFTER_S,
    ) -> EventFeed:
        """Follow the events; see `Caller.follow`."""
        return self._follow(after_sequence, names, give_up_after=give_up_after)


class LuvusClient(Caller, SyncMethods):
    """Talks to the server of one session; holds no connection between calls.

    Without arguments it talks to the server of the pane that it runs in, or to the default
    session. Methods are reached as `client.pane.split(...)`, or by name with `call`. Threads may
    share it.
    """

    @property
    def events(self) -> SessionEvents:
        """The events of the session: `for item in client.events(): ...`."""
        return SessionEvents(self)
