"""`view.pane` and `view.size`."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from luvus_service.rpc.call import Stream
from luvus_service.rpc.declare import family, stream
from luvus_service.rpc.errors import InvalidParams, LimitExceeded
from luvus_service.rpc.scopes import Access, Scope
from luvus_service.rpc.streaming import exchange
from luvus_service.uhp.engine.errors import NotFound
from luvus_service.uhp.engine.session import Session
from luvus_service.uhp.engine.sizing import Claim, Sizes
from luvus_service.uhp.engine.viewing import View
from luvus_service.uhp.families.view.lines import may_write, obey_sizer, obey_viewer
from luvus_service.uhp.families.view.models import (
    ClosedFrame,
    OutputFrame,
    RefusedFrame,
    SizeData,
    SizeFrame,
    SizeStarted,
    SnapshotFrame,
    ViewPane,
    ViewSize,
    ViewStarted,
)


@family("view", scope=Scope.TERMINAL, title="Live views")
class ViewMethods:
    """See a terminal live, byte for byte, and say how large the terminals are.

    The first frame of a view rebuilds the terminal with its scrollback; then its output follows as
    the program writes it. A viewer that cannot follow gets a new snapshot instead of a backlog.
    Device queries are answered by the server: a viewer's terminal must not answer them as well.
    """

    def __init__(self, session: Session, sizes: Sizes) -> None:
        self._session = session
        self._sizes = sizes

    @stream(
        "view.pane",
        acknowledges=ViewStarted,
        frames=(SnapshotFrame, OutputFrame, ClosedFrame, RefusedFrame),
        errors=(InvalidParams, LimitExceeded, NotFound),
        invalid=InvalidParams,
        command="",
        listens=True,
    )
    async def pane(self, params: ViewPane, stream: Stream) -> None:
        """Show a pane's terminal live, and take what is typed.

        Lines of the viewer: `{"action":"type","text":…}`, `{"action":"type_bytes","base64":…}`,
        `{"action":"paste","text":…}`, `{"action":"ack","end":…}` and `{"action":"refresh"}`, which
        asks for a new snapshot. Typing needs the scope `terminal`, looking only `read`. Viewing
        never resizes the terminal.
        """
        pane, terminal = self._session.terminal_of(params.pane)
        view = View(
            stream,
            terminal,
            scrollback_bytes=params.scrollback_bytes,
            acknowledges=params.acknowledges,
        )
        started = ViewStarted(pane=str(pane), terminal_id=terminal.id, writable=may_write(stream))
        await view.run(started, lambda line: obey_viewer(line, stream, terminal, view))

    @stream(
        "view.size",
        access=Access.WRITE,
        acknowledges=SizeStarted,
        frames=(SizeFrame, RefusedFrame),
        errors=(InvalidParams, LimitExceeded, NotFound),
        invalid=InvalidParams,
        command="",
        listens=True,
    )
    async def size(self, params: ViewSize, stream: Stream) -> None:
        """Ask for the lease on the size of the tabs, as long as the stream is open.

        With `pane` it is the size of that pane alone, whatever the layout says.

        The first viewer gets it, others wait; `take` hands it over. Lines of the viewer:
        `{"action":"size","cols":…,"rows":…}` and `{"action":"take"}`. When the holder leaves, the
        next one's size applies, and in the end the size that there was without viewers.
        """
        changed = asyncio.Event()
        claim = self._sizes.claim(params.cols, params.rows, changed.set, pane=params.pane)
        try:
            if params.take:
                claim.take()
            await stream.acknowledge(SizeStarted())
            changed.set()
            await exchange(
                stream,
                self._changes(changed, claim),
                lambda line, say: obey_sizer(line, claim, say),
            )
        finally:
            claim.release()

    async def _changes(self, changed: asyncio.Event, claim: Claim) -> AsyncIterator[bytes]:
        while True:
            await changed.wait()
            changed.clear()
            cols, rows = claim.size
            data = SizeData(cols=cols, rows=rows, yours=claim.holds)
            yield SizeFrame(data=data).model_dump_json().encode()
