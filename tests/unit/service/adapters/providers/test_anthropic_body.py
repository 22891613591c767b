"""Requests of Anthropic Messages."""

from __future__ import annotations

import base64
from dataclasses import replace
from typing import Any

import pytest

from luvus_service.adapters.providers.anthropic_body import request_body
from luvus_service.adapters.providers.wire import Dialect
from luvus_service.luxe.domain.ports import ThinkingGiven
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

MARK = {"cache_control": {"type": "ephemeral"}}
OLD = replace(MODEL, model="claude-sonnet-4-5", max_output_tokens=64_000)


def body(*args: Any, **rest: Any) -> dict[str, Any]:
    return request_body(asked(*args, **rest), Dialect())


def test_a_conversation_is_written_whole() -> None:
    image = {
        "type": "image",
        "source": {
            "type": "base64",
            "media_type": "image/png",
            "data": base64.b64encode(PICTURE.data).decode(),
        },
    }

    written = body(*conversation("sig"), tools=(TOOL,), thinking="high")

    bad = written["messages"][1]["content"][3]["id"]
    assert written == {
        "model": "claude-opus-4-8",
        "max_tokens": 64_000,
        "stream": True,
        "thinking": {"type": "adaptive", "display": "summarized"},
        "output_config": {"effort": "high"},
        "system": [{"type": "text", "text": "Be brief.", **MARK}],
        "tools": [
            {
                "name": "ls",
                "description": "Lists a folder.",
                "input_schema": {"type": "object", "properties": {}},
                **MARK,
            }
        ],
        "messages": [
            {
                "role": "user",
                "content": [{"type": "text", "text": "What is here?"}, {**image, **MARK}],
            },
            {
                "role": "assistant",
                "content": [
                    {"type": "thinking", "thinking": "I must look.", "signature": "sig"},
                    {"type": "text", "text": "Let me look."},
                    {"type": "tool_use", "id": "c1", "name": "ls", "input": {"path": "."}},
                    {"type": "tool_use", "id": bad, "name": "ls", "input": {"path": "ä"}},
                ],
            },
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": "c1", "content": "a.py"},
                    {
                        "type": "tool_result",
                        "tool_use_id": bad,
                        "content": [{"type": "text", "text": "no such folder"}, image],
                        "is_error": True,
                        **MARK,
                    },
                ],
            },
        ],
    }


def test_at_most_four_cache_marks_are_set_and_none_when_caching_is_off() -> None:
    long = [m for n in range(5) for m in (user(f"q{n}"), assistant(f"a{n}"))]

    marked = str(body(*long, user("q"), tools=(TOOL,))).count("ephemeral")
    plain = request_body(asked(*long, user("q"), tools=(TOOL,)), Dialect(caching=False))

    assert marked == 4
    assert "ephemeral" not in str(plain)


def test_empty_texts_and_messages_are_left_out() -> None:
    written = body(user("hi"), assistant(" \n"), user(""), user("there"))

    assert written["messages"] == [
        {
            "role": "user",
            "content": [{"type": "text", "text": "hi"}, {"type": "text", "text": "there", **MARK}],
        }
    ]


@pytest.mark.parametrize(
    ("model", "level", "expected"),
    [
        ("claude-opus-4-8", "off", {"thinking": {"type": "disabled"}}),
        (
            "claude-opus-4-8",
            "ultra",
            {
                "thinking": {"type": "adaptive", "display": "summarized"},
                "output_config": {"effort": "max"},
            },
        ),
        (
            "claude-opus-5-5",
            "off",
            {
                "thinking": {"type": "adaptive", "display": "summarized"},
                "output_config": {"effort": "low"},
            },
        ),
        ("claude-sonnet-4-5", "low", {"thinking": {"type": "enabled", "budget_tokens": 4_096}}),
        ("claude-3-5-haiku-latest", "high", {}),
    ],
)
def test_each_generation_is_told_to_think_in_its_own_way(
    model: str, level: ThinkingLevel, expected: dict[str, Any]
) -> None:
    written = body(model=replace(MODEL, model=model), thinking=level)

    found = {k: v for k, v in written.items() if k in ("thinking", "output_config")}
    assert found == expected


def test_a_budget_leaves_room_for_the_answer() -> None:
    high = body(model=OLD, thinking="ultra", max_output_tokens=8_000)
    small = body(model=OLD, thinking="ultra", max_output_tokens=2_000)

    assert high["thinking"] == {"type": "enabled", "budget_tokens": 8_000 - 1_024}
    assert small["thinking"] == {"type": "disabled"}


def test_thinking_with_a_budget_does_not_begin_in_the_middle_of_calls() -> None:
    own = body(*conversation("sig", OLD), model=OLD, thinking="low")
    foreign = body(*conversation("sig", MODEL), model=OLD, thinking="low")

    assert own["thinking"]["type"] == "enabled"
    assert foreign["thinking"] == {"type": "disabled"}
    assert "sig" not in str(foreign)


def test_a_forced_tool_excludes_thinking_where_it_can_be_forced() -> None:
    forced = body(tools=(TOOL,), thinking="high", force_tool="ls")
    asked_only = body(
        tools=(TOOL, replace(TOOL, name="other")),
        thinking="high",
        force_tool="ls",
        model=replace(MODEL, model="claude-sonnet-5-5"),
    )

    assert forced["tool_choice"] == {"type": "tool", "name": "ls"}
    assert forced["thinking"] == {"type": "disabled"}
    assert "tool_choice" not in asked_only
    assert [tool["name"] for tool in asked_only["tools"]] == ["ls"]


def test_extra_fields_of_the_configuration_are_merged() -> None:
    written = request_body(asked(), Dialect(extra_body={"service_tier": "auto"}))

    assert written["service_tier"] == "auto"


@pytest.mark.parametrize("text", ["", "Half an ans"])
def test_a_message_never_ends_with_the_reasoning_of_an_interrupted_answer(text: str) -> None:
    thought = ThinkingGiven("I must", "sig", MODEL.provider, MODEL.model)
    said = [text] if text else []

    written = body(user("a"), assistant(*said, thought), user("b"), thinking="high")

    roles = [message["role"] for message in written["messages"]]
    assert roles == (["user", "assistant", "user"] if text else ["user"])
    assert [b["type"] for m in written["messages"] for b in m["content"]].count("thinking") == 0
