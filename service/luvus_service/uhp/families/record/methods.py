"""`record.*`: recordings of panes, which players such as asciinema play."""

from __future__ import annotations

from luvus_service.rpc.declare import family, method
from luvus_service.rpc.errors import InvalidRequest, LimitExceeded
from luvus_service.rpc.models import NoParams
from luvus_service.rpc.scopes import Access, Scope
from luvus_service.uhp.engine.errors import NotFound, SendFailed
from luvus_service.uhp.engine.recording import FileNotWritable, Recordings, Request
from luvus_service.uhp.families.record.events import EVENTS
from luvus_service.uhp.families.record.examples import EXAMPLES
from luvus_service.uhp.families.record.models import (
    RecordList,
    RecordRow,
    RecordStart,
    RecordStarted,
    RecordStopped,
    RecordTarget,
)


@family("record", scope=Scope.WORKSPACE, title="Recordings", events=EVENTS, examples=EXAMPLES)
class RecordMethods:
    """Record what a pane shows while it runs, as asciicast v2.

    A recording never slows its pane down: when the disk falls behind by 4 MiB, the recording ends
    with the reason `slow_disk`.
    """

    def __init__(self, recordings: Recordings) -> None:
        self._recordings = recordings

    @method(
        "record.start",
        access=Access.WRITE,
        errors=(FileNotWritable, InvalidRequest, LimitExceeded, NotFound, SendFailed),
        command="record",
    )
    async def start(self, params: RecordStart) -> RecordStarted:
        """Record a pane to a new file, beginning with the screen as it is.

        The file is readable by its owner only and can be played while it grows. It ends with
        `record.stop`, or when the pane closes or the server stops.
        """
        request = Request(params.path, params.force, params.idle_limit, params.title)
        pane, recording = await self._recordings.start(params.pane, request)
        return RecordStarted(pane=str(pane), path=recording.path)

    @method("record.stop", access=Access.WRITE, errors=(NotFound,))
    async def stop(self, params: RecordTarget) -> RecordStopped:
        """End the recording of a pane and complete its file."""
        pane, recording = await self._recordings.stop(params.pane)
        return RecordStopped(
            pane=str(pane),
            path=recording.path,
            seconds=round(recording.seconds, 3),
            bytes=recording.bytes_written,
            reason=recording.reason or "stopped",
        )

    @method("record.list", access=Access.READ)
    async def list(self, params: NoParams) -> RecordList:
        """List the recordings that go on."""
        rows = [
            RecordRow(pane=str(p), path=r.path, seconds=round(r.seconds, 3), bytes=r.bytes_written)
            for p, r in self._recordings.active()
        ]
        return RecordList(recordings=rows)
