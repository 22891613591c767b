"""`luxe -p`: one turn for a script; prints its answer and says how it ended by the exit code."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import sys
from typing import Any, Final

from luvus_service.luxe_wiring.opening import Opened, Opener
from luvus_service.luxe_wiring.wish import Wish
from luvus_service.luxe_wiring.words import (
    EXIT_INTERNAL,
    EXIT_MODEL,
    EXIT_USAGE,
    StartFault,
)

EXIT_UNFINISHED: Final = 6
"""The turn ended before the model was done: a limit, or a refusal."""
EXIT_CANCELLED: Final = 130
PROMPT_BYTES: Final = 1024 * 1024
_CODES: Final = {"end_turn": 0, "cancelled": EXIT_CANCELLED, "error": EXIT_INTERNAL}


async def print_turn(opener: Opener, wish: Wish, options: argparse.Namespace, stdout: int) -> int:
    """Run the turn and return the exit code."""
    text = await _text(options.prompt)
    opened = await opener.open(wish)
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        loop.add_signal_handler(number, opened.frames.shut)
    opened.begin()
    turn = PrintedTurn(opened, approve=options.on_ask == "approve")
    turn.send("submit_user_message", {"text": text})
    await turn.read()
    await opened.session.closed()
    if turn.refused is not None:
        raise StartFault(EXIT_MODEL, turn.refused)
    shown = turn.as_json() if options.output == "json" else turn.text
    os.write(stdout, shown.encode("utf-8", "replace") + (b"" if shown.endswith("\n") else b"\n"))
    if turn.error is not None:
        sys.stderr.write(f"luxe: {turn.error}\n")
    return _CODES.get(turn.outcome, EXIT_UNFINISHED)


class PrintedTurn:
    """A client that answers every prompt by itself and keeps the last answer."""

    def __init__(self, opened: Opened, *, approve: bool) -> None:
        self._frames = opened.frames
        self._ready = opened.ready
        self._approve = approve
        self._end: dict[str, Any] = {}
        self._session: dict[str, Any] = {}
        self._rejected: list[str] = []
        self.text = ""
        self.refused: str | None = None

    @property
    def outcome(self) -> str:
        """How the turn ended."""
        return str(self._end.get("reason", "cancelled"))

    @property
    def error(self) -> str | None:
        """What failed, for people."""
        error = self._end.get("error")
        return str(error["message"]) if error else None

    def send(self, kind: str, content: Any = None) -> None:
        """Send a frame."""
        frame = {"kind": kind} | ({"content": content} if content is not None else {})
        self._frames.deliver(json.dumps(frame).encode())

    async def read(self) -> None:
        """Read frames until the session has closed."""
        async for line in self._frames.lines():
            frame = json.loads(line)
            self._take(frame["kind"], frame.get("content") or {})

    def _take(self, kind: str, body: dict[str, Any]) -> None:
        if kind == "permission_requested":
            if not self._approve:
                self._rejected.append(body["title"])
            reply = "once" if self._approve else "reject"
            self.send("respond_permission", {"id": body["id"], "reply": reply})
        elif kind == "question_asked":
            self.send("answer_question", {"id": body["id"], "reply": "cancelled"})
        elif kind == "message_committed" and body["message"]["role"] == "assistant":
            parts = body["message"]["parts"]
            self.text = "".join(p["text"] for p in parts if p["type"] == "text") or self.text
        elif kind == "session_usage":
            self._session = body
        elif kind == "notice" and body["level"] == "warning":
            sys.stderr.write(f"luxe: {body['message']}\n")
        elif kind == "action_rejected" and body.get("kind") == "submit_user_message":
            self.refused = body["reason"]
            self._frames.shut()
        elif kind == "turn_ended":
            self._end = body
            self._frames.shut()

    def as_json(self) -> str:
        """Return everything a script may want to know."""
        return json.dumps(
            {
                "outcome": self.outcome,
                "text": self.text,
                "session_id": self._ready.session_id,
                "rejected": self._rejected,
                "error": self._end.get("error"),
                "turn": self._end,
                "session_usage": self._session,
            },
            ensure_ascii=False,
        )


async def _text(given: str) -> str:
    """Return the prompt; `-` reads it from standard input."""
    if given != "-":
        return given
    data: bytes = await asyncio.to_thread(sys.stdin.buffer.read, PROMPT_BYTES + 1)
    if len(data) > PROMPT_BYTES:
        raise StartFault(EXIT_USAGE, f"the prompt is longer than {PROMPT_BYTES} bytes")
    return data.decode("utf-8", "replace")
