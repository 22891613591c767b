"""`session.snapshot`."""

from __future__ import annotations

from luvus_service.rpc.declare import family, method
from luvus_service.rpc.models import NoParams
from luvus_service.rpc.scopes import Access, Scope
from luvus_service.uhp.engine.session import Session
from luvus_service.uhp.families.session.models import Snapshot
from luvus_service.uhp.families.session.views import snapshot


@family("session", scope=Scope.READ, title="Session")
class SessionMethods:
    """See the whole session at once."""

    def __init__(self, session: Session) -> None:
        self._session = session

    @method("session.snapshot", access=Access.READ, revision=False, command="uhp snapshot")
    async def snapshot(self, params: NoParams) -> Snapshot:
        """Return every workspace, tab and pane with its terminal, as of one event.

        Subscribe to events first, take the snapshot, then drop the events up to its
        `event_sequence`: nothing is missed and nothing counted twice. No terminal text is read.
        """
        return snapshot(self._session)
