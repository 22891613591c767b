from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from luvus_service.luxe.domain.ports import (
    AnswerEnded,
    BlockDelta,
    BlockEnded,
    BlockStarted,
    CallGiven,
    ProviderFailure,
    ResultGiven,
)
from tests.support.luxe_client import Frame, luxe
from tests.support.luxe_tools import FakeTool, Running
from tests.support.scripted_provider import ScriptedProvider, Step, calls, says


def kinds(frames: list[Frame]) -> list[str]:
    return [frame["kind"] for frame in frames]


def ended(frames: list[Frame]) -> Any:
    ends = [frame["content"] for frame in frames if frame["kind"] == "turn_ended"]
    assert len(ends) == 1 and frames[-1]["kind"] == "turn_ended"
    return ends[0]


async def test_a_turn_streams_commits_counts_and_ends_once(tmp_path: Path) -> None:
    provider = ScriptedProvider([says("It is a test.")])

    async with luxe(tmp_path, provider) as client:
        frames = await client.turn("submit_user_message", {"text": "what is this?"})

    beside = {"workspace_updated", "sessions_refreshed"}
    frames = [frame for frame in frames if frame["kind"] not in beside]
    assert kinds(frames) == [
        "message_committed",
        "state_changed",
        "turn_started",
        "token_delta",
        "token_delta",
        "message_committed",
        "turn_usage",
        "context_usage",
        "session_usage",
        "state_changed",
        "turn_ended",
    ]
    deltas = [f["content"] for f in frames if f["kind"] == "token_delta"]
    assert "".join(d["delta"] for d in deltas) == "It is a test."
    assert frames[1]["content"]["streaming"] is True
    assert frames[-2]["content"]["streaming"] is False
    assert frames[6]["content"]["cost_usd"] == 0.000342
    assert ended(frames)["reason"] == "end_turn"


async def test_calls_run_and_their_results_go_back_in_order(tmp_path: Path) -> None:
    running = Running()
    provider = ScriptedProvider(
        [
            calls(
                ("c1", "look", {"tag": "slow", "hold": True}),
                ("c2", "look", {"tag": "fast"}),
                ("c3", "change", {"tag": "last"}),
            ),
            says("Done."),
        ]
    )
    tools = [
        FakeTool("look", running=running),
        FakeTool("change", "edit", reads_only=False, running=running),
    ]

    async with luxe(tmp_path, provider, tools) as client:
        client.send("submit_user_message", {"text": "go"})
        await running.begun("fast").wait()
        running.gate("slow").set()
        await client.until("turn_ended")

    assert running.order == ["slow", "fast", "last"]
    results = provider.requests[1].messages[-1].parts
    assert results == (
        ResultGiven("c1", "look", "slow done"),
        ResultGiven("c2", "look", "fast done"),
        ResultGiven("c3", "change", "last done"),
    )
    assert [e["call_id"] for e in client.of("tool_started")] == ["c1", "c2", "c3"]
    assert sorted(e["call_id"] for e in client.of("tool_ended")) == ["c1", "c2", "c3"]
    assert len(client.of("tool_completed")) == 3


async def test_a_cancelled_stream_keeps_its_text_and_the_next_turn_is_valid(
    tmp_path: Path,
) -> None:
    never = asyncio.Event()
    provider = ScriptedProvider(
        [
            [
                BlockStarted(0, "text"),
                BlockDelta(0, "Half an "),
                BlockStarted(1, "tool_call", "c1", "look"),
                BlockDelta(1, '{"pa'),
                never,
            ],
            says("Whole."),
        ]
    )

    async with luxe(tmp_path, provider, [FakeTool("look")]) as client:
        client.send("submit_user_message", {"text": "go"})
        await client.until("tool_call_composing", lambda body: body["chars"] > 0)
        client.send("cancel")
        client.send("cancel")
        end = await client.until("turn_ended")
        await client.turn("submit_user_message", {"text": "again"})

    assert end["reason"] == "cancelled"
    assert provider.closed_streams == 2
    assistant = [m["message"] for m in client.of("message_committed")][1]
    assert assistant["interrupted"] is True
    assert [part["type"] for part in assistant["parts"]] == ["text"]
    assert [m.role for m in provider.requests[1].messages] == ["user", "assistant", "user"]
    assert client.of("action_rejected") == []


async def test_a_cancelled_tool_gets_a_result_and_so_do_the_calls_after_it(tmp_path: Path) -> None:
    running = Running()
    provider = ScriptedProvider(
        [
            calls(
                ("c1", "change", {"tag": "stuck", "hold": True}),
                ("c2", "change", {"tag": "later"}),
            )
        ]
    )
    tools = [FakeTool("change", "edit", reads_only=False, running=running)]

    async with luxe(tmp_path, provider, tools) as client:
        client.send("submit_user_message", {"text": "go"})
        await running.begun("stuck").wait()
        client.send("cancel")
        end = await client.until("turn_ended")
        await client.turn("submit_user_message", {"text": "again"})

    assert end["reason"] == "cancelled"
    assert running.cancelled == ["stuck"]
    assert running.order == ["stuck"]
    assert [(e["call_id"], e["status"]) for e in client.of("tool_ended")] == [
        ("c1", "cancelled"),
        ("c2", "cancelled"),
    ]
    given = [part for m in provider.requests[1].messages for part in m.parts]
    assert [p.call_id for p in given if isinstance(p, CallGiven)] == ["c1", "c2"]
    assert [p.call_id for p in given if isinstance(p, ResultGiven)] == ["c1", "c2"]


