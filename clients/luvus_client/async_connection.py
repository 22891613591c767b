"""One connection of an asynchronous client: the same checks and limits as the blocking one."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from time import monotonic
from typing import Self

from luvus_client.connection import RECEIVE_BYTES, RETRY_S, open_socket
from luvus_client.endpoint import Evidence, validate
from luvus_client.errors import AnswerTimeout, ConnectionLost
from luvus_client.wire import LineBuffer


class AsyncConnection:
    """A connection of an event loop; `evidence` identifies the server that was reached.

    Plain socket calls of the loop, no transport: a transport forgets an answer that arrived before
    its write failed, and that is how a busy server refuses.
    """

    def __init__(self, evidence: Evidence, sock: socket.socket) -> None:
        self.evidence = evidence
        self._socket = sock
        self._lines = LineBuffer()
        self._written = False
        self._closed = False
        self._reading = False

    @classmethod
    async def open(cls, address: str, timeout: float) -> Self:
        """Connect to a validated address."""
        deadline = monotonic() + timeout
        while True:
            evidence = validate(address)
            try:
                return cls(evidence, open_socket(address, evidence))
            except BlockingIOError as error:
                if monotonic() >= deadline:
                    raise AnswerTimeout(
                        f"the server at {address} accepts no connection", possibly_executed=False
                    ) from error
            await asyncio.sleep(RETRY_S)

    async def send(self, raw: bytes, timeout: float) -> None:
        """Write a frame; a server that refuses early may close before it read everything.

        Raises:
            AnswerTimeout: The server does not read.
        """
        try:
            async with asyncio.timeout(timeout):
                await asyncio.get_running_loop().sock_sendall(self._socket, raw)
            self._written = True
        except TimeoutError as error:
            raise AnswerTimeout(
                f"the server took no request for {timeout:g} s", possibly_executed=False
            ) from error
        except OSError:
            self._written = False

    async def read_line(self) -> bytes | None:
        """Return the next line without its line feed, or None at the end of the stream.

        Raises:
            ConnectionLost: The stream broke off.
            BadAnswer: The line is longer than a frame may be.
        """
        while (line := self._lines.next_line()) is None:
            piece = await self._receive()
            if not piece:
                if self._lines.partial and not self._closed:
                    raise self._lost("the server closed in the middle of a line")
                return None
            self._lines.feed(piece)
        return line

    async def _receive(self) -> bytes:
        if self._closed:
            return b""
        self._reading = True
        try:
            return await asyncio.get_running_loop().sock_recv(self._socket, RECEIVE_BYTES)
        except OSError as error:
            raise self._lost(f"the connection broke: {error}") from error
        finally:
            self._reading = False
            if self._closed:
                self._socket.close()

    async def answer(self, timeout: float) -> bytes:
        """Return the one line that answers the request.

        Raises:
            ConnectionLost: There is none, or none in time.
        """
        try:
            async with asyncio.timeout(timeout):
                line = await self.read_line()
        except TimeoutError as error:
            raise AnswerTimeout(
                f"the server did not answer within {timeout:g} s", possibly_executed=self._written
            ) from error
        if line is None:
            raise self._lost("the server closed the connection without an answer")
        return line

    def _lost(self, message: str) -> ConnectionLost:
        return ConnectionLost(message, possibly_executed=self._written)

    def close(self) -> None:
        """Close; a task that waits for a line sees the end of the stream."""
        if self._closed:
            return
        self._closed = True
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        # The loop still watches the descriptor of a pending read, which then closes it itself.
        if not self._reading:
            self._socket.close()
