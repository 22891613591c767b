from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from luvus_service.adapters.tools.plan import PlanTool
from luvus_service.luxe.domain.ports import CallGiven, ProviderFailure, ResultGiven, TextGiven
from luvus_service.luxe.domain.records import Entry
from luvus_service.luxe.domain.values import (
    CallUsage,
    Message,
    Part,
    Role,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)
from luvus_service.luxe.engine.compaction import kept_from
from luvus_service.luxe.engine.composition import shares
from tests.support.luxe_client import LuxeClient, luxe
from tests.support.luxe_tools import FakeTool
from tests.support.scripted_provider import ScriptedProvider, Step, calls, says

LONG = "word " * 16_000


async def talk(client: LuxeClient, *texts: str) -> None:
    for text in texts:
        await client.turn("submit_user_message", {"text": text})


async def test_a_manual_compaction_stands_for_the_older_messages(tmp_path: Path) -> None:
    provider = ScriptedProvider([says("one"), says("two"), says("SUMMARY"), says("three")])

    async with luxe(tmp_path, provider) as client:
        await talk(client, LONG, LONG)
        client.send("compact_now", {"focus": "the API"})
        client.send("submit_user_message", {"text": "too early"})
        done = await client.until("compaction_done")
        await client.until("state_changed", lambda body: body["activity"] == "idle")
        await talk(client, "go on")

    assert (done["ok"], done["trigger"], done["focus"]) == (True, "manual", "the API")
    assert done["summary"] == "SUMMARY" and done["messages_summarized"] == 2
    assert [r["code"] for r in client.of("action_rejected")] == ["busy"]
    assert "the API" in provider.requests[2].system[0]
    first = provider.requests[3].messages[0].parts
    assert first == (TextGiven("Summary of the conversation so far:\n\nSUMMARY"),)
    assert len(client.session.conversation.entries) == 6


async def test_too_little_to_summarise_is_said_and_changes_nothing(tmp_path: Path) -> None:
    async with luxe(tmp_path, ScriptedProvider()) as client:
        await talk(client, "hello")
        client.send("compact_now")
        done = await client.until("compaction_done")

    assert (done["ok"], done["error"]["code"]) == (False, "invalid_request")


async def test_a_full_window_is_compacted_before_the_next_call(tmp_path: Path) -> None:
    full = CallUsage(prompt_tokens=195_000, completion_tokens=10)
    provider = ScriptedProvider([says("a"), says("b", usage=full), says("SUMMARY"), says("c")])

    async with luxe(tmp_path, provider) as client:
        await talk(client, LONG, LONG, "go on")

    done = client.of("compaction_done")
    assert [(d["ok"], d["trigger"]) for d in done] == [(True, "threshold")]
    assert client.of("turn_ended")[-1]["reason"] == "end_turn"


async def test_an_overflow_compacts_once_and_then_ends_the_turn(tmp_path: Path) -> None:
    over = ProviderFailure("context_overflow", "too long", provider="script", status=400)
    provider = ScriptedProvider([says("a"), says("b"), [over], says("SUMMARY"), [over]])

    async with luxe(tmp_path, provider) as client:
        await talk(client, LONG, LONG, "go on")

    assert [d["trigger"] for d in client.of("compaction_done")] == ["overflow"]
    assert client.of("turn_ended")[-1]["reason"] == "context_overflow"


async def test_a_turn_compacts_by_itself_at_most_twice(tmp_path: Path) -> None:
    full = CallUsage(prompt_tokens=195_000, completion_tokens=10)
    steps: list[Sequence[Step]] = []
    for number in range(5):
        read = calls((f"c{number}", "read", {"tag": f"{number} " + "x" * 90_000}))
        steps += [[*read[:-2], *says("", usage=full)[-2:]]]
        steps += [says("SUMMARY")] if number in {2, 3} else []
    provider = ScriptedProvider([says("a"), *steps, says("done")])

    async with luxe(tmp_path, provider, [FakeTool("read")]) as client:
        await talk(client, LONG, "read them")

    assert [done["trigger"] for done in client.of("compaction_done")] == ["threshold"] * 2
    assert client.of("turn_ended")[-1]["reason"] == "end_turn"


