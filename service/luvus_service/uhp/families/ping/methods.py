"""`ping`: a health check that also says which session answers."""

from __future__ import annotations

from luvus_service import __version__
from luvus_service.rpc.declare import family, method
from luvus_service.rpc.models import NoParamsLenient
from luvus_service.rpc.scopes import Access, Scope
from luvus_service.uhp.engine.session import Session
from luvus_service.uhp.families.ping.examples import EXAMPLES
from luvus_service.uhp.families.ping.models import Pong


@family("ping", scope=Scope.READ, title="Health", examples=EXAMPLES)
class PingMethods:
    """Ask whether the server answers, which version it is and which session it serves."""

    def __init__(self, session: Session) -> None:
        self._session = session

    @method("ping", access=Access.READ)
    async def ping(self, params: NoParamsLenient) -> Pong:
        """Answer with the server's version and the session's name."""
        return Pong(version=__version__, session=self._session.name)
