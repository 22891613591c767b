"""Puts frames that can wait into one message with those that follow them.

A page pays for each message that wakes it, hardly for a line more in one: twenty agents that draw
spinners announce their screens some hundred times a second, and nobody reads that fast. Knows of
frames only whether they can wait.
"""

from __future__ import annotations

import asyncio

from luvus_web.asgi import Message, Scope, Send

LINES = "luvus.lines"
"""The subprotocol of a client that takes several frames in one message, a line each."""
HOLD_S = 0.2
"""How long a frame waits at most."""
HELD = 64
"""Frames that wait at most."""
PATIENT = '{"event":"terminal.output_ready"'


def takes_lines(scope: Scope) -> bool:
    """Say whether a client offers to take several frames in one message."""
    return scope["type"] == "websocket" and LINES in scope.get("subprotocols", ())


class Batches:
    """A `send` for a WebSocket; `run` has to run beside it."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._held: list[str] = []
        self._due = asyncio.Event()
        self._sending = asyncio.Lock()

    async def send(self, message: Message) -> None:
        """Send a message, or keep it for the next one."""
        if message["type"] == "websocket.accept":
            message = {**message, "subprotocol": LINES}
        text = message.get("text") if message["type"] == "websocket.send" else None
        if text is None:
            await self._flush()
            await self._send(message)
            return
        self._held.append(text)
        if text.startswith(PATIENT) and len(self._held) < HELD:
            self._due.set()
        else:
            await self._flush()

    async def run(self) -> None:
        """Send what has waited long enough, until cancelled or the client is gone."""
        while True:
            await self._due.wait()
            await asyncio.sleep(HOLD_S)
            try:
                await self._flush()
            except (OSError, RuntimeError):
                # Who writes the frames meets it as well and ends the stream.
                return

    async def _flush(self) -> None:
        # One at a time, or a later frame could overtake those that wait for the client.
        async with self._sending:
            held, self._held = self._held, []
            self._due.clear()
            if held:
                await self._send({"type": "websocket.send", "text": "\n".join(held)})
