"""`server.stop` and its relatives."""

from __future__ import annotations

from luvus_service.rpc.declare import family, method
from luvus_service.rpc.models import NoParamsLenient
from luvus_service.rpc.scopes import Access, Scope
from luvus_service.uhp.engine.session import Session
from luvus_service.uhp.families.server.models import Stopping


@family("server", scope=Scope.ADMIN, title="Server")
class ServerMethods:
    """Stop the server that answers."""

    def __init__(self, session: Session) -> None:
        self._session = session

    @method("server.stop", access=Access.WRITE, command="")
    async def stop(self, params: NoParamsLenient) -> Stopping:
        """Save the session, end its programs and stop the server.

        The answer comes first; the sockets close when the programs have ended, within a few
        seconds.
        """
        self._session.request_stop()
        return Stopping()
