"""Reads answers in the format of OpenAI Responses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Literal

from luvus_service.adapters.providers.blocks import Blocks
from luvus_service.adapters.providers.json_view import View, decoded, encoded
from luvus_service.adapters.providers.openai_responses_body import request_body
from luvus_service.adapters.providers.openai_usage import responses_usage
from luvus_service.adapters.providers.sse import Event, GarbledStream
from luvus_service.adapters.providers.wire import Dialect, FormatName, Reader, StreamFault
from luvus_service.luxe.domain.ports import AnswerEnded, Delta, ModelRequest, TokensCounted

_KINDS: Final[dict[str, Literal["text", "thinking", "tool_call"]]] = {
    "message": "text",
    "reasoning": "thinking",
    "function_call": "tool_call",
}
_DELTAS: Final = frozenset(
    {
        "response.output_text.delta",
        "response.refusal.delta",
        "response.reasoning_summary_text.delta",
        "response.reasoning_text.delta",
        "response.function_call_arguments.delta",
    }
)


class OpenAIResponses:
    """The format `openai-responses`."""

    name: FormatName = "openai-responses"
    path = "/responses"
    models_path = "/models"

    def headers(self, key: str | None, *, bearer: bool) -> dict[str, str]:
        """Return the credential."""
        return {} if key is None else {"authorization": f"Bearer {key}"}

    def body(self, request: ModelRequest, dialect: Dialect) -> dict[str, Any]:
        """Return the body of a call."""
        return request_body(request, dialect)

    def reader(self) -> Reader:
        """Return a reader for one answer."""
        return ResponsesReader()


class ResponsesReader:
    """Reads one answer: each output item is a block, its parts follow each other within it."""

    def __init__(self) -> None:
        self._blocks = Blocks()
        self._written: set[int] = set()
        """Items of which a delta came."""
        self._part: dict[int, tuple[int, int]] = {}
        """By item: which of its parts the last delta belonged to."""
        self._called = False
        self._refused = False
        self._reason: Literal["max_tokens", "content_filter"] | None = None
        self.complete = False

    @property
    def closed(self) -> bool:
        """Whether the last event came."""
        return self.complete

    def read(self, event: Event) -> Sequence[Delta]:
        """Return what an event says."""
        if event.data.strip() == b"[DONE]":
            return ()
        try:
            view = decoded(event.data)
        except ValueError as error:
            raise GarbledStream("an event is no JSON") from error
        kind = view.text("type") or event.name
        if kind in _DELTAS:
            return self._more(kind, view)
        match kind:
            case "response.output_item.added":
                return self._added(_index(view), view.at("item"))
            case "response.output_item.done":
                return self._done(_index(view), view.at("item"))
            case "response.completed" | "response.incomplete":
                return self._end(view.at("response"))
            case "response.failed":
                raise StreamFault(view.at("response").raw)
            case "response.cancelled":
                raise GarbledStream("the provider cancelled the answer")
            case "error":
                raise StreamFault(view.raw)
            case _:
                return ()

    def finish(self) -> Sequence[Delta]:
        """Close all blocks and say why the answer ended."""
        ends = [self._blocks.end(key) for key in self._blocks.open_keys()]
        if self._reason is not None:
            return [*ends, AnswerEnded(self._reason)]
        if self._refused:
            return [*ends, AnswerEnded("refusal")]
        return [*ends, AnswerEnded("tool_calls" if self._called else "end_turn")]

    def _added(self, index: int, item: View) -> Sequence[Delta]:
        kind = _KINDS.get(item.text("type"))
        if kind is None:
            return ()
        if kind != "tool_call":
            return [self._blocks.start(index, kind)]
        self._called = True
        call_id = item.text("call_id") or item.text("id")
        return [self._blocks.start(index, kind, call_id, item.text("name"))]

    def _more(self, kind: str, view: View) -> Sequence[Delta]:
        index = _index(view)
        if kind == "response.refusal.delta":
            self._refused = True
        text = view.text("delta")
        if not text:
            return ()
        part = (view.count("summary_index") or 0, view.count("content_index") or 0)
        if self._part.setdefault(index, part) != part:
            self._part[index] = part
            text = "\n\n" + text
        self._written.add(index)
        return self._blocks.more(index, text)

    def _done(self, index: int, item: View) -> Sequence[Delta]:
        kind = _KINDS.get(item.text("type"))
        if kind is None:
            return ()
        deltas: list[Delta] = []
        if index not in self._blocks:
            deltas += self._added(index, item)
        if index not in self._written:
            deltas += self._blocks.more(index, _whole(item))
        opaque = None
        if kind == "thinking" and (encrypted := item.text("encrypted_content")):
            opaque = encoded({"encrypted_content": encrypted}).decode()
        return [*deltas, self._blocks.end(index, opaque)]

    def _end(self, response: View) -> Sequence[Delta]:
        self.complete = True
        reason = response.at("incomplete_details").text("reason")
        if response.text("status") == "incomplete" or reason:
            self._reason = "content_filter" if reason == "content_filter" else "max_tokens"
        usage = response.at("usage")
        return [TokensCounted(responses_usage(usage))] if usage.is_object else ()


def _whole(item: View) -> str:
    """Return the text of an item that was sent in one piece."""
    if item.text("type") == "function_call":
        return item.text("arguments")
    pieces = [*item.items("summary"), *item.items("content")]
    return "\n\n".join(filter(None, (p.text("text") or p.text("refusal") for p in pieces)))


def _index(view: View) -> int:
    index = view.count("output_index")
    if index is None:
        raise GarbledStream("an event of an output item does not say which")
    return index
