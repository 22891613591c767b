"""Writes requests in the format of Anthropic Messages: content, cache marks, thinking."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import Any, Final

from luvus_service.adapters.providers.claude import Traits, traits_of
from luvus_service.adapters.providers.wire import Dialect, joined, own_thinking, wire_id
from luvus_service.luxe.domain.ports import (
    CallGiven,
    ImageGiven,
    MessageGiven,
    ModelRequest,
    PartGiven,
    ResultGiven,
    TextGiven,
    ThinkingGiven,
)
from luvus_service.luxe.domain.values import ThinkingLevel

BUDGETS: Final[dict[ThinkingLevel, int]] = {
    "minimal": 1_024,
    "low": 4_096,
    "medium": 10_240,
    "high": 20_480,
    "xhigh": 32_768,
    "ultra": 49_152,
}
"""Tokens of thinking, for models that take a budget."""
LEAST_BUDGET: Final = 1_024
LEAST_ANSWER: Final = 1_024
"""Tokens that a budget leaves for the answer itself."""
OUTPUT_TOKENS: Final = 8_192
"""The limit of a model whose own is not known; the format requires one."""
MARKED_MESSAGES: Final = 2
"""Newest user messages that carry a cache mark; system and tools take the other two of four."""

_MARK: Final = {"type": "ephemeral"}


def request_body(request: ModelRequest, dialect: Dialect) -> dict[str, Any]:
    """Return the body of a call."""
    limit = request.max_output_tokens or request.model.max_output_tokens or OUTPUT_TOKENS
    traits = traits_of(request.model.model)
    forced = request.force_tool if traits.forceable else None
    messages = joined(request.messages)
    thinking = _thinking(request, traits, limit, messages, forced)
    thinks = thinking.get("thinking", {}).get("type") != "disabled"
    body: dict[str, Any] = {
        "model": request.model.model,
        "max_tokens": limit,
        "stream": True,
        "messages": _messages(messages, request, keep_thinking=thinks and bool(thinking)),
        **thinking,
    }
    if request.system:
        body["system"] = [{"type": "text", "text": t} for t in request.system if t.strip()]
    if request.tools:
        body["tools"] = [
            {"name": t.name, "description": t.description, "input_schema": dict(t.parameters)}
            for t in request.tools
            if request.force_tool in (None, t.name) or forced is not None
        ]
    if forced is not None:
        body["tool_choice"] = {"type": "tool", "name": forced}
    if dialect.caching:
        _mark(body)
    body.update(dialect.extra_body)
    return body


def _thinking(
    request: ModelRequest,
    traits: Traits,
    limit: int,
    messages: Sequence[MessageGiven],
    forced: str | None,
) -> dict[str, Any]:
    level = request.thinking
    style = traits.style
    if style == "none" or not request.model.supports_thinking:
        return {}
    if style == "always" or (style == "adaptive" and level != "off" and forced is None):
        effort = traits.efforts.get(level, "low")
        return {
            "thinking": {"type": "adaptive", "display": "summarized"},
            "output_config": {"effort": effort},
        }
    off = {"thinking": {"type": "disabled"}}
    if style == "adaptive" or level == "off" or forced is not None:
        return off
    budget = min(BUDGETS[level], limit - LEAST_ANSWER)
    if budget < LEAST_BUDGET or _loop_lacks_thinking(messages, request):
        return off
    return {"thinking": {"type": "enabled", "budget_tokens": budget}}


def _loop_lacks_thinking(messages: Sequence[MessageGiven], request: ModelRequest) -> bool:
    """Say whether the calls now being answered were made without thinking.

    A model with a budget refuses to begin thinking in the middle of such a loop.
    """
    if len(messages) < 2 or not any(isinstance(p, ResultGiven) for p in messages[-1].parts):
        return False
    first = next(iter(messages[-2].parts), None)
    return not (isinstance(first, ThinkingGiven) and own_thinking(first, request))


def _messages(
    messages: Sequence[MessageGiven], request: ModelRequest, *, keep_thinking: bool
) -> list[dict[str, Any]]:
    result: list[dict[str, Any]] = []
    for message in messages:
        content = [
            block
            for part in message.parts
            if (keep_thinking or not isinstance(part, ThinkingGiven))
            and (block := _content(part, request)) is not None
        ]
        # An answer that was interrupted in its reasoning; a message that ends so is refused.
        while message.role == "assistant" and content and "thinking" in content[-1]["type"]:
            content.pop()
        if content and result and result[-1]["role"] == message.role:
            result[-1]["content"] += content
        elif content:
            result.append({"role": message.role, "content": content})
    return result


def _content(part: PartGiven, request: ModelRequest) -> dict[str, Any] | None:
    match part:
        case TextGiven(text):
            return {"type": "text", "text": text} if text.strip() else None
        case ThinkingGiven():
            if not own_thinking(part, request):
                return None
            if part.redacted:
                return {"type": "redacted_thinking", "data": part.opaque}
            return {"type": "thinking", "thinking": part.text, "signature": part.opaque}
        case ImageGiven():
            return _image(part)
        case CallGiven():
            return {
                "type": "tool_use",
                "id": wire_id(part.call_id),
                "name": part.name,
                "input": dict(part.input),
            }
        case ResultGiven():
            return _result(part)


def _result(part: ResultGiven) -> dict[str, Any]:
    content: Any = part.text
    if part.images:
        text = [{"type": "text", "text": part.text}] if part.text.strip() else []
        content = [*text, *map(_image, part.images)]
    block: dict[str, Any] = {
        "type": "tool_result",
        "tool_use_id": wire_id(part.call_id),
        "content": content,
    }
    if part.is_error:
        block["is_error"] = True
    return block


def _image(image: ImageGiven) -> dict[str, Any]:
    data = base64.b64encode(image.data).decode("ascii")
    return {
        "type": "image",
        "source": {"type": "base64", "media_type": image.mime, "data": data},
    }


def _mark(body: dict[str, Any]) -> None:
    """Set the cache marks: after tools, after the system prompt, after the newest messages."""
    for name in ("tools", "system"):
        if body.get(name):
            body[name][-1]["cache_control"] = _MARK
    asked = [m for m in body["messages"] if m["role"] == "user"]
    for message in asked[-MARKED_MESSAGES:]:
        message["content"][-1]["cache_control"] = _MARK