async def test_a_summary_that_frees_too_little_ends_an_overflow(tmp_path: Path) -> None:
    over = ProviderFailure("context_overflow", "too long", provider="script", status=400)
    provider = ScriptedProvider([says("a"), says("b"), [over], says(LONG + LONG)])

    async with luxe(tmp_path, provider) as client:
        await talk(client, LONG, LONG, "go on")

    (done,) = client.of("compaction_done")
    assert (done["ok"], done["error"]["code"]) == (False, "context_overflow")
    assert client.of("turn_ended")[-1]["reason"] == "context_overflow"
    assert client.session.conversation.folded.compacted is None


async def test_switched_off_neither_kind_runs(tmp_path: Path) -> None:
    over = ProviderFailure("context_overflow", "too long", provider="script", status=400)
    full = CallUsage(prompt_tokens=199_000, completion_tokens=10)
    provider = ScriptedProvider([says("a"), says("b", usage=full), [over]])

    async with luxe(tmp_path, provider, auto_compact=False) as client:
        await talk(client, LONG, LONG, "go on")

    assert client.of("compaction_started") == []
    assert client.of("turn_ended")[-1]["reason"] == "context_overflow"


async def test_cancel_stops_a_compaction_and_leaves_everything(tmp_path: Path) -> None:
    provider = ScriptedProvider([says("a"), says("b"), [asyncio.Event()], says("c")])

    async with luxe(tmp_path, provider) as client:
        await talk(client, LONG, LONG)
        provider.asked.clear()
        client.send("compact_now")
        await provider.asked.wait()
        client.send("cancel")
        done = await client.until("compaction_done")
        await client.until("state_changed", lambda body: body["activity"] == "idle")
        await talk(client, "go on")

    assert (done["ok"], done["error"]["code"]) == (False, "cancelled")
    assert len(provider.requests[3].messages) == 5


async def test_the_categories_of_the_window_add_up(tmp_path: Path) -> None:
    async with luxe(tmp_path, ScriptedProvider([says("a long answer " * 99)])) as client:
        await talk(client, "a long question " * 99)
        client.send("request_context_composition")
        shown = await client.until("context_composition")

    assert sum(c["tokens"] for c in shown["categories"]) == shown["total_tokens"] > 0
    assert {"system_prompt", "user_messages", "assistant_messages"} <= {
        c["name"] for c in shown["categories"]
    }


def test_shares_add_up_and_the_largest_takes_the_rest() -> None:
    assert shares({"a": 1, "b": 1, "c": 1}, 10) == {"a": 4, "b": 3, "c": 3}
    assert shares({"a": 0}, 5) == {"other": 5}
    assert shares({}, 0) == {}


def entry(sign: str, number: int) -> Entry:
    """Return an entry; a capital letter stands for one of 9,000 tokens."""
    text = "word " * (6_480 if sign.isupper() else 1)
    call = f"c{number}"
    kinds: dict[str, tuple[Role, Part]] = {
        "u": ("user", TextPart(text)),
        "a": ("assistant", TextPart(text)),
        "c": ("assistant", ToolCallPart(call, "read", {"path": text})),
        "t": ("tool", ToolResultPart(call, "read", "completed", text)),
    }
    role, part = kinds[sign.lower()]
    return Entry(Message(f"m{number}", role, (part,), "now"))


@pytest.mark.parametrize(
    ("signs", "kept"),
    [
        ("uaua", (0, None)),
        ("UAUA", (2, None)),
        ("UAUAUa", (3, None)),
        ("uactctct", (0, None)),
        ("uCTCTCT", (5, 0)),
        ("ucTcTcT", (3, 0)),
        ("UaUctcTcTct", (2, None)),
        ("uacTTT", (2, 0)),
        ("UUU", (1, None)),
        ("ua", (0, None)),
    ],
)
def test_the_newest_are_kept_by_their_real_size(signs: str, kept: tuple[int, int | None]) -> None:
    entries = [entry(sign, number) for number, sign in enumerate(signs)]

    assert kept_from(entries) == kept


