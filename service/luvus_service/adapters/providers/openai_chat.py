"""Reads answers in the format of OpenAI Chat Completions, as many servers speak it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from luvus_service.adapters.providers.blocks import Blocks
from luvus_service.adapters.providers.json_view import View, decoded, encoded
from luvus_service.adapters.providers.openai_chat_body import request_body
from luvus_service.adapters.providers.openai_usage import chat_usage
from luvus_service.adapters.providers.sse import Event, GarbledStream
from luvus_service.adapters.providers.wire import Dialect, FormatName, Reader, StreamFault
from luvus_service.luxe.domain.ports import AnswerEnded, Delta, ModelRequest, TokensCounted

CALLS: Final = 128
"""Tool calls of one answer."""
DETAILS: Final = 1_000
"""Pieces of reasoning that must be handed back."""

_REASONS: Final[
    dict[str, Literal["end_turn", "tool_calls", "max_tokens", "refusal", "content_filter"]]
] = {
    "tool_calls": "tool_calls",
    "function_call": "tool_calls",
    "length": "max_tokens",
    "content_filter": "content_filter",
}
_BROKEN_OFF: Final = frozenset({"abort", "error"})


class ChatCompletions:
    """The format `openai-chat`."""

    name: FormatName = "openai-chat"
    path = "/chat/completions"
    models_path = "/models"

    def headers(self, key: str | None, *, bearer: bool) -> dict[str, str]:
        """Return the credential."""
        return {} if key is None else {"authorization": f"Bearer {key}"}

    def body(self, request: ModelRequest, dialect: Dialect) -> dict[str, Any]:
        """Return the body of a call."""
        return request_body(request, dialect)

    def reader(self) -> Reader:
        """Return a reader for one answer."""
        return ChatReader()


@dataclass(slots=True)
class _Call:
    """A tool call as far as it has come."""

    key: str
    call_id: str = ""
    name: str = ""
    waiting: str = ""
    """Arguments that came before the name."""
    begun: bool = False


class ChatReader:
    """Reads one answer.

    Text and reasoning arrive without block boundaries: a block begins whenever the kind changes.
    The answer is complete with a `finish_reason`; usage may follow it, and `[DONE]` may be left
    out by servers that do so.
    """

    def __init__(self) -> None:
        self._blocks = Blocks()
        self._current: str | None = None
        """Key of the text or reasoning block that is being written."""
        self._begun = 0
        self._calls: list[_Call] = []
        self._by_index: dict[int, _Call] = {}
        self._details: list[object] = []
        self._field = ""
        self._thinking: str | None = None
        self._refused = False
        self._reason: str | None = None
        self.closed = False

    @property
    def complete(self) -> bool:
        """Whether a reason for the end was given."""
        return self._reason is not None

    def read(self, event: Event) -> Sequence[Delta]:
        """Return what a chunk says."""
        if event.data.strip() == b"[DONE]":
            if self._reason is None:
                raise GarbledStream("the answer was closed without a reason")
            self.closed = True
            return ()
        try:
            view = decoded(event.data)
        except ValueError as error:
            raise GarbledStream("a chunk is no JSON") from error
        if view.get("error") is not None or view.text("object") == "error":
            raise StreamFault(view.raw)
        deltas: list[Delta] = []
        for choice in view.items("choices"):
            if choice.count("index") in (None, 0):
                deltas += self._choice(choice)
        if view.at("usage").is_object:
            deltas.append(TokensCounted(chat_usage(view.at("usage"))))
        return deltas

    def finish(self) -> Sequence[Delta]:
        """Close all blocks and say why the answer ended."""
        if not all(call.begun for call in self._calls):
            raise GarbledStream("a tool call without a name")
        deltas: list[Delta] = [
            self._blocks.end(key, self._opaque() if key == self._thinking else None)
            for key in self._blocks.open_keys()
        ]
        reason = "refusal" if self._refused else _REASONS.get(self._reason or "", "end_turn")
        return [*deltas, AnswerEnded(reason)]

    def _choice(self, choice: View) -> list[Delta]:
        delta = choice.at("delta")
        deltas: list[Delta] = []
        for name in ("reasoning_content", "reasoning"):
            if text := delta.text(name):
                self._field = name
                deltas += self._write("thinking", text)
                break
        for detail in delta.items("reasoning_details"):
            deltas += self._detail(detail)
        deltas += self._write("text", delta.text("content"))
        if refusal := delta.text("refusal"):
            self._refused = True
            deltas += self._write("text", refusal)
        for call in delta.items("tool_calls"):
            deltas += self._call(call)
        reason = choice.text("finish_reason")
        if reason in _BROKEN_OFF:
            raise GarbledStream(f"the provider broke the answer off ({reason})")
        self._reason = reason or self._reason
        return deltas

    def _write(self, kind: Literal["text", "thinking"], text: str) -> list[Delta]:
        if not text:
            return []
        deltas: list[Delta] = []
        if self._current is None or not self._current.startswith(kind):
            deltas += self._open(kind)
        return [*deltas, *self._blocks.more(self._current, text)]

    def _open(self, kind: Literal["text", "thinking"]) -> list[Delta]:
        self._current = f"{kind} {self._begun}"
        self._begun += 1
        if kind == "thinking":
            self._thinking = self._current
        return [self._blocks.start(self._current, kind)]

    def _detail(self, detail: View) -> list[Delta]:
        if len(self._details) >= DETAILS:
            raise GarbledStream(f"more than {DETAILS} reasoning details")
        self._details.append(detail.raw)
        return [] if self._thinking is not None else self._open("thinking")

    def _call(self, view: View) -> list[Delta]:
        call = self._find(view)
        call.call_id = call.call_id or view.text("id")
        function = view.at("function")
        call.name = call.name or function.text("name")
        given = function.get("arguments")
        text = given if isinstance(given, str) else "" if given is None else encoded(given).decode()
        if not call.begun and not call.name:
            call.waiting += text
            return []
        deltas: list[Delta] = []
        if not call.begun:
            call.begun = True
            self._current = None
            deltas.append(self._blocks.start(call.key, "tool_call", call.call_id, call.name))
            text, call.waiting = call.waiting + text, ""
        return [*deltas, *self._blocks.more(call.key, text)]

    def _find(self, view: View) -> _Call:
        index, call_id = view.count("index"), view.text("id")
        known = self._by_index.get(index) if index is not None else None
        if known is None and index is None and self._calls and not call_id:
            known = self._calls[-1]
        # Some servers number all parallel calls 0 and tell them apart by their ids alone.
        if known is not None and (not call_id or call_id == (known.call_id or call_id)):
            return known
        if len(self._calls) >= CALLS:
            raise GarbledStream(f"more than {CALLS} tool calls")
        call = _Call(f"call {len(self._calls)}")
        self._calls.append(call)
        if index is not None:
            self._by_index[index] = call
        return call

    def _opaque(self) -> str | None:
        """Return what hands the reasoning back: its details, or the field it came in."""
        if self._details:
            return encoded({"details": self._details}).decode()
        return encoded({"field": self._field}).decode() if self._field else None
