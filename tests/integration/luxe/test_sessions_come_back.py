"""Agent sessions of a server that ended: the next one has them, and runs nothing by itself."""

from __future__ import annotations

import asyncio
import fcntl
import json
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.hosted import ENDINGS, Ending, Hosted, Watcher, hosted_server
from tests.support.provider_script import Call, Pause, Reply, Say, calls, says

CUT = "the server ended during a turn"
WAITING = "the server ended while a turn waited for an answer"
LASTING = ("session_id", "cwd", "title", "model", "state", "mode", "permission_mode", "error")


@pytest.fixture
async def hosted() -> AsyncIterator[Hosted]:
    async with hosted_server() as running:
        yield running


def file_of(hosted: Hosted, session: str) -> Path:
    return next((hosted.live.home / "luxe/sessions").glob(f"*/{session}.jsonl"))


def lasting(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{name: row[name] for name in LASTING} for row in rows]


async def stored(hosted: Hosted) -> None:
    """Wait until what a row shows is on the disk: it follows within a moment."""
    extra = await hosted.open()
    assert (await hosted.http.delete(f"/luxe/v2/sessions/{extra}")).status_code == 200


async def row_that(watcher: Watcher, **wanted: Any) -> dict[str, Any]:
    """Read lists until one holds a row with these values."""
    while True:
        for row in (await watcher.until("sessions"))["sessions"]:
            if wanted.items() <= row.items():
                return dict(row)


@pytest.mark.parametrize("way", ENDINGS)
async def test_what_was_open_is_listed_again_and_what_was_closed_is_not(
    hosted: Hosted, way: Ending
) -> None:
    hosted.provider.replies += [says("One."), says("Two.")]
    first, closed, second, empty = [await hosted.open() for _ in range(4)]
    await hosted.say(second, "the second")
    await hosted.say(first, "the first")
    await hosted.act(first, "set_mode", "plan")
    await hosted.act(second, "set_permission_mode", "accept_edits")
    await hosted.act(empty, "set_thinking_level", "high")
    await hosted.http.delete(f"/luxe/v2/sessions/{closed}")
    before = await hosted.rows()

    await hosted.replace(way)
    after = await hosted.rows()
    async with hosted.watch(first) as viewer, hosted.watch(empty) as other:
        loaded = await viewer.until("session_loaded")
        state = await other.until("state_changed")
    again = await hosted.rows()

    assert [row["session_id"] for row in after] == [first, second, empty]
    assert lasting(after) == lasting(before) == lasting(again)
    assert [m["role"] for m in loaded["messages"]] == ["user", "assistant"]
    assert (loaded["mode"], loaded["repaired"]) == ("plan", False)
    assert (state["session_id"], state["thinking"]) == (empty, "high")
    assert not hosted.provider.replies


@pytest.mark.parametrize("way", ENDINGS)
async def test_a_turn_that_was_cut_is_closed_and_said_and_not_run_again(
    hosted: Hosted, way: Ending
) -> None:
    hosted.provider.replies += [Reply((Say("Begun. "), Pause(60.0))), says("Fresh.")]
    session = await hosted.open()
    async with hosted.watch(session) as viewer:
        await viewer.send("submit_user_message", {"text": "go"})
        await viewer.until("token_delta")

    await hosted.replace(way)
    async with hosted.watch("") as watcher:
        row = await row_that(watcher, session_id=session, state="failed")
    unread = len(hosted.provider.replies)
    async with hosted.watch(session) as viewer:
        notice = await viewer.until("notice")
        state = next(f["content"] for f in viewer.seen if f["kind"] == "state_changed")
    marks = [json.loads(line) for line in file_of(hosted, session).read_text().splitlines()]
    await hosted.say(session, "again")
    (done,) = await hosted.rows()

    assert row["error"].startswith(CUT)
    assert (row["streaming"], row["pending_permissions"]) == (False, 0)
    assert unread == 1
    assert (notice["code"], notice["message"]) == ("turn_cut", row["error"])
    assert (state["streaming"], state["turn_id"]) == (False, None)
    assert [m["reason"] for m in marks if m["type"] == "turn"][-1] == "cancelled"
    assert (done["state"], done["error"]) == ("done", None)


@pytest.mark.parametrize("way", ENDINGS)
async def test_a_prompt_that_nobody_answered_is_gone_with_its_turn(
    hosted: Hosted, way: Ending
) -> None:
    hosted.provider.replies.append(calls(Call("bash", {"command": "touch made"}, "c1")))
    session = await hosted.open()
    async with hosted.watch(session) as viewer:
        await viewer.send("submit_user_message", {"text": "go"})
        prompt = await viewer.until("permission_requested")
    await stored(hosted)

    await hosted.replace(way)
    (row,) = await hosted.rows()
    shown = (await hosted.http.get(f"/luxe/v2/sessions/{session}")).json()
    late = await hosted.act(session, "respond_permission", {"id": prompt["id"], "reply": "once"})

    assert (row["state"], row["prompts"]) == ("failed", [])
    assert row["error"].startswith(WAITING)
    assert (shown["permissions"], shown["session"]["error"]) == ([], row["error"])
    assert late.status_code == 404
    assert not (hosted.project / "made").exists()


