"""Writes requests in the format of OpenAI Responses; nothing is kept on the provider's side."""

from __future__ import annotations

import base64
from typing import Any, Final

from luvus_service.adapters.providers.json_view import decoded, encoded
from luvus_service.adapters.providers.openai_chat_body import wanted_effort
from luvus_service.adapters.providers.wire import Dialect, own_thinking, wire_id
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

CACHE_KEY_CHARS: Final = 64


def request_body(request: ModelRequest, dialect: Dialect) -> dict[str, Any]:
    """Return the body of a call."""
    body: dict[str, Any] = {
        "model": request.model.model,
        "stream": True,
        "store": False,
        "input": [item for message in request.messages for item in _items(message, request)],
    }
    system = "\n\n".join(text for text in request.system if text.strip())
    if system:
        body["instructions"] = system
    if request.max_output_tokens is not None:
        body["max_output_tokens"] = request.max_output_tokens
    if request.tools:
        body["tools"] = [
            {
                "type": "function",
                "name": t.name,
                "description": t.description,
                "parameters": dict(t.parameters),
                "strict": False,
            }
            for t in request.tools
        ]
    if request.force_tool is not None:
        body["tool_choice"] = {"type": "function", "name": request.force_tool}
    effort = wanted_effort(request)
    if effort is not None:
        summary = {} if effort == "none" else {"summary": "auto"}
        body["reasoning"] = {"effort": effort, **summary}
        body["include"] = ["reasoning.encrypted_content"]
    if dialect.caching and request.cache_key:
        body["prompt_cache_key"] = request.cache_key[:CACHE_KEY_CHARS]
    body.update(dialect.extra_body)
    return body


def _items(message: MessageGiven, request: ModelRequest) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    content: list[dict[str, Any]] = []
    for part in message.parts:
        written = _content(part, message.role)
        if written is not None:
            content.append(written)
            continue
        item = _item(part, request)
        if item is None:
            continue
        if content:
            items.append({"type": "message", "role": message.role, "content": content})
            content = []
        items.append(item)
    if content:
        items.append({"type": "message", "role": message.role, "content": content})
    # Reasoning of an interrupted answer, with nothing after it, is refused.
    while items and items[-1]["type"] == "reasoning":
        items.pop()
    return items


def _content(part: PartGiven, role: str) -> dict[str, Any] | None:
    if isinstance(part, TextGiven) and part.text:
        return {"type": "output_text" if role == "assistant" else "input_text", "text": part.text}
    return _image(part) if isinstance(part, ImageGiven) else None


def _item(part: PartGiven, request: ModelRequest) -> dict[str, Any] | None:
    match part:
        case ThinkingGiven():
            return _reasoning(part, request)
        case CallGiven():
            return {
                "type": "function_call",
                "call_id": wire_id(part.call_id),
                "name": part.name,
                "arguments": encoded(dict(part.input)).decode(),
            }
        case ResultGiven():
            return {
                "type": "function_call_output",
                "call_id": wire_id(part.call_id),
                "output": _output(part),
            }
        case _:
            return None


def _reasoning(part: ThinkingGiven, request: ModelRequest) -> dict[str, Any] | None:
    if not own_thinking(part, request):
        return None
    try:
        encrypted = decoded((part.opaque or "").encode()).text("encrypted_content")
    except ValueError:
        return None
    if not encrypted:
        return None
    return {"type": "reasoning", "summary": [], "encrypted_content": encrypted}


def _output(part: ResultGiven) -> Any:
    text = f"Error: {part.text}" if part.is_error else part.text
    if not part.images:
        return text
    return [{"type": "input_text", "text": text}, *map(_image, part.images)]


def _image(image: ImageGiven) -> dict[str, Any]:
    data = base64.b64encode(image.data).decode("ascii")
    return {"type": "input_image", "image_url": f"data:{image.mime};base64,{data}"}
