from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import pytest

from luvus_service.adapters import session_files
from luvus_service.luxe.domain.ports import (
    AllowanceRead,
    AnswerEnded,
    BlockDelta,
    BlockEnded,
    BlockStarted,
    ProviderFailure,
)
from luvus_service.luxe.domain.values import ModelRef, PlanUsage, PlanWindow
from tests.support.luxe_client import luxe
from tests.support.luxe_tools import FakeTool
from tests.support.scripted_provider import ScriptedProvider, Step, UnlistedProvider, calls, says


async def test_model_level_and_mode_are_shown_whole_each_time(tmp_path: Path) -> None:
    async with luxe(tmp_path, ScriptedProvider()) as client:
        client.send("set_thinking_level", "ultra")
        lowered = await client.until("notice")
        high = await client.until("state_changed")
        client.send("select_model", {"provider": "script", "model": "two"})
        two = await client.until("state_changed")
        client.send("set_mode", "plan")
        plan = await client.until("state_changed")
        client.send("set_mode", "fly")
        unknown = await client.until("notice")
        client.send("select_model", {"provider": "script", "model": "three"})
        rejected = await client.until("action_rejected")

    assert (lowered["code"], high["thinking"]) == ("thinking_lowered", "high")
    assert (two["model"]["model"], two["thinking"]) == ("two", "off")
    assert (plan["mode"], plan["streaming"]) == ("plan", False)
    assert (unknown["code"], rejected["code"]) == ("unknown_mode", "not_found")


@pytest.mark.parametrize(
    ("kind", "content"),
    [
        ("set_mode", "plan"),
        ("set_thinking_level", "high"),
        ("select_model", {"provider": "script", "model": "two"}),
        ("retry", None),
        ("submit_user_message", {"text": "more"}),
    ],
)
async def test_a_full_disk_is_said_in_words_and_leaves_everything_as_it_was(
    tmp_path: Path, kind: str, content: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_fd: int, _line: bytes) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    async with luxe(tmp_path, ScriptedProvider()) as client:
        await client.turn("submit_user_message", {"text": "go"})
        state, entries = client.session.state, list(client.session.conversation.entries)
        before = (state.mode, state.thinking, state.model)
        with monkeypatch.context() as patch:
            patch.setattr(session_files, "_write_line", full)
            client.send(kind, content)
            rejected = await client.until("action_rejected")
        after = (state.mode, state.thinking, state.model)
        kept = list(client.session.conversation.entries)

    assert rejected["code"] == "failed"
    assert rejected["reason"].startswith(f"{kind}: the session's file /")
    assert rejected["reason"].endswith(" cannot be written: No space left on device")
    assert (after, kept) == (before, entries)


async def test_settings_made_before_the_first_message_outlive_a_full_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_fd: int, _line: bytes) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    async with luxe(tmp_path, ScriptedProvider()) as client:
        client.send("set_mode", "plan")
        with monkeypatch.context() as patch:
            patch.setattr(session_files, "_write_line", full)
            client.send("submit_user_message", {"text": "go"})
            await client.until("action_rejected")
        for path in tmp_path.rglob("*.jsonl"):
            path.unlink()
        await client.turn("submit_user_message", {"text": "go"})

    (file,) = tmp_path.rglob("*.jsonl")
    assert '{"type":"mode","mode":"plan"}' in file.read_text().splitlines()


async def test_the_permission_mode_can_change_unless_the_session_began_read_only(
    tmp_path: Path,
) -> None:
    async with luxe(tmp_path, ScriptedProvider()) as client:
        client.send("set_permission_mode", "read_only")
        strict = await client.until("state_changed")
        client.send("set_permission_mode", "accept_edits")
        loose = await client.until("state_changed")
        client.send("set_permission_mode", "anything")
        unknown = await client.until("action_rejected")
    async with luxe(tmp_path, ScriptedProvider(), read_only=True) as client:
        client.send("set_permission_mode", "yolo")
        bound = await client.until("action_rejected")

    assert (strict["permission_mode"], strict["read_only"]) == ("read_only", True)
    assert (loose["permission_mode"], loose["read_only"]) == ("accept_edits", False)
    assert unknown["code"] == "invalid_field"
    assert (bound["code"], client.session.state.permission_mode) == ("read_only", "read_only")


