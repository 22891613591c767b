"""One stream of a server that is read and written without waiting.

Knows lines and the answer that comes first; knows no method.
"""

from __future__ import annotations

from typing import Any

from luvus_client.connection import RECEIVE_BYTES, connect
from luvus_client.errors import ConnectionLost
from luvus_client.wire import LineBuffer, frame, read_answer, read_object

SENDING_BYTES = 4 << 20
"""What may wait for a server that does not read; more is refused."""


class Lane:
    """A connection whose first line is the answer; the lines after it are frames."""

    def __init__(self, address: str, request: bytes, timeout: float) -> None:
        """Connect and queue the request; `timeout` is for a server whose backlog is full.

        Raises:
            NotRunning: Nothing accepts connections there.
            UnsafeEndpoint: The address is not private.
        """
        _, self._socket = connect(address, timeout)
        self._socket.setblocking(False)
        self._lines = LineBuffer()
        self._sending = bytearray(request)
        self.answer: dict[str, Any] | None = None
        """What the server answered, once it has."""
        self.flush()

    @property
    def sending(self) -> bool:
        """Whether something waits for the server to read it."""
        return bool(self._sending)

    def fileno(self) -> int:
        """Return the descriptor to wait for."""
        return self._socket.fileno()

    def send(self, message: dict[str, object]) -> bool:
        """Queue a line; False when too much waits already."""
        if len(self._sending) > SENDING_BYTES:
            return False
        self._sending += frame(message)
        self.flush()
        return True

    def flush(self) -> None:
        """Write what the server takes now; a broken connection is noticed by reading."""
        while self._sending:
            try:
                del self._sending[: self._socket.send(self._sending)]
            except BlockingIOError:
                return
            except OSError:
                self._sending.clear()

    def receive(self) -> list[dict[str, Any]]:
        """Return the frames that have arrived.

        Raises:
            LuvusError: The answer was a refusal.
            ConnectionLost: The stream has ended.
        """
        try:
            piece = self._socket.recv(RECEIVE_BYTES)
        except BlockingIOError:
            return []
        except OSError as error:
            raise ConnectionLost(
                f"the connection broke: {error}", possibly_executed=False
            ) from error
        if not piece:
            raise ConnectionLost("the server ended the stream", possibly_executed=False)
        self._lines.feed(piece)
        frames: list[dict[str, Any]] = []
        while (line := self._lines.next_line()) is not None:
            if self.answer is None:
                self.answer = read_answer(line)
            else:
                frames.append(read_object(line))
        return frames

    def close(self) -> None:
        """Release the connection; closing twice is harmless."""
        self._socket.close()