async def test_steering_skips_the_calls_not_started_and_reaches_the_model(tmp_path: Path) -> None:
    running = Running()
    provider = ScriptedProvider(
        [
            calls(
                ("c1", "change", {"tag": "first", "hold": True}),
                ("c2", "change", {"tag": "second"}),
            ),
            says("As you wish."),
        ]
    )
    tools = [FakeTool("change", "edit", reads_only=False, running=running)]

    async with luxe(tmp_path, provider, tools) as client:
        client.send("submit_user_message", {"text": "go"})
        await running.begun("first").wait()
        client.send("steer_turn", {"text": "do less"})
        running.gate("first").set()
        end = await client.until("turn_ended")

    assert end["reason"] == "end_turn" and end["undelivered_steering"] == []
    assert [(e["call_id"], e["status"]) for e in client.of("tool_ended")] == [
        ("c1", "completed"),
        ("c2", "skipped"),
    ]
    messages = [m["message"] for m in client.of("message_committed")]
    assert [m["origin"] for m in messages if m["role"] == "user"] == ["client", "steering"]
    assert client.of("turn_started")[0]["origin"] == "client"


async def test_steering_while_the_model_answers_goes_on_instead_of_ending(tmp_path: Path) -> None:
    gate = asyncio.Event()
    first = says("One.")
    provider = ScriptedProvider([[*first[:-1], gate, first[-1]], says("Two.")])

    async with luxe(tmp_path, provider) as client:
        client.send("submit_user_message", {"text": "go"})
        await client.until("token_delta")
        client.send("steer_turn", {"text": "and more"})
        gate.set()
        await client.until("turn_ended")

    assert len(client.of("turn_ended")) == 1
    assert len(provider.requests) == 2


async def test_undelivered_steering_is_reported_when_the_turn_is_cancelled(tmp_path: Path) -> None:
    provider = ScriptedProvider([[asyncio.Event()]])

    async with luxe(tmp_path, provider) as client:
        client.send("submit_user_message", {"text": "go"})
        await provider.asked.wait()
        client.send("steer_turn", {"text": "too late"})
        client.send("cancel")
        end = await client.until("turn_ended")

    assert end["undelivered_steering"] == ["too late"]


async def test_steering_with_no_turn_starts_one_and_withdrawing_always_answers(
    tmp_path: Path,
) -> None:
    async with luxe(tmp_path, ScriptedProvider([says("Hello.")])) as client:
        frames = await client.turn("steer_turn", {"text": "hello"})
        client.send("withdraw_steering")
        assert await client.until("steering_updated") == {"pending": []}

    assert ended(frames)["reason"] == "end_turn"


async def test_two_quick_messages_give_one_turn_and_one_busy(tmp_path: Path) -> None:
    async with luxe(tmp_path, ScriptedProvider()) as client:
        client.send("submit_user_message", {"text": "one"})
        client.send("submit_user_message", {"text": "two"})
        await client.until("turn_ended")

    assert client.of("action_rejected") == [
        {
            "kind": "submit_user_message",
            "reason": "submit_user_message: a turn is running",
            "code": "busy",
        }
    ]
    assert len(client.of("turn_started")) == 1


async def test_a_failed_call_is_retried_only_before_output(tmp_path: Path) -> None:
    busy = ProviderFailure(
        "overloaded", "busy", provider="script", retryable=True, status=529, retry_after_s=0
    )
    broken = ProviderFailure("stream_interrupted", "gone", provider="script", retryable=True)
    provider = ScriptedProvider(
        [[busy], says("Here."), [BlockStarted(0, "text"), BlockDelta(0, "Half"), broken]]
    )

    async with luxe(tmp_path, provider) as client:
        first = await client.turn("submit_user_message", {"text": "one"})
        second = await client.turn("submit_user_message", {"text": "two"})

    retries = client.of("provider_retrying")
    assert [(r["attempt"], r["max_attempts"], r["status"]) for r in retries] == [(2, 4, 529)]
    assert ended(first)["reason"] == "end_turn"
    assert ended(second)["reason"] == "error"
    assert ended(second)["error"]["code"] == "stream_interrupted"
    assert [k for k in kinds(second) if k != "workspace_updated"][-4:] == [
        "error",
        "session_usage",
        "state_changed",
        "turn_ended",
    ]


async def test_a_stream_that_stops_without_its_end_is_an_error(tmp_path: Path) -> None:
    provider = ScriptedProvider([[BlockStarted(0, "text"), BlockDelta(0, "Hal"), BlockEnded(0)]])

    async with luxe(tmp_path, provider) as client:
        frames = await client.turn("submit_user_message", {"text": "one"})

    assert ended(frames)["error"]["code"] == "stream_interrupted"


