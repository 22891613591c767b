"""Answers of Chat Completions as various servers write them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from luvus_service.adapters.providers.openai_chat import CALLS, ChatReader
from luvus_service.adapters.providers.sse import Event, GarbledStream
from luvus_service.adapters.providers.wire import StreamFault
from luvus_service.luxe.domain.ports import AnswerEnded, BlockStarted, Delta
from tests.support.provider_requests import blocks, usage


def chunk(reason: str | None = None, **delta: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}


def call(arguments: Any = "", **rest: Any) -> dict[str, Any]:
    function = {"arguments": arguments, **({"name": rest.pop("name")} if "name" in rest else {})}
    return chunk(tool_calls=[{**rest, "function": function}])


def read(*chunks: dict[str, Any], reason: str = "stop") -> list[Delta]:
    reader = ChatReader()
    deltas: list[Delta] = []
    for value in (*chunks, chunk(reason)):
        deltas += reader.read(Event("", json.dumps(value).encode()))
    return [*deltas, *reader.finish()]


def test_a_block_begins_whenever_the_kind_changes() -> None:
    deltas = read(
        chunk(reasoning="a"),
        chunk(reasoning="b"),
        chunk(content="c"),
        chunk(reasoning="d"),
        chunk(content="e"),
    )

    assert blocks(deltas) == [
        ("thinking", "ab", None, None),
        ("text", "c", None, None),
        ("thinking", "d", None, '{"field":"reasoning"}'),
        ("text", "e", None, None),
    ]


def test_reasoning_that_comes_in_two_fields_is_taken_once() -> None:
    deltas = read(chunk(reasoning="a", reasoning_content="a"))

    assert blocks(deltas) == [("thinking", "a", None, '{"field":"reasoning_content"}')]


def test_details_of_reasoning_are_kept_to_be_handed_back() -> None:
    deltas = read(
        chunk(reasoning="a", reasoning_details=[{"type": "reasoning.text", "text": "a"}]),
        chunk(content="b"),
        chunk(reasoning_details=[{"type": "reasoning.encrypted", "data": "x"}]),
    )

    kept = (
        '{"details":[{"type":"reasoning.text","text":"a"},'
        '{"type":"reasoning.encrypted","data":"x"}]}'
    )
    assert blocks(deltas) == [("thinking", "a", None, kept), ("text", "b", None, None)]


def test_calls_whose_pieces_interleave_are_kept_apart() -> None:
    deltas = read(
        call(index=0, id="a", name="ls"),
        call(index=1, id="b", name="cat"),
        call('{"x":', index=0),
        call('{"y":', index=1),
        call("1}", index=0),
        call("2}", index=1),
        reason="tool_calls",
    )

    assert blocks(deltas) == [
        ("tool_call", '{"x":1}', "ls", None),
        ("tool_call", '{"y":2}', "cat", None),
    ]
    assert deltas[-1] == AnswerEnded("tool_calls")


@pytest.mark.parametrize("places", [({"index": 0}, {"index": 0}), ({}, {})])
def test_parallel_calls_without_numbers_are_told_apart_by_their_ids(
    places: tuple[dict[str, int], dict[str, int]],
) -> None:
    deltas = read(
        call('{"x":1}', id="a", name="ls", **places[0]),
        call('{"y":2}', id="b", name="cat", **places[1]),
    )

    assert [b[1:3] for b in blocks(deltas)] == [('{"x":1}', "ls"), ('{"y":2}', "cat")]


def test_arguments_may_come_before_the_name_and_as_an_object() -> None:
    deltas = read(
        call('{"x":', index=0, id="a"),
        call("1}", index=0, name="ls"),
        call({"y": 2}, index=1, name="cat"),
    )

    assert [b[1:3] for b in blocks(deltas)] == [('{"x":1}', "ls"), ('{"y":2}', "cat")]
    assert BlockStarted(1, "tool_call", None, "cat") in deltas


def test_a_call_that_never_gets_a_name_is_garbage() -> None:
    with pytest.raises(GarbledStream, match="without a name"):
        read(call("{}", index=0, id="a"))


def test_more_calls_than_the_limit_are_garbage() -> None:
    with pytest.raises(GarbledStream, match=str(CALLS)):
        read(*(call(index=n, id=f"c{n}", name="ls") for n in range(CALLS + 1)))


def test_usage_is_taken_from_its_own_chunk_and_from_the_last_one() -> None:
    counts = {"prompt_tokens": 5, "completion_tokens": 2}

    own = read(chunk(content="a"), {"choices": [], "usage": counts})
    within = read({**chunk(content="a"), "usage": counts})

    assert usage(own) == usage(within) is not None


def test_a_refusal_is_text_and_a_reason() -> None:
    deltas = read(chunk(refusal="I will not."))

    assert blocks(deltas) == [("text", "I will not.", None, None)]
    assert deltas[-1] == AnswerEnded("refusal")


@pytest.mark.parametrize(
    ("said", "reason"),
    [("length", "max_tokens"), ("content_filter", "content_filter"), ("eos", "end_turn")],
)
def test_reasons_of_the_end_are_translated(said: str, reason: str) -> None:
    [*_, last] = read(chunk(content="a"), reason=said)

    assert isinstance(last, AnswerEnded)
    assert last.reason == reason


@pytest.mark.parametrize("said", ["abort", "error"])
def test_an_answer_that_the_server_broke_off_is_no_answer(said: str) -> None:
    with pytest.raises(GarbledStream, match="broke the answer off"):
        read(chunk(content="a"), reason=said)


def test_a_close_without_a_reason_is_no_answer() -> None:
    with pytest.raises(GarbledStream, match="without a reason"):
        ChatReader().read(Event("", b"[DONE]"))


@pytest.mark.parametrize(
    "value",
    [{"error": {"message": "no", "code": 502}}, {"object": "error", "message": "no"}],
)
def test_errors_are_found_in_the_stream(value: dict[str, Any]) -> None:
    with pytest.raises(StreamFault):
        read(value)


def test_other_choices_than_the_first_are_passed_over() -> None:
    other = {"choices": [{"index": 1, "delta": {"content": "x"}, "finish_reason": "stop"}]}

    assert blocks(read(other, chunk(content="a"))) == [("text", "a", None, None)]