async def test_a_missing_credential_is_named_and_no_turn_starts(tmp_path: Path) -> None:
    async with luxe(tmp_path, ScriptedProvider(missing="SCRIPT_KEY")) as client:
        client.send("submit_user_message", {"text": "go"})
        rejected = await client.until("action_rejected")

    assert rejected["code"] == "not_found"
    assert client.of("turn_started") == []


async def test_a_new_session_leaves_the_old_one_on_the_disk(tmp_path: Path) -> None:
    async with luxe(tmp_path, ScriptedProvider()) as client:
        await client.turn("submit_user_message", {"text": "first"})
        old = client.session.state.session_id
        client.send("new_session")
        fresh = await client.until("session_loaded")
        listed = await client.until("sessions_refreshed")
        client.send("load_session", old)
        loaded = await client.until("session_loaded")
        await client.until("sessions_refreshed")

    assert fresh["messages"] == [] and fresh["session"]["id"] != old
    assert [(s["id"], s["current"]) for s in listed["sessions"]] == [(old, False)]
    assert [m["role"] for m in loaded["messages"]] == ["user", "assistant"]


async def test_thinking_and_allowance_are_passed_on_and_cards_follow_a_call(tmp_path: Path) -> None:
    window = PlanWindow("five_hour", 42.0, "ok")
    thinks: list[Step] = [
        AllowanceRead(PlanUsage("script", (window,), "2026-01-01T00:00:00.000Z")),
        BlockStarted(0, "thinking"),
        BlockDelta(0, "Hmm."),
        BlockEnded(0, opaque="signed"),
        BlockStarted(1, "text"),
        BlockDelta(1, "So."),
        BlockEnded(1),
        AnswerEnded("end_turn"),
    ]
    provider = ScriptedProvider([calls(("c1", "look", {})), thinks, says("Again.")])

    async with luxe(tmp_path, provider, [FakeTool("look")]) as client:
        await client.turn("submit_user_message", {"text": "go"})
        await client.turn("submit_user_message", {"text": "more"})

    assert client.of("thinking_delta")[0]["block"] == 1
    assert client.of("plan_usage")[0]["windows"][0]["used_percent"] == 42.0
    states = [card["state"] for card in client.of("tool_activity_updated")]
    assert states == ["running", "completed"]
    given = provider.requests[2].messages[3].parts[0]
    assert getattr(given, "opaque", None) == "signed"


async def test_a_message_that_comes_before_the_list_of_models_waits_for_it(tmp_path: Path) -> None:
    provider = UnlistedProvider([says("Here.")])

    async with luxe(tmp_path, provider) as client:
        assert client.of("state_changed")[0]["model"] is None
        client.send("submit_user_message", {"text": "hi"})
        await client.until("turn_started")
        provider.may_list.set()
        end = await client.until("turn_ended")
        session_id = client.session.state.session_id
        client.send("request_context_composition")
        await client.until("context_composition")

    assert end["reason"] == "end_turn"
    async with luxe(tmp_path, UnlistedProvider(), resume=session_id) as client:
        assert client.session.conversation.folded.model == ModelRef("script", "one")


async def test_a_turn_without_any_model_ends_and_says_why(tmp_path: Path) -> None:
    provider = UnlistedProvider(fault=ProviderFailure("timeout", "script: silence", provider="s"))

    async with luxe(tmp_path, provider) as client:
        client.send("submit_user_message", {"text": "hi"})
        await client.until("turn_started")
        provider.may_list.set()
        end = await client.until("turn_ended")
        client.send("submit_user_message", {"text": "hi"})
        refused = await client.until("action_rejected")

    assert (end["reason"], end["error"]["code"]) == ("error", "model_not_found")
    assert end["error"]["message"] == "no model is known; script: silence"
    assert refused["reason"] == "submit_user_message: no model is known; script: silence"
