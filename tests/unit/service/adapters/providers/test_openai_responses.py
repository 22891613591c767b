"""Answers of OpenAI Responses that the scripted stream does not have."""

from __future__ import annotations

import json
from typing import Any

import pytest

from luvus_service.adapters.providers.openai_responses import ResponsesReader
from luvus_service.adapters.providers.sse import Event, GarbledStream
from luvus_service.adapters.providers.wire import StreamFault
from luvus_service.luxe.domain.ports import AnswerEnded, Delta
from tests.support.provider_requests import blocks

COMPLETED = {"type": "response.completed", "response": {"status": "completed"}}


def read(*events: dict[str, Any], last: dict[str, Any] = COMPLETED) -> list[Delta]:
    reader = ResponsesReader()
    deltas: list[Delta] = []
    for event in (*events, last):
        deltas += reader.read(Event(event["type"], json.dumps(event).encode()))
    return [*deltas, *reader.finish()]


def added(index: int, **item: Any) -> dict[str, Any]:
    return {"type": "response.output_item.added", "output_index": index, "item": item}


def done(index: int, **item: Any) -> dict[str, Any]:
    return {"type": "response.output_item.done", "output_index": index, "item": item}


def test_an_item_that_comes_in_one_piece_is_read_whole() -> None:
    deltas = read(
        done(0, type="reasoning", summary=[{"text": "a"}, {"text": "b"}], encrypted_content="e"),
        done(1, type="message", content=[{"type": "output_text", "text": "c"}]),
        added(2, type="function_call", call_id="f", name="ls", arguments=""),
        done(2, type="function_call", call_id="f", name="ls", arguments="{}"),
    )

    assert blocks(deltas) == [
        ("thinking", "a\n\nb", None, '{"encrypted_content":"e"}'),
        ("text", "c", None, None),
        ("tool_call", "{}", "ls", None),
    ]
    assert deltas[-1] == AnswerEnded("tool_calls")


def test_parts_of_a_summary_are_paragraphs() -> None:
    def part(number: int, text: str) -> dict[str, Any]:
        kind = "response.reasoning_summary_text.delta"
        return {"type": kind, "output_index": 0, "summary_index": number, "delta": text}

    deltas = read(
        added(0, type="reasoning"),
        part(0, "a"),
        part(0, "b"),
        part(1, "c"),
        done(0, type="reasoning"),
    )

    assert blocks(deltas) == [("thinking", "ab\n\nc", None, None)]


def test_a_refusal_is_text_and_a_reason() -> None:
    refusal = {"type": "response.refusal.delta", "output_index": 0, "delta": "No."}

    deltas = read(added(0, type="message"), refusal, done(0, type="message"))

    assert blocks(deltas) == [("text", "No.", None, None)]
    assert deltas[-1] == AnswerEnded("refusal")


@pytest.mark.parametrize(
    ("said", "reason"),
    [("max_output_tokens", "max_tokens"), ("content_filter", "content_filter")],
)
def test_an_incomplete_answer_says_why(said: str, reason: str) -> None:
    response = {"status": "incomplete", "incomplete_details": {"reason": said}}

    [*_, last] = read(last={"type": "response.incomplete", "response": response})

    assert isinstance(last, AnswerEnded)
    assert last.reason == reason


def test_an_incomplete_answer_leaves_no_block_open() -> None:
    response = {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}

    deltas = read(
        added(0, type="function_call", call_id="f", name="ls"),
        last={"type": "response.incomplete", "response": response},
    )

    assert blocks(deltas) == [("tool_call", "", "ls", None)]


def test_items_and_events_nobody_knows_are_passed_over() -> None:
    deltas = read(
        added(0, type="web_search_call"),
        {"type": "response.web_search_call.searching", "output_index": 0},
        done(0, type="web_search_call"),
    )

    assert deltas == [AnswerEnded("end_turn")]


@pytest.mark.parametrize("kind", ["response.failed", "error"])
def test_failures_are_raised_with_their_words(kind: str) -> None:
    error = {"code": "server_error", "message": "Sorry."}
    event = {"type": kind, "response": {"error": error}, "code": "x", "message": "Sorry."}

    with pytest.raises(StreamFault) as fault:
        read(event)

    assert "Sorry." in str(fault.value.body)


def test_a_cancelled_answer_and_an_item_without_number_are_garbage() -> None:
    with pytest.raises(GarbledStream):
        read({"type": "response.cancelled"})
    with pytest.raises(GarbledStream):
        read({"type": "response.output_text.delta", "delta": "x"})
