"""`events.subscribe` and `events.wait`."""

from __future__ import annotations

from luvus_service.rpc.call import Call, Stream
from luvus_service.rpc.declare import family, method, stream
from luvus_service.rpc.errors import InvalidParams, InvalidRequest, Unavailable
from luvus_service.rpc.scopes import Access, Scope
from luvus_service.rpc.streaming import forward
from luvus_service.uhp.engine.errors import CursorAhead, ResyncRequired
from luvus_service.uhp.engine.session import Session
from luvus_service.uhp.engine.waits import wait_for_event
from luvus_service.uhp.families.events.events import EVENTS
from luvus_service.uhp.families.events.examples import EXAMPLES
from luvus_service.uhp.families.events.models import (
    EventFrame,
    EventWait,
    Subscribe,
    SubscriptionStarted,
    WaitForEvent,
)


@family("events", scope=Scope.READ, title="Events", events=EVENTS, examples=EXAMPLES)
class EventsMethods:
    """Follow what happens, or wait for one thing to happen.

    Every event has a sequence, one higher than the one before; the sequence is also the revision
    that results carry. The newest 256 events (1 MiB at most) are kept, so that a reader who lost
    its connection can go on where it was.
    """

    def __init__(self, session: Session) -> None:
        self._events = session.events

    @stream(
        "events.subscribe",
        acknowledges=SubscriptionStarted,
        frames=(EventFrame,),
        errors=(CursorAhead, InvalidParams, ResyncRequired, Unavailable),
        invalid=InvalidParams,
        command="events",
    )
    async def subscribe(self, params: Subscribe, stream: Stream) -> None:
        """Turn the connection into a stream of events.

        A reader that falls 256 events behind gets one `events.resync_required` and is cut off.
        """
        subscription, replayed = self._events.subscribe(params.after_sequence)
        try:
            started = SubscriptionStarted(sequence=self._events.sequence, replayed=replayed)
            await stream.acknowledge(started)
            await forward(stream, subscription.frames())
        finally:
            subscription.close()

    @method(
        "events.wait",
        access=Access.READ,
        errors=(InvalidRequest, ResyncRequired, Unavailable),
        revision=False,
    )
    async def wait(self, params: WaitForEvent, call: Call) -> EventWait:
        """Wait until an event of this name and data is published.

        Equality is that of JSON: "7" is not 7. Without `after_sequence` only events from now on
        count.
        """
        try:
            fence, frame = await wait_for_event(
                self._events,
                params.event,
                params.where or {},
                params.timeout_s,
                params.after_sequence,
                call.gone,
            )
        except CursorAhead as error:
            # What a stream calls invalid parameters, a call calls an invalid request.
            raise InvalidRequest(error.message, **error.extra) from error
        found = None if frame is None else EventFrame.model_validate_json(frame)
        return EventWait(matched=found is not None, sequence=fence, event=found)
