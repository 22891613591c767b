"""Streams of a blocking client: the frames of one connection, and an event feed that reconnects."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterator
from time import monotonic
from types import TracebackType
from typing import Any, Self

from luvus_client.connection import Connection
from luvus_client.errors import BadAnswer, ConnectionFailure, ConnectionLost, LuvusError
from luvus_client.feed import SUBSCRIBE, Event, FeedState, Resync
from luvus_client.patience import GIVE_UP_AFTER_S
from luvus_client.wire import frame, read_answer, read_object


class Stream(Iterator[dict[str, Any]]):
    """The frames that follow an acknowledgement; ends when the server ends it.

    It owns its connection: close it, or use it in a `with` statement.
    """

    def __init__(self, connection: Connection, request: bytes, timeout: float) -> None:
        self._connection = connection
        self._timeout = timeout
        self._closed = False
        try:
            connection.send(request, timeout)
            self.acknowledgement = read_answer(connection.answer(timeout))
        except BaseException:
            connection.close()
            raise

    def __next__(self) -> dict[str, Any]:
        """Wait for the next frame."""
        if self._closed:
            raise StopIteration
        try:
            line = self._connection.read_line(None)
        except ConnectionLost:
            if self._closed:
                raise StopIteration from None
            raise
        if line is None:
            self.close()
            raise StopIteration
        return read_object(line)

    def send(self, message: dict[str, object]) -> None:
        """Write a frame to the server, for streams that take input."""
        self._connection.send(frame(message), self._timeout)

    def fileno(self) -> int:
        """Return the file descriptor to poll, which stays owned by this stream."""
        return self._connection.fileno()

    def close(self) -> None:
        """Release the connection; a thread that waits for a frame is woken."""
        self._closed = True
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class EventFeed(Iterator[Event | Resync]):
    """The events of a session, continued from the last one seen when the connection breaks.

    It is subscribed when it is made, so what happens afterwards is not missed. What cannot be
    continued without a loss is announced by a `Resync` item. Close it, or use it in a `with`
    statement; closing from another thread ends the iteration.
    """

    def __init__(
        self,
        connect: Callable[[], Connection],
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
        self._connection: Connection | None = None
        self._waiting: list[Event | Resync] = []
        self._failing_since: float | None = None
        self._closed = threading.Event()
        while self._connection is None:
            self._subscribe()

    def __next__(self) -> Event | Resync:
        """Wait for the next event."""
        while not self._waiting:
            if self._closed.is_set():
                self._drop()
                raise StopIteration
            try:
                self._advance()
            except BadAnswer:
                self._drop()
                raise
            except ConnectionFailure as error:
                self._recover(error)
        return self._waiting.pop(0)

    def _advance(self) -> None:
        if self._connection is None:
            self._subscribe()
            return
        line = self._connection.read_line(None)
        if line is None:
            raise ConnectionLost("the server ended the event stream", possibly_executed=False)
        self._waiting.extend(self._state.frame(read_object(line)))

    def _subscribe(self) -> None:
        connection = self._connection = self._connect()
        try:
            self._state.connecting(connection.evidence)
            connection.send(self._request(SUBSCRIBE, self._state.params()), self._timeout)
            resync = self._state.acknowledged(read_answer(connection.answer(self._timeout)))
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

    def _recover(self, error: ConnectionFailure) -> None:
        self._drop()
        now = monotonic()
        self._failing_since = self._failing_since or now
        if self._give_up_after is not None and now - self._failing_since > self._give_up_after:
            raise error
        self._closed.wait(self._state.delay())

    def _drop(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def close(self) -> None:
        """Release the connection and end the iteration."""
        self._closed.set()
        connection = self._connection
        if connection is not None:
            connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
