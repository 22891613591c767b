"""Renders the steps of a reply as the streams of three providers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Protocol

from tests.support.provider_script import Call, Fail, Format, Reply, Say, Think


class Writer(Protocol):
    """Writes one answer."""

    def __init__(self, reply: Reply, model: str) -> None:
        """Begin an answer."""

    def begin(self) -> Iterator[bytes]:
        """Yield the events before the first block."""
        ...

    def block(self, step: Say | Think | Call) -> Iterator[bytes]:
        """Yield the events of a block."""
        ...

    def fail(self, step: Fail) -> Iterator[bytes]:
        """Yield an error."""
        ...

    def end(self) -> Iterator[bytes]:
        """Yield the events after the last block."""
        ...

    def whole(self) -> dict[str, Any]:
        """Return the answer in one piece."""
        ...


class AnthropicWriter:
    """Anthropic Messages."""

    def __init__(self, reply: Reply, model: str) -> None:
        self._reply = reply
        self._model = model
        self._index = -1

    def begin(self) -> Iterator[bytes]:
        yield _named("message_start", message={**self._head(), "usage": self._usage(output=1)})
        yield _named("ping")

    def block(self, step: Say | Think | Call) -> Iterator[bytes]:
        self._index += 1
        index = self._index
        empty = {**_anthropic_block(step)}
        empty.update({"text": ""} if isinstance(step, Say) else {})
        empty.update({"thinking": "", "signature": ""} if isinstance(step, Think) else {})
        empty.update({"input": {}} if isinstance(step, Call) else {})
        yield _named("content_block_start", index=index, content_block=empty)
        kind, field = {
            Say: ("text_delta", "text"),
            Think: ("thinking_delta", "thinking"),
            Call: ("input_json_delta", "partial_json"),
        }[type(step)]
        for piece in _pieces(step, self._reply.piece):
            yield _named("content_block_delta", index=index, delta={"type": kind, field: piece})
        if isinstance(step, Think):
            signed = {"type": "signature_delta", "signature": step.signature}
            yield _named("content_block_delta", index=index, delta=signed)
        yield _named("content_block_stop", index=index)

    def fail(self, step: Fail) -> Iterator[bytes]:
        yield _named("error", error={"type": step.type, "message": step.message})

    def end(self) -> Iterator[bytes]:
        usage = {"output_tokens": self._reply.counts.output}
        delta = {"stop_reason": self._stop(), "stop_sequence": None}
        yield _named("message_delta", delta=delta, usage=usage)
        yield _named("message_stop")

    def whole(self) -> dict[str, Any]:
        content = [_anthropic_block(s) for s in self._reply.steps if isinstance(s, Say | Call)]
        usage = self._usage(output=self._reply.counts.output)
        return {**self._head(), "content": content, "stop_reason": self._stop(), "usage": usage}

    def _head(self) -> dict[str, Any]:
        return {
            "id": self._reply.message_id,
            "type": "message",
            "role": "assistant",
            "model": self._model,
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
        }

    def _usage(self, output: int) -> dict[str, int]:
        counts = self._reply.counts
        return {
            "input_tokens": counts.fresh,
            "cache_read_input_tokens": counts.cached,
            "cache_creation_input_tokens": counts.written,
            "output_tokens": output,
        }

    def _stop(self) -> str:
        if self._reply.stop != "end":
            return self._reply.stop
        called = any(isinstance(step, Call) for step in self._reply.steps)
        return "tool_use" if called else "end_turn"


class ChatWriter:
    """OpenAI Chat Completions."""

    def __init__(self, reply: Reply, model: str) -> None:
        self._reply = reply
        self._model = model
        self._calls = -1

    def begin(self) -> Iterator[bytes]:
        yield self._chunk({"role": "assistant", "content": ""})

    def block(self, step: Say | Think | Call) -> Iterator[bytes]:
        if isinstance(step, Call):
            self._calls += 1
            head = {"id": step.call_id, "type": "function"}
            function = {"name": step.name, "arguments": ""}
            yield self._chunk(
                {"tool_calls": [{"index": self._calls, **head, "function": function}]}
            )
            for piece in _pieces(step, self._reply.piece):
                part = {"index": self._calls, "function": {"arguments": piece}}
                yield self._chunk({"tool_calls": [part]})
            return
        field = "reasoning_content" if isinstance(step, Think) else "content"
        for piece in _pieces(step, self._reply.piece):
            yield self._chunk({field: piece})

    def fail(self, step: Fail) -> Iterator[bytes]:
        yield _data({"error": {"message": step.message, "type": step.type, "code": step.type}})

    def end(self) -> Iterator[bytes]:
        yield self._chunk({}, self._stop())
        yield _data({**self._head("chat.completion.chunk"), "choices": [], "usage": self._usage()})
        yield b"data: [DONE]\n\n"

    def whole(self) -> dict[str, Any]:
        text = "".join(step.text for step in self._reply.steps if isinstance(step, Say))
        message: dict[str, Any] = {"role": "assistant", "content": text or None}
        made = [step for step in self._reply.steps if isinstance(step, Call)]
        if made:
            message["tool_calls"] = [
                {
                    "id": step.call_id,
                    "type": "function",
                    "function": {"name": step.name, "arguments": step.arguments},
                }
                for step in made
            ]
        choice = {"index": 0, "message": message, "finish_reason": self._stop()}
        return {**self._head("chat.completion"), "choices": [choice], "usage": self._usage()}

    def _chunk(self, delta: dict[str, Any], reason: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": reason}
        return _data({**self._head("chat.completion.chunk"), "choices": [choice], "usage": None})

    def _head(self, kind: str) -> dict[str, Any]:
        return {"id": "chatcmpl-1", "object": kind, "created": 1, "model": self._model}

    def _usage(self) -> dict[str, Any]:
        counts = self._reply.counts
        prompt = counts.fresh + counts.cached + counts.written
        return {
            "prompt_tokens": prompt,
            "completion_tokens": counts.output,
            "total_tokens": prompt + counts.output,
            "prompt_tokens_details": {"cached_tokens": counts.cached},
            "completion_tokens_details": {"reasoning_tokens": counts.reasoning},
        }

    def _stop(self) -> str:
        if self._reply.stop != "end":
            return {"max_tokens": "length", "refusal": "content_filter"}[self._reply.stop]
        called = any(isinstance(step, Call) for step in self._reply.steps)
        return "tool_calls" if called else "stop"


class ResponsesWriter:
    """OpenAI Responses."""

    def __init__(self, reply: Reply, model: str) -> None:
        self._reply = reply
        self._model = model
        self._items: list[dict[str, Any]] = []

    def begin(self) -> Iterator[bytes]:
        for kind in ("response.created", "response.in_progress"):
            yield _named(kind, response=self._response("in_progress"))

    def block(self, step: Say | Think | Call) -> Iterator[bytes]:
        index = len(self._items)
        full = _item(step, index)
        self._items.append(full)
        place = {"output_index": index, "item_id": full["id"]}
        empty = {**full, "status": "in_progress", **_emptied(step)}
        yield _named("response.output_item.added", output_index=index, item=empty)
        yield from self._parts(step, full, place)
        yield _named("response.output_item.done", output_index=index, item=full)

    def _parts(
        self, step: Say | Think | Call, full: dict[str, Any], place: dict[str, Any]
    ) -> Iterator[bytes]:
        if isinstance(step, Call):
            kind = "response.function_call_arguments"
            for piece in _pieces(step, self._reply.piece):
                yield _named(f"{kind}.delta", **place, delta=piece)
            yield _named(f"{kind}.done", **place, name=step.name, arguments=step.arguments)
            return
        if isinstance(step, Say):
            kind, outer, number = "response.output_text", "response.content_part", "content_index"
            [part] = full["content"]
        else:
            kind, outer = "response.reasoning_summary_text", "response.reasoning_summary_part"
            number = "summary_index"
            [part] = full["summary"]
        place = {**place, number: 0}
        yield _named(f"{outer}.added", **place, part={**part, "text": ""})
        for piece in _pieces(step, self._reply.piece):
            yield _named(f"{kind}.delta", **place, delta=piece)
        yield _named(f"{kind}.done", **place, text=step.text)
        yield _named(f"{outer}.done", **place, part=part)

    def fail(self, step: Fail) -> Iterator[bytes]:
        failed = self._response("failed")
        failed["error"] = {"code": step.type, "message": step.message}
        yield _named("response.failed", response=failed)

    def end(self) -> Iterator[bytes]:
        if self._reply.stop == "max_tokens":
            yield _named("response.incomplete", response=self.whole())
        else:
            yield _named("response.completed", response=self.whole())

    def whole(self) -> dict[str, Any]:
        counts = self._reply.counts
        prompt = counts.fresh + counts.cached + counts.written
        if not self._items:
            steps = [s for s in self._reply.steps if isinstance(s, Say | Think | Call)]
            self._items = [_item(step, index) for index, step in enumerate(steps)]
        cut = self._reply.stop == "max_tokens"
        response = self._response("incomplete" if cut else "completed")
        response["incomplete_details"] = {"reason": "max_output_tokens"} if cut else None
        response["usage"] = {
            "input_tokens": prompt,
            "input_tokens_details": {"cached_tokens": counts.cached},
            "output_tokens": counts.output,
            "output_tokens_details": {"reasoning_tokens": counts.reasoning},
            "total_tokens": prompt + counts.output,
        }
        return response

    def _response(self, status: str) -> dict[str, Any]:
        return {
            "id": "resp_1",
            "object": "response",
            "created_at": 1,
            "model": self._model,
            "status": status,
            "error": None,
            "output": list(self._items),
            "usage": None,
        }


WRITERS: dict[Format, type[Writer]] = {
    "anthropic": AnthropicWriter,
    "openai-chat": ChatWriter,
    "openai-responses": ResponsesWriter,
}


def _anthropic_block(step: Say | Think | Call) -> dict[str, Any]:
    match step:
        case Say(text):
            return {"type": "text", "text": text}
        case Think(text, signature):
            return {"type": "thinking", "thinking": text, "signature": signature}
        case Call():
            # Text stands for arguments that may be cut; a stream carries it as it is.
            given = {} if isinstance(step.input, str) else step.input
            return {"type": "tool_use", "id": step.call_id, "name": step.name, "input": given}


def _item(step: Say | Think | Call, index: int) -> dict[str, Any]:
    match step:
        case Say(text):
            part = {"type": "output_text", "text": text, "annotations": []}
            return {"id": f"msg_{index}", "type": "message", "role": "assistant", "content": [part]}
        case Think(text, signature):
            return {
                "id": f"rs_{index}",
                "type": "reasoning",
                "summary": [{"type": "summary_text", "text": text}],
                "encrypted_content": signature,
            }
        case Call():
            return {
                "id": f"fc_{index}",
                "type": "function_call",
                "call_id": step.call_id,
                "name": step.name,
                "arguments": step.arguments,
            }


def _emptied(step: Say | Think | Call) -> dict[str, Any]:
    if isinstance(step, Say):
        return {"content": []}
    return {"summary": []} if isinstance(step, Think) else {"arguments": ""}


def _pieces(step: Say | Think | Call, size: int) -> Iterator[str]:
    text = step.arguments if isinstance(step, Call) else step.text
    for start in range(0, len(text), size):
        yield text[start : start + size]


def _data(value: Any) -> bytes:
    return b"data: " + json.dumps(value, ensure_ascii=False).encode() + b"\n\n"


def _named(kind: str, **fields: Any) -> bytes:
    return f"event: {kind}\n".encode() + _data({"type": kind, **fields})
