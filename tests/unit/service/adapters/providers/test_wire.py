"""What the wire formats share: every reply, in every format, cut anywhere."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from luvus_service.adapters.providers.anthropic import AnthropicMessages
from luvus_service.adapters.providers.json_view import encoded
from luvus_service.adapters.providers.openai_chat import ChatCompletions
from luvus_service.adapters.providers.openai_responses import OpenAIResponses
from luvus_service.adapters.providers.sse import Event, EventStream, GarbledStream
from luvus_service.adapters.providers.wire import (
    Dialect,
    StreamFault,
    WireFormat,
    joined,
    wire_id,
    without_thinking,
)
from luvus_service.luxe.domain.ports import AnswerEnded, MessageGiven, TextGiven
from luvus_service.luxe.domain.values import CallUsage
from tests.support.provider_requests import (
    asked,
    assistant,
    blocks,
    conversation,
    read_all,
    streamed,
    usage,
    user,
)
from tests.support.provider_script import Call, Counts, Cut, Fail, Reply, Say, Think

FORMATS: list[WireFormat] = [AnthropicMessages(), ChatCompletions(), OpenAIResponses()]
every_format = pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.name)

REPLY = Reply(
    (
        Think("Let me see, 😀"),
        Say("Grüße, 世界"),
        Call("read", {"path": "ä.py", "n": [1, 2.5, None]}, "c1"),
        Call("bash", '{"command": "echo \\ud83d\\ude00"}', "c2"),
    ),
    counts=Counts(fresh=100, cached=30, output=50, reasoning=10),
    piece=3,
)


@every_format
def test_every_kind_of_block_is_read_in_every_format(form: WireFormat) -> None:
    deltas = read_all(form.reader(), [streamed(form.name, REPLY)])

    opaque = {
        "anthropic": "signed",
        "openai-chat": '{"field":"reasoning_content"}',
        "openai-responses": '{"encrypted_content":"signed"}',
    }[form.name]
    assert blocks(deltas) == [
        ("thinking", "Let me see, 😀", None, opaque),
        ("text", "Grüße, 世界", None, None),
        ("tool_call", '{"path": "\\u00e4.py", "n": [1, 2.5, null]}', "read", None),
        ("tool_call", '{"command": "echo \\ud83d\\ude00"}', "bash", None),
    ]
    assert deltas[-1] == AnswerEnded("tool_calls")


@every_format
@settings(max_examples=25)
@given(data=st.data())
def test_a_stream_cut_anywhere_says_the_same(form: WireFormat, data: st.DataObject) -> None:
    stream = streamed(form.name, REPLY)
    cuts = data.draw(st.lists(st.integers(0, len(stream)), max_size=30))
    places = [0, *sorted(cuts), len(stream)]

    pieces = [stream[a:b] for a, b in pairwise(places)]

    assert read_all(form.reader(), pieces) == read_all(form.reader(), [stream])


@every_format
def test_one_byte_at_a_time_says_the_same(form: WireFormat) -> None:
    stream = streamed(form.name, REPLY)

    pieces = [stream[i : i + 1] for i in range(len(stream))]

    assert read_all(form.reader(), pieces) == read_all(form.reader(), [stream])


@every_format
def test_cached_tokens_are_a_part_of_the_prompt_and_counted_once(form: WireFormat) -> None:
    deltas = read_all(form.reader(), [streamed(form.name, REPLY)])

    assert usage(deltas) == CallUsage(
        prompt_tokens=130,
        completion_tokens=50,
        cached_prompt_tokens=30,
        reasoning_tokens=0 if form.name == "anthropic" else 10,
        total_tokens=180,
    )


@every_format
@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (Reply((Say("x"),)), "end_turn"),
        (Reply((Say("x"),), stop="max_tokens"), "max_tokens"),
        (Reply((Call("ls"),)), "tool_calls"),
        (Reply(()), "end_turn"),
    ],
)
def test_the_reason_of_the_end_is_told(form: WireFormat, reply: Reply, reason: str) -> None:
    deltas = read_all(form.reader(), [streamed(form.name, reply)])

    assert isinstance(deltas[-1], AnswerEnded)
    assert deltas[-1].reason == reason


@every_format
def test_an_answer_is_complete_only_with_its_last_event(form: WireFormat) -> None:
    cut = form.reader()
    for event in EventStream().feed(streamed(form.name, Reply((*REPLY.steps, Cut())))):
        cut.read(event)
    reader = form.reader()
    read_all(reader, [streamed(form.name, REPLY)])

    assert (cut.complete, cut.closed) == (False, False)
    assert (reader.complete, reader.closed) == (True, True)


@every_format
def test_an_error_within_the_stream_is_raised_with_its_words(form: WireFormat) -> None:
    stream = streamed(form.name, Reply((Say("x"), Fail("overloaded_error", "Overloaded"))))

    with pytest.raises(StreamFault) as fault:
        read_all(form.reader(), [stream])

    assert "Overloaded" in str(fault.value.body)


@every_format
@pytest.mark.parametrize("data", [b"{", b"\xff\xfe", b"[" * 100_000, b"<html>"])
def test_what_is_no_json_is_garbage(form: WireFormat, data: bytes) -> None:
    with pytest.raises(GarbledStream):
        form.reader().read(Event("message_start", data))


@every_format
@given(
    value=st.recursive(
        st.none() | st.booleans() | st.integers(-5, 2**70) | st.text(max_size=8),
        lambda inner: (
            st.lists(inner, max_size=4)
            | st.dictionaries(
                st.sampled_from(
                    [
                        "type",
                        "index",
                        "delta",
                        "choices",
                        "item",
                        "response",
                        "usage",
                        "error",
                        "content_block",
                        "output_index",
                        "tool_calls",
                        "function",
                        "message",
                        "id",
                    ]
                )
                | st.text(max_size=4),
                inner | st.sampled_from(["content_block_start", "content_block_delta", "tool_use"]),
                max_size=6,
            )
        ),
        max_leaves=20,
    )
)
def test_json_of_any_shape_is_read_or_refused(form: WireFormat, value: object) -> None:
    reader = form.reader()
    try:
        reader.read(Event("", json.dumps(value).encode()))
        if reader.complete:
            reader.finish()
    except (GarbledStream, StreamFault):
        pass


def test_ids_that_providers_refuse_are_replaced_by_equal_ones() -> None:
    assert wire_id("toolu_01A-b") == "toolu_01A-b"
    assert wire_id("call:1") == wire_id("call:1") != wire_id("call:2")
    assert wire_id("x" * 65).startswith("call_")


def test_neighbours_of_one_role_are_joined() -> None:
    messages = [user("a"), user("b"), assistant("c")]

    assert joined(messages) == [
        MessageGiven("user", (TextGiven("a"), TextGiven("b"))),
        MessageGiven("assistant", (TextGiven("c"),)),
    ]


@every_format
def test_equal_beginnings_of_requests_are_equal_byte_for_byte(form: WireFormat) -> None:
    dialect = Dialect(caching=False)
    short = asked(*conversation("sig"))
    longer = asked(*conversation("sig"), assistant("Here."), user("Go on."))
    if form.name == "openai-chat":
        # Reasoning of a finished turn is left out once the next one begins.
        short, longer = without_thinking(short), without_thinking(longer)

    name = "input" if form.name == "openai-responses" else "messages"
    first = form.body(short, dialect)[name]
    second = form.body(longer, dialect)[name]

    assert encoded(second)[: len(encoded(first)) - 1] == encoded(first)[:-1]
