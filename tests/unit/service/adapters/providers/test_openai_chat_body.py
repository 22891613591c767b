"""Requests of OpenAI Chat Completions."""

from __future__ import annotations

import base64
from dataclasses import replace
from typing import Any

import pytest

from luvus_service.adapters.providers.openai_chat_body import request_body
from luvus_service.adapters.providers.wire import Dialect
from luvus_service.luxe.domain.values import ThinkingLevel
from tests.support.provider_requests import (
    MODEL,
    PICTURE,
    TOOL,
    asked,
    assistant,
    conversation,
    user,
)


def body(*args: Any, dialect: Dialect | None = None, **rest: Any) -> dict[str, Any]:
    return request_body(asked(*args, **rest), dialect or Dialect())


def test_a_conversation_is_written_whole() -> None:
    data = base64.b64encode(PICTURE.data).decode()
    image = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{data}"}}

    written = body(
        *conversation('{"field":"reasoning_content"}'),
        tools=(TOOL,),
        thinking="low",
        max_output_tokens=500,
        force_tool="ls",
    )

    bad = written["messages"][2]["tool_calls"][1]["id"]
    assert written == {
        "model": "claude-opus-4-8",
        "stream": True,
        "stream_options": {"include_usage": True},
        "max_tokens": 500,
        "reasoning_effort": "low",
        "tool_choice": {"type": "function", "function": {"name": "ls"}},
        "tools": [
            {
                "type": "function",
                "function": {
                    "name": "ls",
                    "description": "Lists a folder.",
                    "parameters": {"type": "object", "properties": {}},
                },
            }
        ],
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": [{"type": "text", "text": "What is here?"}, image]},
            {
                "role": "assistant",
                "content": "Let me look.",
                "tool_calls": [
                    {
                        "id": "c1",
                        "type": "function",
                        "function": {"name": "ls", "arguments": '{"path":"."}'},
                    },
                    {
                        "id": bad,
                        "type": "function",
                        "function": {"name": "ls", "arguments": '{"path":"ä"}'},
                    },
                ],
                "reasoning_content": "I must look.",
            },
            {"role": "tool", "tool_call_id": "c1", "content": "a.py"},
            {"role": "tool", "tool_call_id": bad, "content": "Error: no such folder"},
            {"role": "user", "content": [image]},
        ],
    }


def test_text_alone_is_a_plain_string() -> None:
    assert body(user("a"), user("b"))["messages"][1] == {"role": "user", "content": "a\n\nb"}


def test_reasoning_goes_back_only_within_the_running_turn() -> None:
    done = (*conversation('{"details":[{"type":"x"}]}'), assistant("Two."), user("Thanks."))

    assert "details" in str(body(*conversation('{"details":[{"type":"x"}]}'))["messages"])
    assert "details" not in str(body(*done)["messages"])


def test_reasoning_that_cannot_be_read_is_left_out() -> None:
    for opaque in ("no json", "[]", "{}", '{"field":7}'):
        assert "I must look." not in str(body(*conversation(opaque)))


@pytest.mark.parametrize(
    ("dialect", "level", "expected"),
    [
        (Dialect(), "off", {"reasoning_effort": "none"}),
        (Dialect(), "ultra", {"reasoning_effort": "max"}),
        (Dialect(), "minimal", {"reasoning_effort": "none"}),
        (Dialect(thinking="none"), "high", {}),
        (
            Dialect(thinking="openrouter"),
            "ultra",
            {"reasoning": {"effort": "xhigh"}, "usage": {"include": True}},
        ),
    ],
)
def test_how_much_to_think_is_told_in_the_dialect(
    dialect: Dialect, level: ThinkingLevel, expected: dict[str, Any]
) -> None:
    written = body(dialect=dialect, thinking=level)

    names = ("reasoning_effort", "reasoning", "usage")
    assert {k: v for k, v in written.items() if k in names} == expected


def test_a_model_that_always_thinks_is_asked_for_the_least() -> None:
    always = replace(MODEL, thinking_levels=("low", "high"))
    never = replace(MODEL, supports_thinking=False, thinking_levels=("off",))

    assert body(model=always)["reasoning_effort"] == "low"
    assert "reasoning_effort" not in body(model=never, thinking="high")


def test_numbers_of_any_size_and_broken_text_are_written() -> None:
    from luvus_service.luxe.domain.ports import CallGiven

    call = CallGiven("c", "ls", {"n": 2**80, "s": "\ud800"})

    written = body(user("x"), assistant(call))["messages"][2]["tool_calls"][0]["function"]

    assert written["arguments"] == '{"n":1208925819614629174706176,"s":"\ufffd"}'
