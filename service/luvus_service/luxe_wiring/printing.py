"""`luxe -p`: one turn for a script; prints its answer and says how it ended by the exit code."""

from __future__ import annotations

import argparse
import asyncio
import json
import signal
import sys
from typing import Any, Final

from luvus_service.luxe_wiring.opening import Opened, Opener
from luvus_service.luxe_wiring.telling import EXIT_UNREAD, tell
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
_UNUSABLE: Final = frozenset({"auth", "model_not_found", "quota_exhausted"})
"""Errors that another model or credential would mend."""


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
        raise turn.refused
    shown = turn.as_json() if options.output == "json" else turn.text
    if shown and not shown.endswith("\n"):
        shown += "\n"
    if not tell(stdout, shown.encode("utf-8", "replace")):
        return EXIT_UNREAD
    if turn.error is not None:
        sys.stderr.write(f"luxe: {turn.error}\n")
    return turn.code


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
        self.refused: StartFault | None = None

    @property
    def outcome(self) -> str:
        """How the turn ended."""
        return str(self._end.get("reason", "cancelled"))

    @property
    def code(self) -> int:
        """The exit code for it."""
        error = self._end.get("error")
        if error and error["code"] in _UNUSABLE:
            return EXIT_MODEL
        return _CODES.get(self.outcome, EXIT_UNFINISHED)

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
                self._rejected.append(body["command"] or body["title"])
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
        elif kind == "provider_retrying":
            wait = body["delay_ms"] / 1000
            sys.stderr.write(f"luxe: {body['reason']}; trying again in {wait:.0f} s\n")
        elif kind == "action_rejected" and body.get("kind") == "submit_user_message":
            code = EXIT_MODEL if body["code"] == "not_found" else EXIT_USAGE
            reason = body["reason"].removeprefix("submit_user_message: ")
            self.refused = StartFault(code, reason)
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
    text = given
    if given == "-":
        data: bytes = await asyncio.to_thread(sys.stdin.buffer.read, PROMPT_BYTES + 1)
        text = data.decode("utf-8", "replace")
    if len(text.encode("utf-8", "replace")) > PROMPT_BYTES:
        raise StartFault(EXIT_USAGE, f"the prompt is longer than {PROMPT_BYTES} bytes")
    if not text.strip():
        raise StartFault(EXIT_USAGE, "the prompt is empty")
    return text