async def test_what_was_allowed_to_the_ended_process_is_asked_again(hosted: Hosted) -> None:
    hosted.provider.replies += [says("Hi."), calls(Call("bash", {"command": "touch made"}, "c1"))]
    loose = await hosted.open(auto_approve=True, permission_mode="yolo", trust_project=True)
    bound = await hosted.open(read_only=True)
    await hosted.say(loose, "hello")

    await hosted.replace("killed")
    async with hosted.watch(loose) as viewer, hosted.watch(bound) as other:
        notice = await viewer.until("notice")
        ready = viewer.seen[0]["content"]
        state = next(f["content"] for f in viewer.seen if f["kind"] == "state_changed")
        kept = await other.until("state_changed")
        await viewer.send("submit_user_message", {"text": "go"})
        await viewer.until("permission_requested")

    assert (ready["trusted"], ready["auto_approve"]) == (False, False)
    assert (state["auto_approve"], state["permission_mode"]) == (False, "ask")
    assert notice["code"] == "server_restarted"
    for word in ("auto-approve", "yolo", "luxe trust"):
        assert word in notice["message"]
    assert (kept["permission_mode"], kept["read_only"]) == ("read_only", True)
    assert not (hosted.project / "made").exists()


async def test_a_session_that_cannot_be_loaded_is_listed_as_failed_with_the_reason(
    hosted: Hosted,
) -> None:
    hosted.provider.replies += [says("Hi.")] * 4
    fine, gone, broken, locked = [await hosted.open() for _ in range(4)]
    for session in (fine, gone, broken, locked):
        await hosted.say(session, "hello")
    await stored(hosted)
    await hosted.http.aclose()
    await asyncio.to_thread(hosted.live.stop)
    file_of(hosted, gone).unlink()
    file_of(hosted, broken).write_text("no header\n")
    held = os.open(file_of(hosted, locked), os.O_RDWR)
    fcntl.flock(held, fcntl.LOCK_EX)
    try:
        await hosted.back()
        async with hosted.watch("") as watcher:
            await row_that(watcher, session_id=locked, state="failed")
        rows = await hosted.rows()
        refused = [
            await hosted.http.get(f"/luxe/v2/sessions/{session}")
            for session in (gone, broken, locked)
        ]
    finally:
        os.close(held)
    shown = await hosted.http.get(f"/luxe/v2/sessions/{locked}")
    dropped = await hosted.http.delete(f"/luxe/v2/sessions/{gone}")
    left = await hosted.rows()

    assert [(r["session_id"], r["state"]) for r in rows] == [
        (fine, "done"),
        (gone, "failed"),
        (broken, "failed"),
        (locked, "failed"),
    ]
    assert "gone from the disk" in rows[1]["error"]
    assert "first line is broken" in rows[2]["error"]
    assert "another Luxe process" in rows[3]["error"]
    assert [(a.status_code, a.json()["code"]) for a in refused] == [
        (404, "not_found"),
        (404, "not_found"),
        (409, "locked"),
    ]
    assert [a.json()["message"] for a in refused] == [r["error"] for r in rows[1:]]
    assert (shown.status_code, shown.json()["session"]["state"]) == (200, "done")
    assert dropped.status_code == 200
    assert [r["session_id"] for r in left] == [fine, broken, locked]


async def test_a_session_is_resumed_in_its_place_and_never_listed_twice(hosted: Hosted) -> None:
    hosted.provider.replies += [says("Hi.")] * 3
    first, second, third = [await hosted.open() for _ in range(3)]
    for session in (first, second, third):
        await hosted.say(session, "hello")

    await hosted.replace("killed")
    resumed = await hosted.open(resume=first)
    taken = await hosted.act(first, "load_session", third)
    rows = await hosted.rows()

    assert resumed == first
    assert taken.status_code == 200
    assert [row["session_id"] for row in rows] == [third, second]


async def test_many_that_look_at_once_get_the_same_session(hosted: Hosted) -> None:
    hosted.provider.replies.append(says("Hi."))
    session = await hosted.open()
    await hosted.say(session, "hello")

    await hosted.replace("killed")
    looks = [hosted.http.get(f"/luxe/v2/sessions/{session}") for _ in range(8)]
    answers = await asyncio.gather(*looks)

    assert [answer.status_code for answer in answers] == [200] * 8


async def test_a_session_in_memory_only_ends_with_its_server(hosted: Hosted) -> None:
    await hosted.open(no_session=True)
    kept = await hosted.open()

    await hosted.replace("stopped")

    assert [row["session_id"] for row in await hosted.rows()] == [kept]


async def test_a_stream_says_whether_its_session_was_closed_or_its_server_ends(
    hosted: Hosted,
) -> None:
    closed, open_ = await hosted.open(), await hosted.open()
    async with hosted.watch(closed) as one, hosted.watch(open_) as two:
        await hosted.act(closed, "close")
        await one.socket.wait_closed()
        await hosted.replace("stopped")
        await two.socket.wait_closed()

    assert (one.socket.close_code, two.socket.close_code) == (1000, 1012)
    assert [row["session_id"] for row in await hosted.rows()] == [open_]


async def test_what_was_answered_holds_after_a_kill_at_that_moment(hosted: Hosted) -> None:
    keep = await hosted.open()
    for _ in range(2):
        opened = await hosted.open()
        await hosted.replace("killed")
        assert [row["session_id"] for row in await hosted.rows()] == [keep, opened]
        assert (await hosted.act(opened, "close")).status_code == 200
        await hosted.replace("killed")
        assert [row["session_id"] for row in await hosted.rows()] == [keep]
