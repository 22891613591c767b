"""Answers of Anthropic Messages that the scripted stream does not have."""

from __future__ import annotations

import json
from typing import Any

import pytest

from luvus_service.adapters.providers.anthropic import AnthropicMessages, AnthropicReader
from luvus_service.adapters.providers.sse import Event, GarbledStream
from luvus_service.luxe.domain.ports import AnswerEnded, BlockEnded, Delta
from luvus_service.luxe.domain.values import CallUsage
from tests.support.provider_requests import blocks, usage


def read(*events: dict[str, Any]) -> list[Delta]:
    reader = AnthropicReader()
    deltas: list[Delta] = []
    for event in (*events, {"type": "message_stop"}):
        deltas += reader.read(Event(event["type"], json.dumps(event).encode()))
    return [*deltas, *reader.finish()]


def test_hidden_reasoning_is_a_block_that_is_handed_back() -> None:
    hidden = {"type": "redacted_thinking", "data": "xyz"}

    deltas = read(
        {"type": "content_block_start", "index": 0, "content_block": hidden},
        {"type": "content_block_stop", "index": 0},
    )

    assert blocks(deltas) == [("thinking", "", None, "xyz")]
    assert BlockEnded(0, "xyz", redacted=True) in deltas


def test_blocks_and_events_nobody_knows_are_passed_over() -> None:
    deltas = read(
        {"type": "content_block_start", "index": 0, "content_block": {"type": "server_tool_use"}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta"}},
        {"type": "content_block_stop", "index": 0},
        {"type": "from_the_future"},
        {"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": "a"}},
        {"type": "content_block_delta", "index": 1, "delta": {"type": "citations_delta"}},
        {"type": "content_block_stop", "index": 1},
    )

    assert blocks(deltas) == [("text", "a", None, None)]


def test_arguments_given_with_the_beginning_of_a_call_are_kept() -> None:
    call = {"type": "tool_use", "id": "t1", "name": "ls", "input": {"path": "."}}

    deltas = read(
        {"type": "content_block_start", "index": 0, "content_block": call},
        {"type": "content_block_stop", "index": 0},
    )

    assert blocks(deltas) == [("tool_call", '{"path":"."}', "ls", None)]


def test_the_whole_prompt_is_the_sum_of_its_three_counts() -> None:
    deltas = read(
        {
            "type": "message_start",
            "message": {
                "usage": {
                    "input_tokens": 10,
                    "cache_read_input_tokens": 200,
                    "cache_creation_input_tokens": 30,
                    "output_tokens": 1,
                }
            },
        },
        {
            "type": "message_delta",
            "delta": {"stop_reason": "end_turn"},
            "usage": {"output_tokens": 50, "output_tokens_details": {"thinking_tokens": 20}},
        },
    )

    assert usage(deltas) == CallUsage(
        prompt_tokens=240,
        completion_tokens=50,
        cached_prompt_tokens=200,
        cache_write_tokens=30,
        reasoning_tokens=20,
        total_tokens=290,
    )


def test_counts_that_a_later_event_corrects_replace_the_earlier() -> None:
    deltas = read(
        {"type": "message_start", "message": {"usage": {"input_tokens": 0, "output_tokens": 0}}},
        {"type": "message_delta", "delta": {}, "usage": {"input_tokens": 70, "output_tokens": 5}},
    )

    assert usage(deltas) == CallUsage(prompt_tokens=70, completion_tokens=5, total_tokens=75)


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("refusal", "refusal"),
        ("model_context_window_exceeded", "max_tokens"),
        ("stop_sequence", "end_turn"),
        ("pause_turn", "end_turn"),
    ],
)
def test_reasons_of_the_end_are_translated(said: str, reason: str) -> None:
    deltas = read({"type": "message_delta", "delta": {"stop_reason": said}})

    assert isinstance(deltas[-1], AnswerEnded)
    assert deltas[-1].reason == reason


def test_more_of_a_block_that_never_began_is_garbage() -> None:
    with pytest.raises(GarbledStream):
        read(
            {
                "type": "content_block_delta",
                "index": 3,
                "delta": {"type": "text_delta", "text": "x"},
            }
        )
    with pytest.raises(GarbledStream):
        read({"type": "content_block_delta", "delta": {"type": "text_delta", "text": "x"}})


def test_a_key_goes_into_the_header_that_its_kind_asks_for() -> None:
    form = AnthropicMessages()

    assert form.headers("k", bearer=False)["x-api-key"] == "k"
    assert form.headers("k", bearer=True) == {
        "anthropic-version": "2023-06-01",
        "authorization": "Bearer k",
    }
    assert form.headers(None, bearer=False) == {"anthropic-version": "2023-06-01"}
