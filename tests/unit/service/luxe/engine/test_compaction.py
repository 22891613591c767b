from __future__ import annotations

import asyncio
from pathlib import Path

from luvus_service.luxe.domain.ports import ProviderFailure, TextGiven
from luvus_service.luxe.domain.values import CallUsage
from luvus_service.luxe.engine.composition import shares
from tests.support.luxe_client import LuxeClient, luxe
from tests.support.scripted_provider import ScriptedProvider, says

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

    assert done["ok"] is False
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
