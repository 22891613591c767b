"""Writes requests in the format of OpenAI Chat Completions."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import Any

from luvus_service.adapters.providers.json_view import decoded, encoded
from luvus_service.adapters.providers.wire import Dialect, joined, own_thinking, wire_id
from luvus_service.luxe.domain.ports import (
    CallGiven,
    ImageGiven,
    MessageGiven,
    ModelRequest,
    ResultGiven,
    TextGiven,
    ThinkingGiven,
)
from luvus_service.luxe.domain.thinking import nearest_level
from luvus_service.luxe.domain.values import ThinkingLevel


def effort_of(level: ThinkingLevel) -> str:
    """Return the word of OpenAI and its relatives for a level."""
    return {"off": "none", "ultra": "max"}.get(level, level)


def wanted_effort(request: ModelRequest) -> str | None:
    """Return the effort to ask for, or None to leave it to the provider.

    A model that cannot stop thinking is asked for the least it offers.
    """
    model = request.model
    if not model.supports_thinking:
        return None
    return effort_of(nearest_level(request.thinking, model.thinking_levels))


def request_body(request: ModelRequest, dialect: Dialect) -> dict[str, Any]:
    """Return the body of a call."""
    body: dict[str, Any] = {
        "model": request.model.model,
        "stream": True,
        "messages": _messages(request),
    }
    if dialect.usage_in_stream:
        body["stream_options"] = {"include_usage": True}
    if request.max_output_tokens is not None:
        body[dialect.output_limit_field] = request.max_output_tokens
    if request.tools:
        body["tools"] = [
            {
                "type": "function",
                "function": {
                    "name": t.name,
                    "description": t.description,
                    "parameters": dict(t.parameters),
                },
            }
            for t in request.tools
        ]
    if request.force_tool is not None:
        body["tool_choice"] = {"type": "function", "function": {"name": request.force_tool}}
    effort = wanted_effort(request)
    if effort is not None and dialect.thinking == "effort":
        body["reasoning_effort"] = effort
    elif dialect.thinking == "openrouter":
        body["usage"] = {"include": True}
        if effort is not None:
            body["reasoning"] = {"effort": "xhigh" if effort == "max" else effort}
    body.update(dialect.extra_body)
    return body


def _messages(request: ModelRequest) -> list[dict[str, Any]]:
    result: list[dict[str, Any]] = []
    system = "\n\n".join(text for text in request.system if text.strip())
    if system:
        result.append({"role": "system", "content": system})
    messages = joined(request.messages)
    asked = [i for i, m in enumerate(messages) if m.role == "user" and not _only_results(m)]
    for index, message in enumerate(messages):
        if message.role == "user":
            result += _user(message)
        else:
            # Reasoning of finished turns is not wanted back, that of the running one is.
            running = not asked or index > asked[-1]
            said = _assistant(message, request, running=running)
            if said is not None:
                result.append(said)
    return result


def _only_results(message: MessageGiven) -> bool:
    return all(isinstance(part, ResultGiven) for part in message.parts)


def _user(message: MessageGiven) -> list[dict[str, Any]]:
    result: list[dict[str, Any]] = []
    pictures: list[ImageGiven] = []
    content: list[dict[str, Any]] = []
    for part in message.parts:
        if isinstance(part, ResultGiven):
            text = f"Error: {part.text}" if part.is_error else part.text
            result.append({"role": "tool", "tool_call_id": wire_id(part.call_id), "content": text})
            pictures += part.images
        elif isinstance(part, TextGiven) and part.text:
            content.append({"type": "text", "text": part.text})
        elif isinstance(part, ImageGiven):
            content.append(_image(part))
    # The role `tool` holds text only: pictures of results follow as if the user had sent them.
    content = [*map(_image, pictures), *content]
    if content:
        result.append({"role": "user", "content": _plain(content)})
    return result


def _assistant(
    message: MessageGiven, request: ModelRequest, *, running: bool
) -> dict[str, Any] | None:
    text = "".join(part.text for part in message.parts if isinstance(part, TextGiven))
    calls = [
        {
            "id": wire_id(part.call_id),
            "type": "function",
            "function": {"name": part.name, "arguments": encoded(dict(part.input)).decode()},
        }
        for part in message.parts
        if isinstance(part, CallGiven)
    ]
    if not text and not calls:
        return None
    said: dict[str, Any] = {"role": "assistant", "content": text or None}
    if calls:
        said["tool_calls"] = calls
    if running:
        said.update(_reasoning(message, request))
    return said


def _reasoning(message: MessageGiven, request: ModelRequest) -> dict[str, Any]:
    own = [p for p in message.parts if isinstance(p, ThinkingGiven) and own_thinking(p, request)]
    for part in own:
        try:
            kept = decoded((part.opaque or "").encode())
        except ValueError:
            continue
        if kept.get("details") is not None:
            return {"reasoning_details": kept.get("details")}
        if field := kept.text("field"):
            return {field: "".join(p.text for p in own)}
    return {}


def _image(image: ImageGiven) -> dict[str, Any]:
    data = base64.b64encode(image.data).decode("ascii")
    return {"type": "image_url", "image_url": {"url": f"data:{image.mime};base64,{data}"}}


def _plain(content: Sequence[dict[str, Any]]) -> Any:
    """Return text alone as a string, which is all that some servers understand."""
    if all(part["type"] == "text" for part in content):
        return "\n\n".join(part["text"] for part in content)
    return content
