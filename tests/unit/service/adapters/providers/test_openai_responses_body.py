"""Requests of OpenAI Responses."""

from __future__ import annotations

import base64
from dataclasses import replace
from typing import Any

from luvus_service.adapters.providers.openai_responses_body import request_body
from luvus_service.adapters.providers.wire import Dialect
from luvus_service.luxe.domain.ports import ThinkingGiven
from tests.support.provider_requests import (
    MODEL,
    PICTURE,
    TOOL,
    asked,
    assistant,
    conversation,
    user,
)


def body(*args: Any, **rest: Any) -> dict[str, Any]:
    return request_body(asked(*args, **rest), Dialect())


def test_a_conversation_is_written_whole() -> None:
    data = base64.b64encode(PICTURE.data).decode()
    image = {"type": "input_image", "image_url": f"data:image/png;base64,{data}"}

    written = body(
        *conversation('{"encrypted_content":"e"}'),
        tools=(TOOL,),
        thinking="xhigh",
        max_output_tokens=500,
        force_tool="ls",
        cache_key="k" * 100,
    )

    bad = written["input"][4]["call_id"]
    assert written == {
        "model": "claude-opus-4-8",
        "stream": True,
        "store": False,
        "instructions": "Be brief.",
        "max_output_tokens": 500,
        "prompt_cache_key": "k" * 64,
        "reasoning": {"effort": "xhigh", "summary": "auto"},
        "include": ["reasoning.encrypted_content"],
        "tool_choice": {"type": "function", "name": "ls"},
        "tools": [
            {
                "type": "function",
                "name": "ls",
                "description": "Lists a folder.",
                "parameters": {"type": "object", "properties": {}},
                "strict": False,
            }
        ],
        "input": [
            {
                "type": "message",
                "role": "user",
                "content": [{"type": "input_text", "text": "What is here?"}, image],
            },
            {"type": "reasoning", "summary": [], "encrypted_content": "e"},
            {
                "type": "message",
                "role": "assistant",
                "content": [{"type": "output_text", "text": "Let me look."}],
            },
            {
                "type": "function_call",
                "call_id": "c1",
                "name": "ls",
                "arguments": '{"path":"."}',
            },
            {"type": "function_call", "call_id": bad, "name": "ls", "arguments": '{"path":"ä"}'},
            {"type": "function_call_output", "call_id": "c1", "output": "a.py"},
            {
                "type": "function_call_output",
                "call_id": bad,
                "output": [{"type": "input_text", "text": "Error: no such folder"}, image],
            },
        ],
    }


def test_reasoning_with_nothing_after_it_is_left_out() -> None:
    thought = ThinkingGiven("a", '{"encrypted_content":"e"}', MODEL.provider, MODEL.model)

    written = body(user("x"), assistant(thought), user("y"))

    assert [item["type"] for item in written["input"]] == ["message", "message"]


def test_thinking_off_asks_for_none_and_a_plain_model_for_nothing() -> None:
    plain = replace(MODEL, supports_thinking=False, thinking_levels=("off",))

    assert body()["reasoning"] == {"effort": "none"}
    assert "reasoning" not in body(model=plain)
    assert "include" not in body(model=plain)
