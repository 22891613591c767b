"""Answers that are no good: the turn still ends once, and the transcript stays valid."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import pytest

from luvus_service.luxe.domain.ports import (
    AnswerEnded,
    BlockDelta,
    BlockEnded,
    BlockStarted,
    CallGiven,
    MessageGiven,
    ProviderFailure,
    ResultGiven,
    TextGiven,
    TokensCounted,
)
from luvus_service.luxe.domain.values import CallUsage
from tests.support.luxe_client import LuxeClient, luxe
from tests.support.luxe_tools import FakeTool
from tests.support.scripted_provider import USAGE, ScriptedProvider, Step, says


def called(*arguments: str, call_ids: Sequence[str] = ("c1", "c2", "c3")) -> list[Step]:
    """Return the blocks of calls whose arguments are these texts, without an end."""
    steps: list[Step] = []
    for index, text in enumerate(arguments):
        steps += [
            BlockStarted(index, "tool_call", call_ids[index], "look"),
            BlockDelta(index, text),
            BlockEnded(index),
        ]
    return steps


def unpaired(messages: Sequence[MessageGiven]) -> list[str]:
    """Return the calls without exactly one result in the message after them."""
    wrong: list[str] = []
    for index, message in enumerate(messages):
        made = [part.call_id for part in message.parts if isinstance(part, CallGiven)]
        after = messages[index + 1].parts if index + 1 < len(messages) else ()
        answered = [part.call_id for part in after if isinstance(part, ResultGiven)]
        if made and made != answered:
            wrong += made
    return wrong


async def again(client: LuxeClient, provider: ScriptedProvider) -> None:
    """Run one more turn and check that a strict provider would have taken it."""
    await client.turn("submit_user_message", {"text": "again"})
    assert unpaired(provider.requests[-1].messages) == []


@pytest.mark.parametrize("reason", ["refusal", "content_filter"])
async def test_calls_of_an_answer_that_was_refused_are_not_made_and_not_kept(
    tmp_path: Path, reason: Literal["refusal", "content_filter"]
) -> None:
    provider = ScriptedProvider([[*called("{}"), AnswerEnded(reason)]])

    async with luxe(tmp_path, provider, [FakeTool("look")]) as client:
        frames = await client.turn("submit_user_message", {"text": "go"})
        await again(client, provider)

    assert not [f for f in frames if f["kind"] == "tool_started"]
    assert frames[-1]["content"]["reason"] == ("refusal" if reason == "refusal" else "error")


@pytest.mark.parametrize(
    "arguments",
    [['{"path": "a", "content": "all work and no'], ['{"tag": "one"}', '{"tag": "tw']],
    ids=["the only call", "the last call"],
)
async def test_a_call_that_the_output_limit_cut_is_dropped_though_its_block_was_closed(
    tmp_path: Path, arguments: list[str]
) -> None:
    """Providers close every block, also one whose arguments stop in the middle."""
    provider = ScriptedProvider([[*called(*arguments), AnswerEnded("max_tokens")], says("Small.")])

    async with luxe(tmp_path, provider, [FakeTool("look")]) as client:
        frames = await client.turn("submit_user_message", {"text": "go"})

    assert len([f for f in frames if f["kind"] == "tool_ended"]) == len(arguments) - 1
    assert unpaired(provider.requests[1].messages) == []
    told = provider.requests[1].messages[-1]
    assert any("smaller pieces" in part.text for part in told.parts if isinstance(part, TextGiven))
    assert frames[-1]["content"]["reason"] == "end_turn"


@pytest.mark.parametrize(
    "arguments",
    [
        '{"tag": NaN}',
        '{"tag": -Infinity}',
        '{"tag": "x", "deep": ' + "[" * 90 + "]" * 90 + "}",
        '{"tag": "x", "deep": ' + "[" * 600 + "]" * 600 + "}",
        '{"tag": "x", "deep": ' + "[" * 100_000 + "]" * 100_000 + "}",
        '{"tag": ' + "9" * 5_000 + "}",
        "[1, 2]",
        '{"tag": "x"',
    ],
    ids=["nan", "infinity", "deep", "deeper", "deepest", "digits", "list", "open"],
)
async def test_arguments_that_are_no_plain_json_fail_the_call_and_not_the_session(
    tmp_path: Path, arguments: str
) -> None:
    provider = ScriptedProvider([[*called(arguments), AnswerEnded("tool_calls")], says("Well.")])

    async with luxe(tmp_path, provider, [FakeTool("look")]) as client:
        frames = await client.turn("submit_user_message", {"text": "go"})
        await again(client, provider)

    ends = [f["content"]["status"] for f in frames if f["kind"] == "tool_ended"]
    assert ends == ["failed"]
    assert frames[-1]["content"]["reason"] == "end_turn"


async def test_odd_but_legal_arguments_reach_the_tool(tmp_path: Path) -> None:
    text = '{"tag": "half \\ud800 pair", "big": 123456789012345678901234567890, "far": 1e999}'
    provider = ScriptedProvider([[*called(text), AnswerEnded("tool_calls")], says("Well.")])

    async with luxe(tmp_path, provider, [FakeTool("look")]) as client:
        frames = await client.turn("submit_user_message", {"text": "go"})
        await again(client, provider)

    ends = [f["content"]["status"] for f in frames if f["kind"] == "tool_ended"]
    assert ends == ["completed"]


async def test_calls_that_share_an_id_are_told_apart(tmp_path: Path) -> None:
    answer = called('{"tag": "one"}', '{"tag": "two"}', call_ids=("same", "same"))
    provider = ScriptedProvider([[*answer, AnswerEnded("tool_calls")], says("Well.")])

    async with luxe(tmp_path, provider, [FakeTool("look")]) as client:
        frames = await client.turn("submit_user_message", {"text": "go"})

    ids = [f["content"]["call_id"] for f in frames if f["kind"] == "tool_started"]
    assert len(set(ids)) == 2
    assert unpaired(provider.requests[1].messages) == []
    results = provider.requests[1].messages[-1].parts
    assert [p.text for p in results if isinstance(p, ResultGiven)] == ["one done", "two done"]


async def test_an_id_of_an_earlier_answer_is_used_again_without_harm(tmp_path: Path) -> None:
    """Servers that number the calls of each answer from zero do that."""
    first = [*called('{"tag": "one"}', call_ids=("call_0",)), AnswerEnded("tool_calls")]
    second = [*called('{"tag": "two"}', call_ids=("call_0",)), AnswerEnded("tool_calls")]
    provider = ScriptedProvider([first, second, says("Well.")])

    async with luxe(tmp_path, provider, [FakeTool("look")]) as client:
        frames = await client.turn("submit_user_message", {"text": "go"})

    ids = [f["content"]["call_id"] for f in frames if f["kind"] == "tool_started"]
    assert len(set(ids)) == 2
    given: list[Any] = [p for m in provider.requests[2].messages for p in m.parts]
    assert [p.text for p in given if isinstance(p, ResultGiven)] == ["one done", "two done"]
    assert unpaired(provider.requests[2].messages) == []


async def test_tokens_of_a_try_that_failed_are_counted(tmp_path: Path) -> None:
    failed = ProviderFailure(
        "overloaded", "too busy", provider="script", retryable=True, retry_after_s=0.0
    )
    lost = CallUsage(prompt_tokens=70)
    provider = ScriptedProvider([[TokensCounted(lost), failed], says("Well.", usage=USAGE)])

    async with luxe(tmp_path, provider) as client:
        frames = await client.turn("submit_user_message", {"text": "go"})

    used = [f["content"] for f in frames if f["kind"] == "turn_usage"]
    assert [(u["prompt_tokens"], u["call_index"]) for u in used] == [(70, 0), (100, 1)]
    [session] = [f["content"] for f in frames if f["kind"] == "session_usage"]
    assert (session["prompt_tokens"], session["calls"]) == (170, 2)
    assert frames[-1]["content"]["usage"]["prompt_tokens"] == 170
