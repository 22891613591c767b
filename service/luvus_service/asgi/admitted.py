"""Frames whose client is asked for its rights again with every frame, in both directions.

A right that was taken away counts from the next frame on, not from the next connection.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Protocol, runtime_checkable

from luvus_service.asgi.frames import Frames
from luvus_service.rpc.errors import RpcError
from luvus_service.rpc.frame_lines import encode, read_frame, request_id_of
from luvus_service.rpc.refusals import REASON_CHARS, Refused
from luvus_service.rpc.scopes import Access


@runtime_checkable
class ClientFrames(Frames, Protocol):
    """The stream of one client among several of the same session."""

    def put(self, line: bytes) -> None:
        """Send a line to this client only."""
        ...


class Admitted:
    """Lets through what the client may send and see."""

    def __init__(self, frames: Frames, admit: Callable[[Access], None]) -> None:
        """`admit` raises an error of `rpc` when the client may not look or act any more."""
        self._frames = frames
        self._admit = admit

    def deliver(self, line: bytes) -> None:
        """Take one inbound line, or answer that this client may not act."""
        try:
            self._admit(Access.WRITE)
        except RpcError as error:
            self._reject(line, error)
            return
        self._frames.deliver(line)

    def deliver_too_long(self, limit: int) -> None:
        """Answer a line that was left out."""
        self._frames.deliver_too_long(limit)

    async def lines(self) -> AsyncIterator[bytes]:
        """Yield the outbound lines until the stream ends or the client may not look any more."""
        async for line in self._frames.lines():
            try:
                self._admit(Access.READ)
            except RpcError:
                self._frames.shut()
                return
            yield line

    def shut(self) -> None:
        """Leave the stream; the session goes on."""
        self._frames.shut()

    def _reject(self, line: bytes, error: RpcError) -> None:
        if not isinstance(self._frames, ClientFrames):
            return
        kind: str | None = None
        content: dict[str, object] = {}
        try:
            frame = read_frame(line)
            if frame is None:
                return
            kind, request_id = frame.kind, request_id_of(frame.content)
            content = {} if request_id is None else {"request_id": request_id}
        except Refused:
            # It is no frame either; the first reason is enough.
            pass
        reason = error.message if kind is None else f"{kind}: {error.message}"
        said = {"kind": kind, "reason": reason[:REASON_CHARS], "code": error.code, **content}
        self._frames.put(encode({"kind": "action_rejected", "content": said}))
