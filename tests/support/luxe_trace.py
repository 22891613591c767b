"""What must hold of the frames of a session, whatever was asked of it and in whatever order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

Frame = dict[str, Any]


def faults(frames: Sequence[Frame]) -> list[str]:
    """Return every rule that these frames break; the session must be idle at their end."""
    trace = _Trace()
    for frame in frames:
        trace.take(frame["kind"], frame.get("content") or {})
    trace.end()
    return trace.found


class _Trace:
    def __init__(self) -> None:
        self.found: list[str] = []
        self.turn: str | None = None
        self.turns: Counter[str] = Counter()
        self.last: tuple[str, Any] = ("", {})
        self.calls: dict[str, bool] = {}
        """Started calls of the turn, and whether they have ended."""
        self.all_calls: set[str] = set()
        self.prompts: set[str] = set()
        self.settled: set[str] = set()
        self.blocks: dict[int, str] = {}
        self.newest_block = -1
        self.steering: list[str] = []
        self.dropped: list[str] = []
        self.used = 0
        self.calls_counted = 0
        self.transcript: list[Any] = []

    def wrong(self, text: str) -> None:
        self.found.append(text)

    def take(self, kind: str, body: Any) -> None:
        handler = getattr(self, f"on_{kind}", None)
        if handler is not None:
            handler(body)
        self.last = (kind, body)

    def on_turn_started(self, body: Any) -> None:
        if self.turn is not None:
            self.wrong("a turn began in another one")
        if self.last[0] != "state_changed" or not self.last[1]["streaming"]:
            self.wrong("a turn began without its state before it")
        self.turn = body["turn_id"]
        self.turns[body["turn_id"]] += 1
        self.calls, self.blocks, self.newest_block = {}, {}, -1

    def on_turn_ended(self, body: Any) -> None:
        if body["turn_id"] != self.turn:
            self.wrong("a turn ended that did not run")
        if self.last[0] != "state_changed" or self.last[1]["streaming"]:
            self.wrong("a turn ended without its state before it")
        open_calls = [call for call, ended in self.calls.items() if not ended]
        if open_calls:
            self.wrong(f"calls {open_calls} did not end with their turn")
        if self.prompts:
            self.wrong(f"prompts {sorted(self.prompts)} outlived their turn")
        if self.steering or body["undelivered_steering"] not in ([], self.dropped):
            self.wrong(f"steering {self.steering} told as {body['undelivered_steering']}")
        self.turn = None

    def on_state_changed(self, body: Any) -> None:
        open_prompts = {*body["pending_permissions"], *body["pending_questions"]}
        if open_prompts != self.prompts:
            self.wrong(f"the state shows {open_prompts} while {self.prompts} are open")
        if body["streaming"] != (body["turn_id"] is not None):
            self.wrong("streaming and turn differ")

    def on_tool_started(self, body: Any) -> None:
        if body["call_id"] in self.all_calls:
            self.wrong(f"call {body['call_id']} started twice")
        self.all_calls.add(body["call_id"])
        self.calls[body["call_id"]] = False
        self._within("tool_started", body)

    def on_tool_ended(self, body: Any) -> None:
        if self.calls.get(body["call_id"], True):
            self.wrong(f"call {body['call_id']} ended without being under way")
        self.calls[body["call_id"]] = True

    def on_tool_completed(self, body: Any) -> None:
        if self.calls.get(body["call_id"], True):
            self.wrong(f"call {body['call_id']} completed without being under way")

    def on_permission_requested(self, body: Any) -> None:
        self.prompts.add(body["id"])
        self._within("permission_requested", body)

    def on_question_asked(self, body: Any) -> None:
        self.prompts.add(body["id"])
        self._within("question_asked", body)

    def on_permission_resolved(self, body: Any) -> None:
        if body["id"] not in self.prompts or body["id"] in self.settled:
            self.wrong(f"prompt {body['id']} was settled without being open")
        self.prompts.discard(body["id"])
        self.settled.add(body["id"])

    on_question_resolved = on_permission_resolved

    def on_token_delta(self, body: Any) -> None:
        block = body["block"]
        if block < self.newest_block:
            self.wrong(f"block {block} went on after block {self.newest_block}")
        self.newest_block = block
        self.blocks[block] = self.blocks.get(block, "") + body["delta"]
        self._within("token_delta", body)

    on_thinking_delta = on_token_delta

    def on_message_committed(self, body: Any) -> None:
        message = body["message"]
        self.transcript.append(message)
        for part in message["parts"]:
            if message["role"] == "assistant" and part["type"] in {"text", "thinking"}:
                streamed = self.blocks.pop(part["block"], None)
                if streamed != part["text"]:
                    self.wrong(
                        f"block {part['block']} was {streamed!r} and became {part['text']!r}"
                    )
        if message["origin"] == "steering":
            text = message["parts"][0]["text"]
            if self.steering[:1] != [text]:
                self.wrong(f"{text!r} was delivered while {self.steering} waited")
            self.steering = self.steering[1:]

    def on_steering_updated(self, body: Any) -> None:
        # The end of a turn empties the queue before it says what was in it; so does a withdrawal.
        self.dropped = [] if body["pending"] else self.steering
        self.steering = [item["text"] for item in body["pending"]]

    def on_transcript_rewound(self, body: Any) -> None:
        gone = set(body["removed_message_ids"])
        kept = [m for m in self.transcript if m["id"] not in gone]
        if len(kept) + len(gone) != len(self.transcript):
            self.wrong("messages were taken back that nobody saw")
        self.transcript = kept

    def on_turn_usage(self, body: Any) -> None:
        self.used += body["total_tokens"]
        self.calls_counted += 1

    def on_session_usage(self, body: Any) -> None:
        if (body["total_tokens"], body["calls"]) != (self.used, self.calls_counted):
            self.wrong(f"{self.used} tokens were summed up as {body['total_tokens']}")

    def end(self) -> None:
        if self.turn is not None:
            self.wrong("a turn never ended")
        if set(self.turns.values()) - {1}:
            self.wrong("a turn began twice")
        for index, message in enumerate(self.transcript):
            made = [p["call_id"] for p in message["parts"] if p["type"] == "tool_call"]
            after = self.transcript[index + 1]["parts"] if index + 1 < len(self.transcript) else []
            got = [p["call_id"] for p in after if p["type"] == "tool_result"]
            if made and made != got:
                self.wrong(f"calls {made} were answered by {got}")

    def _within(self, kind: str, body: Any) -> None:
        if self.turn is None or body.get("turn_id") != self.turn:
            self.wrong(f"{kind} of turn {body.get('turn_id')} in {self.turn}")
