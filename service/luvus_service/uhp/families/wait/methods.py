"""`wait.output`."""

from __future__ import annotations

from luvus_service.rpc.call import Call
from luvus_service.rpc.declare import family, method
from luvus_service.rpc.errors import LimitExceeded
from luvus_service.rpc.scopes import Access, Scope
from luvus_service.uhp.engine.errors import NotFound
from luvus_service.uhp.engine.session import Session
from luvus_service.uhp.engine.waits import wait_for_text
from luvus_service.uhp.families.wait.examples import EXAMPLES
from luvus_service.uhp.families.wait.models import OutputWait, WaitForOutput


@family("wait", scope=Scope.READ, title="Waiting for output", examples=EXAMPLES)
class WaitMethods:
    """Wait until a text shows in a pane, without polling."""

    def __init__(self, session: Session) -> None:
        self._session = session

    @method(
        "wait.output",
        access=Access.READ,
        errors=(NotFound, LimitExceeded),
        revision=False,
    )
    async def output(self, params: WaitForOutput, call: Call) -> OutputWait:
        """Wait until a text is among the newest 200 lines of a pane.

        Lines that the terminal wrapped count as one. A text that is there already matches at once.
        """
        pane, terminal = self._session.terminal_of(params.pane)
        matched = await wait_for_text(terminal, params.match, params.timeout_s, call.gone)
        return OutputWait(matched=matched, pane=str(pane) if matched else None)
