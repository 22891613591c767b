"""Reads answers in the format of Anthropic Messages; `anthropic_body` writes its requests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Literal

from luvus_service.adapters.providers.anthropic_body import request_body
from luvus_service.adapters.providers.blocks import Blocks
from luvus_service.adapters.providers.json_view import View, decoded, encoded
from luvus_service.adapters.providers.sse import Event, GarbledStream
from luvus_service.adapters.providers.wire import Dialect, FormatName, Reader, StreamFault
from luvus_service.luxe.domain.ports import AnswerEnded, Delta, ModelRequest, TokensCounted
from luvus_service.luxe.domain.values import CallUsage

VERSION: Final = "2023-06-01"

_REASONS: Final[
    dict[str, Literal["end_turn", "tool_calls", "max_tokens", "refusal", "content_filter"]]
] = {
    "tool_use": "tool_calls",
    "max_tokens": "max_tokens",
    "model_context_window_exceeded": "max_tokens",
    "refusal": "refusal",
}
_COUNTED: Final = (
    "input_tokens",
    "cache_read_input_tokens",
    "cache_creation_input_tokens",
    "output_tokens",
)


class AnthropicMessages:
    """The format `anthropic`."""

    name: FormatName = "anthropic"
    path = "/v1/messages"
    models_path = "/v1/models"

    def headers(self, key: str | None, *, bearer: bool) -> dict[str, str]:
        """Return version and credential."""
        headers = {"anthropic-version": VERSION}
        if key is not None:
            if bearer:
                headers["authorization"] = f"Bearer {key}"
            else:
                headers["x-api-key"] = key
        return headers

    def body(self, request: ModelRequest, dialect: Dialect) -> dict[str, Any]:
        """Return the body of a call."""
        return request_body(request, dialect)

    def reader(self) -> Reader:
        """Return a reader for one answer."""
        return AnthropicReader()


class AnthropicReader:
    """Reads one answer. Unknown events and blocks are passed over, as the format asks."""

    def __init__(self) -> None:
        self._blocks = Blocks()
        self._passed_over: set[int] = set()
        self._signatures: dict[int, str] = {}
        self._counts: dict[str, int] = {}
        self._reasoning = 0
        self._reason: str | None = None
        self.complete = False

    @property
    def closed(self) -> bool:
        """Whether the last event came."""
        return self.complete

    def read(self, event: Event) -> Sequence[Delta]:
        """Return what an event says."""
        try:
            view = decoded(event.data)
        except ValueError as error:
            raise GarbledStream("an event is no JSON") from error
        kind = view.text("type") or event.name
        match kind:
            case "content_block_delta":
                return self._more(_index(view), view.at("delta"))
            case "content_block_start":
                return self._start(_index(view), view.at("content_block"))
            case "content_block_stop":
                return self._stop(_index(view))
            case "message_start":
                return self._count(view.at("message").at("usage"))
            case "message_delta":
                self._reason = view.at("delta").text("stop_reason") or self._reason
                return self._count(view.at("usage"))
            case "message_stop":
                self.complete = True
                return ()
            case "error":
                raise StreamFault(view.raw)
            case _:
                return ()

    def finish(self) -> Sequence[Delta]:
        """Return why the answer ended."""
        ends = [self._blocks.end(key) for key in self._blocks.open_keys()]
        return [*ends, AnswerEnded(_REASONS.get(self._reason or "", "end_turn"))]

    def _start(self, index: int, block: View) -> list[Delta]:
        match block.text("type"):
            case "text":
                return [self._blocks.start(index, "text"), *self._given(index, block.text("text"))]
            case "thinking":
                self._signatures[index] = block.text("signature")
                start = self._blocks.start(index, "thinking")
                return [start, *self._given(index, block.text("thinking"))]
            case "redacted_thinking":
                # Complete at once: its stop event finds it closed and is passed over.
                self._passed_over.add(index)
                start = self._blocks.start(index, "thinking")
                return [start, self._blocks.end(index, block.text("data") or None, redacted=True)]
            case "tool_use":
                start = self._blocks.start(index, "tool_call", block.text("id"), block.text("name"))
                given = block.get("input")
                return [start, *self._given(index, encoded(given).decode() if given else "")]
            case _:
                self._passed_over.add(index)
                return []

    def _more(self, index: int, delta: View) -> Sequence[Delta]:
        if index in self._passed_over:
            return ()
        match delta.text("type"):
            case "text_delta":
                return self._blocks.more(index, delta.text("text"))
            case "input_json_delta":
                return self._blocks.more(index, delta.text("partial_json"))
            case "thinking_delta":
                return self._blocks.more(index, delta.text("thinking"))
            case "signature_delta":
                self._signatures[index] = self._signatures.get(index, "") + delta.text("signature")
                return ()
            case _:
                return ()

    def _stop(self, index: int) -> Sequence[Delta]:
        if index in self._passed_over:
            return ()
        return [self._blocks.end(index, self._signatures.get(index) or None)]

    def _given(self, index: int, text: str) -> list[Delta]:
        return self._blocks.more(index, text)

    def _count(self, usage: View) -> Sequence[Delta]:
        found = {name: n for name in _COUNTED if (n := usage.count(name)) is not None}
        if not found:
            return ()
        self._counts.update(found)
        details = usage.at("output_tokens_details")
        self._reasoning = details.count("thinking_tokens") or self._reasoning
        read, write = (self._counts.get(name, 0) for name in _COUNTED[1:3])
        output = self._counts.get("output_tokens", 0)
        # The prompt count leaves both kinds of cached tokens out: the whole is the sum.
        prompt = self._counts.get("input_tokens", 0) + read + write
        return [
            TokensCounted(
                CallUsage(
                    prompt_tokens=prompt,
                    completion_tokens=output,
                    cached_prompt_tokens=read,
                    cache_write_tokens=write,
                    reasoning_tokens=min(self._reasoning, output),
                    total_tokens=prompt + output,
                )
            )
        ]


def _index(view: View) -> int:
    index = view.count("index")
    if index is None:
        raise GarbledStream("an event of a block does not say which")
    return index
