"""Streams of an asynchronous client: frames of a connection, and an event feed that reconnects."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from time import monotonic
from types import TracebackType
from typing import Any, Self

from luvus_client.async_connection import AsyncConnection
from luvus_client.errors import BadAnswer, ConnectionFailure, ConnectionLost, LuvusError
from luvus_client.feed import SUBSCRIBE, Event, FeedState, Resync
from luvus_client.patience import GIVE_UP_AFTER_S
from luvus_client.wire import frame, read_answer, read_object


class AsyncStream(AsyncIterator[dict[str, Any]]):
    """The frames that follow an acknowledgement; connects at the first frame, or when entered.

    It owns its connection: close it, or use it in an `async with` statement.
    """

    def __init__(
        self, connect: Callable[[], Awaitable[AsyncConnection]], request: bytes, timeout: float
    ) -> None:
        self._connect = connect
        self._request = request
        self._timeout = timeout
        self._connection: AsyncConnection | None = None
        self._ended = False
        self.acknowledgement: dict[str, Any] = {}

    async def start(self) -> dict[str, Any]:
        """Open the stream and return its acknowledgement; starting twice returns it again."""
        if self._connection is None and not self._ended:
            connection = await self._connect()
            try:
                await connection.send(self._request, self._timeout)
                self.acknowledgement = read_answer(await connection.answer(self._timeout))
            except BaseException:
                connection.close()
                raise
            self._connection = connection
        return self.acknowledgement

    async def __anext__(self) -> dict[str, Any]:
        """Wait for the next frame."""
        await self.start()
        line = None if self._connection is None else await self._connection.read_line()
        if line is None:
            await self.aclose()
            raise StopAsyncIteration
        return read_object(line)

    async def send(self, message: dict[str, object]) -> None:
        """Write a frame to the server, for streams that take input."""
        await self.start()
        if self._connection is None:
            raise ConnectionLost("the stream is closed", possibly_executed=False)
        await self._connection.send(frame(message), self._timeout)

    async def aclose(self) -> None:
        """Release the connection."""
        self._ended = True
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()


class AsyncEventFeed(AsyncIterator[Event | Resync]):
    """The events of a session, continued from the last one seen when the connection breaks.

    It is subscribed when it is entered by `async with`, or else at its first item; what happens
    before that is missed. What cannot be continued without a loss is announced by a `Resync` item.
    Close it, or leave its `async with` statement.
    """

    def __init__(
        self,
        connect: Callable[[], Awaitable[AsyncConnection]],
        request: Callable[[str, dict[str, object]], bytes],
        *,
        timeout: float,
        after_sequence: int | None,
        names: Collection[str] | None,
        give_up_after: float | None = GIVE_UP_AFTER_S,
    ) -> None:
        self._connect = connect
        self._request = request
        self._timeout = timeout
        self._give_up_after = give_up_after
        self._state = FeedState(after_sequence, names)
        self._connection: AsyncConnection | None = None
        self._waiting: list[Event | Resync] = []
        self._failing_since: float | None = None
        self._closed = False

    async def __anext__(self) -> Event | Resync:
        """Wait for the next event."""
        while not self._waiting:
            if self._closed:
                raise StopAsyncIteration
            try:
                await self._advance()
            except BadAnswer:
                self._drop()
                raise
            except ConnectionFailure as error:
                await self._recover(error)
        return self._waiting.pop(0)

    async def _advance(self) -> None:
        if self._connection is None:
            await self._subscribe()
            return
        line = await self._connection.read_line()
        if line is None:
            raise ConnectionLost("the server ended the event stream", possibly_executed=False)
        self._waiting.extend(self._state.frame(read_object(line)))

    async def _subscribe(self) -> None:
        self._connection = await self._connect()
        try:
            self._state.connecting(self._connection.evidence)
            request = self._request(SUBSCRIBE, self._state.params())
            await self._connection.send(request, self._timeout)
            answer = read_answer(await self._connection.answer(self._timeout))
            resync = self._state.acknowledged(answer)
        except LuvusError as error:
            self._drop()
            if not self._state.refused(error):
                raise ConnectionLost(str(error), possibly_executed=False) from error
            return
        except BaseException:
            self._drop()
            raise
        self._failing_since = None
        if resync is not None:
            self._waiting.append(resync)

    async def _recover(self, error: ConnectionFailure) -> None:
        self._drop()
        if self._closed:
            return
        if not self._state.connected_before:
            raise error
        now = monotonic()
        self._failing_since = self._failing_since or now
        if self._give_up_after is not None and now - self._failing_since > self._give_up_after:
            raise error
        await asyncio.sleep(self._state.delay())

    def _drop(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    async def aclose(self) -> None:
        """Release the connection and end the iteration."""
        self._closed = True
        self._drop()

    async def __aenter__(self) -> Self:
        while self._connection is None and not self._closed:
            await self._subscribe()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()
