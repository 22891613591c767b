"""One client connection: its phases, its deadlines and the flow of bytes in both directions.

A connection waits for one frame, runs one call, is drained and ends. Its task, its deadlines and
its counters are in a `Shared` that the server owns.
"""

from __future__ import annotations

import asyncio
import logging
import select
import socket
from collections.abc import Coroutine
from time import perf_counter_ns
from typing import Any, cast

from luvus_bridge.calls import ClientGone, answer, is_client_gone
from luvus_bridge.envelope import Refusal, Request, parse
from luvus_bridge.ndjson import FrameTooLarge, LineBuffer
from luvus_bridge.replies import busy_line, internal_line, refusal_line, too_large_line
from luvus_bridge.shared import Phase, Shared

_log = logging.getLogger(__name__)


class Connection(asyncio.Protocol):
    """The transport's protocol, and the `Peer` of the call that it carries."""

    __slots__ = (
        "_acknowledged",
        "_began_ns",
        "_changed",
        "_drained",
        "_eof",
        "_gone",
        "_has_place",
        "_input",
        "_reading",
        "_shared",
        "_transport",
        "_unflushed",
        "phase",
    )

    def __init__(self, shared: Shared) -> None:
        self._shared = shared
        self._transport: asyncio.Transport
        self._input = LineBuffer(shared.limits.frame_bytes)
        self._changed: asyncio.Event | None = None
        self._acknowledged = False
        self._began_ns = 0
        self._drained = 0
        self._eof = False
        self._gone = False
        self._has_place = False
        self._reading = True
        self._unflushed = False
        self.phase = Phase.WAITING

    # What the transport calls.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        shared = self._shared
        self._transport = cast("asyncio.Transport", transport)
        # With a high-water mark of zero the transport says exactly when the kernel has it all.
        self._transport.set_write_buffer_limits(high=0)
        shared.connections.add(self)
        if not self._is_authorized():
            shared.stats.unauthorized += 1
        elif shared.stats.active >= shared.limits.connections:
            shared.stats.rejected += 1
            self._finish(busy_line(shared.limits))
        else:
            shared.stats.accepted += 1
            shared.stats.active += 1
            self._has_place = True
            shared.first_frames.start(self)

    def data_received(self, data: bytes) -> None:
        self._shared.stats.bytes_in += len(data)
        match self.phase:
            case Phase.WAITING:
                self._input.feed(data)
                self._take_first_frame()
            case Phase.CALLING | Phase.STREAMING:
                self._input.feed(data)
                self._throttle()
                self.wake()
            case Phase.FLUSHING | Phase.DRAINING:
                self._drained += len(data)
                if self._drained > self._shared.limits.drain_bytes:
                    self.cut()
            case Phase.CLOSED:
                pass

    def eof_received(self) -> bool:
        self._eof = True
        match self.phase:
            case Phase.CALLING:
                self.look_for_hang_up()
                return True
            case Phase.STREAMING | Phase.FLUSHING:
                self.wake()
                return True
            case Phase.WAITING | Phase.DRAINING | Phase.CLOSED:
                return False

    def pause_writing(self) -> None:
        self._unflushed = True

    def resume_writing(self) -> None:
        self._unflushed = False
        if self.phase is Phase.FLUSHING:
            self._drain()
        self.wake()

    def connection_lost(self, exc: Exception | None) -> None:
        shared = self._shared
        shared.forget(self)
        for expiry in (
            shared.first_frames,
            shared.unread_replies,
            shared.draining,
            shared.hang_ups,
        ):
            expiry.end(self)
        running = self.phase in (Phase.CALLING, Phase.STREAMING)
        if self.phase is Phase.STREAMING:
            shared.stats.streams -= 1
        self.phase = Phase.CLOSED
        self._gone = True
        self._unflushed = False
        # A call that goes on without its client keeps its place, or clients that leave at once
        # could start any number of calls.
        if not running:
            self._release_place()
        self.wake()

    # What deadlines and the server call.

    def first_frame_is_late(self) -> None:
        """Close without a word."""
        self._shared.stats.initial_frame_timeouts += 1
        self.close_idle()

    def reply_is_unread(self) -> None:
        """Cut off a client that does not take its answer."""
        self._shared.stats.write_timeouts += 1
        self.cut()

    def look_for_hang_up(self) -> None:
        """Tell a client that left from one that only closed its sending side."""
        if self.phase not in (Phase.CALLING, Phase.STREAMING):
            self._shared.hang_ups.end(self)
        elif self._is_hung_up():
            self.tell_gone()
        elif self._eof or not self._reading:
            self._shared.hang_ups.start(self)

    def tell_gone(self) -> None:
        """Let the running call know that nobody waits for it."""
        self._shared.hang_ups.end(self)
        self._gone = True
        self.wake()

    def close_idle(self) -> None:
        """Close a connection that runs no call."""
        self._shared.first_frames.end(self)
        self._transport.close()

    def cut(self) -> None:
        """Close at once, dropping what is not sent."""
        self._transport.abort()

    # The peer of a call.

    @property
    def stopping(self) -> bool:
        return self._shared.stopping

    async def gone(self) -> None:
        while not self._gone:
            await self._change()

    def begin_stream(self) -> None:
        if self.phase is Phase.CALLING:
            self.phase = Phase.STREAMING
            self._shared.stats.streams += 1
            self._unthrottle()

    async def next_line(self) -> bytes | None:
        while True:
            line = self._input.next_line()
            if line is not None:
                self._unthrottle()
                return line
            if self._eof or self._gone or self._shared.stopping:
                return None
            await self._change()

    def skip_line(self) -> None:
        self._input.skip_line()
        self._unthrottle()

    async def write_line(self, line: bytes, *, first: bool) -> None:
        limits = self._shared.limits
        seconds = limits.reply_write_s if first else limits.stream_write_s
        # The app may have given up an earlier line, which still lies in the transport.
        await self._flushed(seconds)
        self._transport.write(line)
        self._shared.stats.bytes_out += len(line)
        if first:
            self._acknowledged = True
            self._count_answer()
        await self._flushed(seconds)

    async def _flushed(self, seconds: float) -> None:
        if self._unflushed:
            try:
                async with asyncio.timeout(seconds):
                    while self._unflushed:
                        await self._change()
            except TimeoutError as error:
                self.reply_is_unread()
                raise ClientGone("the client does not read") from error
        if self.phase is Phase.CLOSED or self._transport.is_closing():
            raise ClientGone("the client left")

    # From a frame to an answer.

    def _take_first_frame(self) -> None:
        try:
            frame = self._input.next_line()
        except FrameTooLarge:
            self._refuse(too_large_line(self._shared.limits))
            return
        if frame is None:
            return
        self._shared.first_frames.end(self)
        self._began_ns = perf_counter_ns()
        if len(frame) > self._shared.limits.inline_parse_bytes:
            self._call(self._serve_large(frame))
            return
        found = parse(frame)
        if isinstance(found, Refusal):
            self._refuse(refusal_line(found))
        else:
            self._call(self._serve(found))

    def _call(self, work: Coroutine[Any, Any, None]) -> None:
        self.phase = Phase.CALLING
        self._throttle()
        self._shared.spawn(work, self)

    def _refuse(self, line: bytes) -> None:
        self._began_ns = self._began_ns or perf_counter_ns()
        self._shared.first_frames.end(self)
        self._count_answer()
        self._finish(line)

    async def _serve_large(self, frame: bytes) -> None:
        try:
            found = await asyncio.to_thread(parse, frame)
        except asyncio.CancelledError:
            self._give_up()
            raise
        if isinstance(found, Refusal):
            self._count_answer()
            self._finish(refusal_line(found))
        else:
            await self._serve(found)

    async def _serve(self, request: Request) -> None:
        try:
            line = await answer(self._shared.app, request, self, self._shared.limits)
        except asyncio.CancelledError:
            self._give_up()
            raise
        except Exception as error:  # noqa: BLE001 - whatever an app raises, its client is told
            line = b"" if self._acknowledged else internal_line(request.id)
            if not is_client_gone(error):
                _log.exception("the app raised for %s", request.method)
        if line:
            self._count_answer()
        self._finish(line)

    def _give_up(self) -> None:
        if self.phase is not Phase.CLOSED:
            self.cut()
        self._release_place()

    def _count_answer(self) -> None:
        stats = self._shared.stats
        stats.completed += 1
        stats.latency_us_total += (perf_counter_ns() - self._began_ns) // 1000

    # The end.

    def _finish(self, line: bytes) -> None:
        """Write the last line, close our side and read on until the client has closed its own.

        A Unix socket that is closed with unread input resets its peer, which may then lose an
        answer that it has already received.
        """
        if self.phase is Phase.STREAMING:
            self._shared.stats.streams -= 1
        lost = self.phase is Phase.CLOSED
        if not lost:
            self.phase = Phase.FLUSHING
        if lost or self._transport.is_closing():
            self._release_place()
            return
        self._shared.hang_ups.end(self)
        self._drained = len(self._input)
        self._input.clear()
        if line:
            self._transport.write(line)
            self._shared.stats.bytes_out += len(line)
        if self._unflushed:
            self._shared.unread_replies.start(self)
            self._read_again()
        else:
            self._drain()

    def _drain(self) -> None:
        shared = self._shared
        self.phase = Phase.DRAINING
        shared.unread_replies.end(self)
        self._release_place()
        if self._eof or len(shared.draining) >= shared.limits.lingering:
            self._transport.close()
            return
        self._transport.write_eof()
        shared.draining.start(self)
        self._read_again()

    def _release_place(self) -> None:
        if self._has_place:
            self._has_place = False
            self._shared.stats.active -= 1

    # Reading no more than is wanted.

    def _throttle(self) -> None:
        if not self._reading or len(self._input) < self._shared.limits.backlog_bytes:
            return
        if self.phase is Phase.STREAMING and not self._input.has_line():
            return
        self._reading = False
        self._transport.pause_reading()
        # Nobody reads the socket now, so nothing else would notice that the client left.
        self._shared.hang_ups.start(self)

    def _unthrottle(self) -> None:
        if len(self._input) < self._shared.limits.backlog_bytes or not self._input.has_line():
            self._read_again()

    def _read_again(self) -> None:
        if not self._reading:
            self._reading = True
            if not self._eof and not self._transport.is_closing():
                self._transport.resume_reading()

    # Waiting for any change of this connection.

    async def _change(self) -> None:
        if self._changed is None:
            self._changed = asyncio.Event()
        await self._changed.wait()

    def wake(self) -> None:
        """Let whatever waits for a change of this connection look again."""
        if self._changed is not None:
            self._changed.set()
            self._changed.clear()

    # The socket itself.

    def _is_authorized(self) -> bool:
        # The transport shows its socket only through a stand-in, so borrow the descriptor.
        fd = self._transport.get_extra_info("socket").fileno()
        peer = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, 0, fileno=fd)
        allowed = False
        try:
            allowed = self._shared.authorize(peer)
        finally:
            peer.detach()
            # Also when the check itself fails.
            if not allowed:
                self.cut()
        return allowed

    def _is_hung_up(self) -> bool:
        poll = select.poll()
        # Asking for room to write: a peer that closed only its sending side does not show up.
        poll.register(self._transport.get_extra_info("socket").fileno(), select.POLLOUT)
        found = poll.poll(0)
        return bool(found) and bool(found[0][1] & (select.POLLHUP | select.POLLERR))
