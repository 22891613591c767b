"""Runs a browser's requests against the inner app and ends them with its login."""

from __future__ import annotations

import asyncio

from luvus_web.asgi import App, Message, Receive, Scope, Send, answer_json
from luvus_web.batches import Batches, takes_lines
from luvus_web.browsers import Browser

STREAMS = 96
"""Requests and streams that one browser may have open."""
LOGGED_OUT = 4401
"""The code that closes a WebSocket of a browser that was logged out."""
_OWN = frozenset({b"authorization", b"cookie"})


async def run_as(
    browser: Browser,
    token: str,
    inner: App,
    scope: Scope,
    receive: Receive,
    send: Send,
    *,
    left_s: float,
) -> None:
    """Let the inner app answer with the rights of `token`, until the login ends.

    It ends when the browser is logged out, and after `left_s` seconds.
    """
    if browser.streams >= STREAMS:
        await _busy(scope, receive, send)
        return
    headers = [pair for pair in scope["headers"] if pair[0] not in _OWN]
    headers.append((b"authorization", b"Bearer " + token.encode()))
    loop = asyncio.get_running_loop()
    batches = Batches(send) if takes_lines(scope) else None
    watched = _Watched(send if batches is None else batches.send)

    async def answer_it() -> None:
        await inner({**scope, "headers": headers}, receive, watched.send)

    work = loop.create_task(answer_it())
    ended = loop.create_task(browser.ended.wait())
    beside = [ended] if batches is None else [ended, loop.create_task(batches.run())]
    browser.streams += 1
    try:
        both = {work, ended}
        done, _ = await asyncio.wait(both, timeout=left_s, return_when=asyncio.FIRST_COMPLETED)
        if work in done:
            work.result()
    finally:
        browser.streams -= 1
        for task in (work, *beside):
            task.cancel()
        await asyncio.gather(work, *beside, return_exceptions=True)
    if browser.ended.is_set() or not done:
        await watched.close(scope)


class _Watched:
    """A `send` that knows what is still owed to the client."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._began = False
        self._done = False

    async def send(self, message: Message) -> None:
        kind = message["type"]
        self._began = self._began or kind in {"http.response.start", "websocket.accept"}
        ends = kind == "http.response.body" and not message.get("more_body", False)
        self._done = self._done or ends or kind == "websocket.close"
        await self._send(message)

    async def close(self, scope: Scope) -> None:
        """End what is open, without a word of the inner app."""
        if self._done:
            return
        try:
            if scope["type"] == "websocket":
                await self._send({"type": "websocket.close", "code": LOGGED_OUT})
            elif self._began:
                await self._send({"type": "http.response.body", "body": b"", "more_body": False})
            else:
                await answer_json(self._send, 401, LOGIN_ENDED)
        except (OSError, RuntimeError):
            # The client was quicker.
            return


LOGIN_ENDED = {"code": "logged_out", "message": "this browser was logged out; run `luvus web`"}


async def _busy(scope: Scope, receive: Receive, send: Send) -> None:
    message = f"this browser has {STREAMS} requests open; close a tab of it"
    if scope["type"] == "websocket":
        if (await receive())["type"] == "websocket.connect":
            await send({"type": "websocket.close", "code": 1013, "reason": message})
        return
    await answer_json(send, 429, {"code": "limit_exceeded", "message": message})
