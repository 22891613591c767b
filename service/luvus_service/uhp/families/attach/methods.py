"""`attach.pane`: brings a pane to the front for a person who is about to work in it."""

from __future__ import annotations

from luvus_service.rpc.declare import family, method
from luvus_service.rpc.errors import InvalidRequest
from luvus_service.rpc.scopes import Access, Scope
from luvus_service.uhp.domain import panes as rules
from luvus_service.uhp.engine.errors import NotFound
from luvus_service.uhp.engine.session import Session
from luvus_service.uhp.families.attach.examples import EXAMPLES
from luvus_service.uhp.families.attach.models import Attached, AttachPane


@family("attach", scope=Scope.ADMIN, title="Attaching", examples=EXAMPLES)
class AttachMethods:
    """Bring a pane to the front.

    `luvus attach PANE` joins the terminal that it runs in to a pane; it uses the live views and
    leaves the layout alone.
    """

    def __init__(self, session: Session) -> None:
        self._session = session

    @method("attach.pane", access=Access.WRITE, errors=(InvalidRequest, NotFound), command="")
    async def pane(self, params: AttachPane) -> Attached:
        """Focus a pane and let it fill its tab, in whatever workspace and tab it is."""
        pane = self._session.select_pane(params.pane)
        self._session.commit(rules.zoom_pane, pane, enabled=True)
        return Attached(pane=str(pane))