async def test_retry_regenerate_and_edit_resend_rewind_the_transcript(tmp_path: Path) -> None:
    provider = ScriptedProvider([says("one"), says("two"), says("three"), says("four")])

    async with luxe(tmp_path, provider) as client:
        await client.turn("submit_user_message", {"text": "first"})
        retried = await client.turn("retry")
        regenerated = await client.turn("regenerate")
        edited = await client.turn("edit_resend", {"text": "second"})

    assert kinds(retried)[0] == "transcript_rewound"
    assert retried[0]["content"]["cause"] == "retry"
    assert kinds(regenerated)[0] == "transcript_rewound"
    assert edited[0]["content"]["to_message_id"] is None
    texts = [[p.text for p in m.parts] for m in provider.requests[3].messages]  # type: ignore[union-attr]
    assert texts == [["second"]]
    assert [[m.role for m in r.messages] for r in provider.requests] == [["user"]] * 4


async def test_a_broken_tool_fails_its_call_and_the_turn_goes_on(tmp_path: Path) -> None:
    provider = ScriptedProvider(
        [
            calls(
                ("c1", "look", {"burst": True}),
                ("c2", "nosuch", {}),
                ("c3", "look", {"refuse": "no such file"}),
            ),
            says("Well."),
        ]
    )

    async with luxe(tmp_path, provider, [FakeTool("look")]) as client:
        frames = await client.turn("submit_user_message", {"text": "go"})

    assert ended(frames)["reason"] == "end_turn"
    ends = {e["call_id"]: e["status"] for e in client.of("tool_ended")}
    assert ends == {"c1": "failed", "c2": "failed", "c3": "failed"}


async def test_the_same_call_three_times_in_a_row_asks_first(tmp_path: Path) -> None:
    again = {"tag": "same"}
    provider = ScriptedProvider(
        [*(calls((f"c{i}", "look", again)) for i in range(3)), says("Enough.")]
    )

    async with luxe(tmp_path, provider, [FakeTool("look")]) as client:
        client.send("submit_user_message", {"text": "go"})
        asked = await client.until("permission_requested")
        client.send("respond_permission", {"id": asked["id"], "reply": "reject"})
        await client.until("turn_ended")

    assert asked["action"] == "doom_loop" and asked["always_patterns"] == []
    assert asked["replies"] == ["once", "reject"]


async def test_too_many_model_calls_end_the_turn(tmp_path: Path) -> None:
    provider = ScriptedProvider([calls((f"c{i}", "look", {"tag": str(i)})) for i in range(9)])

    async with luxe(tmp_path, provider, [FakeTool("look")], max_model_calls=3) as client:
        frames = await client.turn("submit_user_message", {"text": "go"})

    assert ended(frames)["reason"] == "max_steps"
    assert ended(frames)["model_calls"] == 3


async def test_a_cut_tool_call_is_dropped_and_the_model_told_once(tmp_path: Path) -> None:
    cut: list[Step] = [
        BlockStarted(0, "tool_call", "c1", "look"),
        BlockDelta(0, '{"tag'),
        AnswerEnded("max_tokens"),
    ]
    provider = ScriptedProvider([cut, cut])

    async with luxe(tmp_path, provider, [FakeTool("look")]) as client:
        frames = await client.turn("submit_user_message", {"text": "go"})

    assert ended(frames)["reason"] == "max_tokens"
    assert ended(frames)["model_calls"] == 2
    assert client.of("tool_started") == []


async def test_closing_in_the_middle_of_a_tool_ends_the_turn_first(tmp_path: Path) -> None:
    running = Running()
    provider = ScriptedProvider([calls(("c1", "look", {"tag": "stuck", "hold": True}))])

    async with luxe(tmp_path, provider, [FakeTool("look", running=running)]) as client:
        client.send("submit_user_message", {"text": "go"})
        await running.begun("stuck").wait()
        client.send("close")
        await client.session.closed()

    assert client.kinds()[-1] == "turn_ended"
    assert client.of("turn_ended")[0]["reason"] == "cancelled"


async def test_a_turn_that_is_cancelled_in_the_breath_that_began_it_ends(tmp_path: Path) -> None:
    async with luxe(tmp_path, ScriptedProvider([says("Never."), says("Later.")])) as client:
        client.send("submit_user_message", {"text": "go"})
        client.send("cancel")
        end = await client.until("turn_ended")
        frames = await client.turn("submit_user_message", {"text": "again"})

    assert end["reason"] == "cancelled"
    assert ended(frames)["reason"] == "end_turn"


async def test_a_compaction_that_is_cancelled_in_the_breath_that_began_it_is_over(
    tmp_path: Path,
) -> None:
    async with luxe(tmp_path, ScriptedProvider()) as client:
        client.send("compact_now")
        client.send("cancel")
        await client.until("state_changed", lambda body: body["activity"] == "idle")
        frames = await client.turn("submit_user_message", {"text": "go"})

    assert ended(frames)["reason"] == "end_turn"
