"""`server.stop` and its relatives."""

from __future__ import annotations

from luvus_service.rpc.declare import family, method
from luvus_service.rpc.errors import InvalidRequest
from luvus_service.rpc.models import NoParams, NoParamsLenient
from luvus_service.rpc.scopes import Access, Scope
from luvus_service.uhp.engine.config import ConfigKeeper
from luvus_service.uhp.engine.session import Session
from luvus_service.uhp.families.server.models import ConfigReloaded, Stopping


@family("server", scope=Scope.ADMIN, title="Server")
class ServerMethods:
    """Stop the server that answers, or let it read its files again."""

    def __init__(self, session: Session, config: ConfigKeeper) -> None:
        self._session = session
        self._config = config

    @method("server.stop", access=Access.WRITE, command="")
    async def stop(self, params: NoParamsLenient) -> Stopping:
        """Save the session, end its programs and stop the server.

        The answer comes first; the sockets close when the programs have ended, within a few
        seconds. The next start brings the session back with new shells.
        """
        self._session.request_stop()
        return Stopping()

    @method("server.reload_config", access=Access.WRITE, errors=(InvalidRequest,))
    async def reload_config(self, params: NoParams) -> ConfigReloaded:
        """Read the configuration's file again and apply it.

        Changes by `config.patch` that are not in the file yet stay in force.
        """
        return ConfigReloaded(config=await self._config.reload())
