from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from luvus_service.luxe.domain.values import ModelRef
from tests.support.luxe_client import LuxeClient, luxe
from tests.support.luxe_tools import FakeTool
from tests.support.scripted_provider import ScriptedProvider, calls, says


def file_of(folder: Path) -> Path:
    (path,) = (folder / "sessions").glob("*/*.jsonl")
    return path


async def told(client: LuxeClient, text: str = "hello") -> str:
    await client.turn("submit_user_message", {"text": text})
    return client.session.state.session_id


async def test_the_list_is_sent_when_a_session_gets_its_file(tmp_path: Path) -> None:
    async with luxe(tmp_path, ScriptedProvider()) as client:
        session_id = await told(client)
        await told(client, "again")
        client.send("refresh_workspace")
        await client.until("workspace_updated")

    (listed,) = client.of("sessions_refreshed")
    assert [(item["id"], item["current"]) for item in listed["sessions"]] == [(session_id, True)]


async def test_loading_the_open_session_shows_it_again(tmp_path: Path) -> None:
    async with luxe(tmp_path, ScriptedProvider()) as client:
        session_id = await told(client)
        client.send("load_session", session_id)
        loaded = await client.until("session_loaded")
        await told(client, "still here")

    assert loaded["session"]["id"] == session_id
    assert loaded["session"]["size_bytes"] > 0
    assert len(loaded["messages"]) == 2


async def test_settings_of_a_resumed_session_hold_unless_the_caller_names_others(
    tmp_path: Path,
) -> None:
    async with luxe(tmp_path, ScriptedProvider()) as client:
        client.send("set_mode", "plan")
        client.send("set_thinking_level", "high")
        session_id = await told(client)

    async def shown(**more: Any) -> tuple[str, str, str]:
        async with luxe(tmp_path, ScriptedProvider(), resume=session_id, **more) as client:
            state = client.of("state_changed")[0]
            if more:
                await told(client, "go on")
        return state["model"]["model"], state["thinking"], state["mode"]

    other: dict[str, Any] = {"model": ModelRef("script", "two"), "mode": "build"}
    assert await shown() == ("one", "high", "plan")
    assert await shown(**other) == ("one", "high", "plan")
    assert await shown(**other, given=frozenset({"model", "mode"})) == ("two", "high", "build")
    assert await shown() == ("two", "high", "build")


async def test_a_session_that_lost_a_line_is_still_what_a_provider_takes(tmp_path: Path) -> None:
    provider = ScriptedProvider([calls(("c1", "read", {})), calls(("c2", "read", {"tag": "b"}))])
    async with luxe(tmp_path, provider, [FakeTool("read")]) as client:
        session_id = await told(client)
    path = file_of(tmp_path)
    lines = path.read_text().splitlines(keepends=True)
    index = next(n for n, line in enumerate(lines) if '"call_id":"c1"' in line)
    lines[index] = lines[index][: len(lines[index]) // 2] + "\n"
    path.write_text("".join(lines))
    provider = ScriptedProvider()

    async with luxe(tmp_path, provider, resume=session_id) as client:
        (loaded,) = client.of("session_loaded")
        await told(client, "go on")

    assert loaded["repaired"] is True
    parts = [part for message in loaded["messages"] for part in message["parts"]]
    assert [part["call_id"] for part in parts if "call_id" in part] == ["c2", "c2"]
    assert [message.role for message in provider.requests[0].messages] == [
        "user",
        "assistant",
        "user",
        "assistant",
        "user",
    ]


async def test_without_its_first_message_a_user_still_speaks_first(tmp_path: Path) -> None:
    async with luxe(tmp_path, ScriptedProvider()) as client:
        session_id = await told(client)
    path = file_of(tmp_path)
    kept = [line for line in path.read_text().splitlines() if '"role":"user"' not in line]
    path.write_text("\n".join(kept) + "\n")
    provider = ScriptedProvider()

    async with luxe(tmp_path, provider, resume=session_id) as client:
        await told(client, "go on")

    assert [m.role for m in provider.requests[0].messages] == ["user", "assistant", "user"]


@pytest.mark.parametrize("cut", [0, 1, 40])
async def test_a_file_without_a_whole_header_is_refused_and_not_listed(
    tmp_path: Path, cut: int
) -> None:
    async with luxe(tmp_path, ScriptedProvider()) as client:
        session_id = await told(client)
    path = file_of(tmp_path)
    path.write_bytes(path.read_bytes()[:cut])

    async with luxe(tmp_path, ScriptedProvider()) as client:
        client.send("load_session", session_id)
        rejected = await client.until("action_rejected")
        client.send("refresh_sessions")
        listed = await client.until("sessions_refreshed")

    assert (rejected["code"], listed["sessions"]) == ("not_found", [])


async def test_a_compaction_is_shown_at_its_place_after_a_restart(tmp_path: Path) -> None:
    long = "word " * 16_000
    provider = ScriptedProvider([says("a"), says("b"), says("SUMMARY")])
    async with luxe(tmp_path, provider) as client:
        await told(client, long)
        await told(client, long)
        client.send("compact_now")
        await client.until("compaction_done")
        await client.until("state_changed", lambda body: body["activity"] == "idle")
        session_id = await told(client, "go on")

    async with luxe(tmp_path, ScriptedProvider(), resume=session_id) as client:
        (loaded,) = client.of("session_loaded")

    assert [message["origin"] for message in loaded["messages"]] == [
        "client",
        "engine",
        "client",
        "engine",
        "compaction",
        "client",
        "engine",
    ]
    (part,) = loaded["messages"][4]["parts"]
    assert part["summary"] == "SUMMARY"
    assert loaded["session"]["messages"] == 6