async def test_one_long_turn_makes_room_and_keeps_what_was_asked(tmp_path: Path) -> None:
    full = CallUsage(prompt_tokens=195_000, completion_tokens=10)
    reads = [calls((f"c{n}", "read", {"tag": f"{n} " + "x" * 40_000})) for n in range(6)]
    last = [*reads[-1][:-2], *says("", usage=full)[-2:]]
    provider = ScriptedProvider([*reads[:-1], last, says("SUMMARY"), says("done")])

    async with luxe(tmp_path, provider, [FakeTool("read")]) as client:
        await client.turn("submit_user_message", {"text": "read them all"})

    (done,) = client.of("compaction_done")
    assert (done["ok"], done["messages_summarized"]) == (True, 10)
    assert done["tokens_after"] < 100_000
    first, asked, *rest = provider.requests[-1].messages
    assert isinstance(first.parts[0], TextGiven) and first.parts[0].text.endswith("SUMMARY")
    assert asked.parts == (TextGiven("read them all"),)
    assert [type(part) for message in rest for part in message.parts] == [CallGiven, ResultGiven]


async def test_a_resumed_session_sees_the_summary_and_what_was_kept(tmp_path: Path) -> None:
    reads = [calls((f"c{n}", "read", {"tag": f"{n} " + "x" * 40_000})) for n in range(3)]
    provider = ScriptedProvider([*reads, says("a"), says("SUMMARY"), says("b")])
    async with luxe(tmp_path, provider, [FakeTool("read")]) as client:
        await talk(client, "read them")
        client.send("compact_now")
        await client.until("compaction_done")
        session_id = client.session.state.session_id

    async with luxe(tmp_path, provider, resume=session_id) as client:
        await talk(client, "go on")

    given = [part for message in provider.requests[-1].messages for part in message.parts]
    texts = [part.text for part in given if isinstance(part, TextGiven)]
    assert texts[0].endswith("SUMMARY") and texts[1] == "read them" and texts[-1] == "go on"


async def test_a_retry_after_a_compaction_goes_back_to_the_whole_conversation(
    tmp_path: Path,
) -> None:
    reads = [calls((f"c{n}", "read", {"tag": f"{n} " + "x" * 40_000})) for n in range(3)]
    provider = ScriptedProvider([*reads, says("a"), says("SUMMARY"), says("b")])

    async with luxe(tmp_path, provider, [FakeTool("read")]) as client:
        await talk(client, "read them")
        client.send("compact_now")
        await client.until("compaction_done")
        await client.until("state_changed", lambda body: body["activity"] == "idle")
        await client.turn("retry")

    assert [m.parts for m in provider.requests[-1].messages] == [(TextGiven("read them"),)]


async def test_the_plan_and_the_todos_stand_behind_the_summary(tmp_path: Path) -> None:
    plan = {"title": "Big", "content": "Do it."}
    provider = ScriptedProvider(
        [calls(("p", "plan_write", plan)), says("two"), says(LONG), says("SUMMARY")]
    )

    async with luxe(tmp_path, provider, [PlanTool()], mode="plan") as client:
        await talk(client, LONG, "more")
        client.send("compact_now")
        done = await client.until("compaction_done")
        (written,) = client.of("plan_written")

    assert done["summary"] == f"SUMMARY\n\nThe plan is in {written['path']}."


async def test_a_long_text_of_many_byte_letters_is_cut_to_the_window(tmp_path: Path) -> None:
    provider = ScriptedProvider([says("a"), says("b"), says("c"), says("SUMMARY")])

    async with luxe(tmp_path, provider) as client:
        await talk(client, "語" * 100_000, "語" * 110_000, "short")
        client.send("compact_now")
        await client.until("compaction_done")

    (part,) = provider.requests[3].messages[0].parts
    assert isinstance(part, TextGiven)
    assert len(part.text.encode()) <= 200_000 * 0.8 * 3.6
