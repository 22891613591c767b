"""The list of agent sessions as a stream, what a row says, and who may look or act."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import AsyncIterator
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed

from tests.support.hosted import Hosted, Watcher, hosted_server
from tests.support.provider_script import Call, Pause, Reply, Say, calls, says

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
ASKS = {"questions": [{"question": "Which one?", "header": "db", "options": [{"label": "a"}]}]}


@pytest.fixture
async def hosted() -> AsyncIterator[Hosted]:
    async with hosted_server() as running:
        yield running


async def row_that(watcher: Watcher, **wanted: Any) -> dict[str, Any]:
    """Read lists until one holds a row with these values."""
    while True:
        for row in (await watcher.until("sessions"))["sessions"]:
            if wanted.items() <= row.items():
                return dict(row)


async def token(hosted: Hosted, *scopes: str) -> tuple[str, str]:
    made = await asyncio.to_thread(
        hosted.live.call, "uhp.token.create", {"scopes": list(scopes), "ttl_s": 60}
    )
    return made["token"], made["id"]


async def test_the_list_is_pushed_whole_when_a_session_opens_works_and_closes(
    hosted: Hosted,
) -> None:
    hosted.provider.replies.append(Reply((Say("Begun. "), Pause(0.3), Say("Done."))))
    async with hosted.watch("") as watcher:
        empty = await watcher.until("sessions")
        session = await hosted.open(model="anthropic/claude-sonnet-4-5")
        idle = await row_that(watcher, session_id=session, state="idle")
        await hosted.act(session, "submit_user_message", {"text": "find the bug"})
        working = await row_that(watcher, state="working", title="find the bug")
        done = await row_that(watcher, state="done")
        await hosted.http.delete(f"/luxe/v2/sessions/{session}")
        while (await watcher.until("sessions"))["sessions"]:
            pass

    assert empty == {"sessions": []}
    assert (idle["cwd"], idle["title"]) == (str(hosted.project), None)
    assert (working["streaming"], working["prompts"], working["error"]) == (True, [], None)
    assert idle["since_ms"] <= working["since_ms"] < done["since_ms"]
    assert done["tokens"] > 0 and done["context_percent"] is not None


async def test_a_row_says_who_waits_and_its_page_says_for_what(hosted: Hosted) -> None:
    hosted.provider.replies += [
        calls(Call("bash", {"command": "touch made"}, "c1")),
        calls(Call("question", ASKS, "c2")),
        says("Done."),
    ]
    session = await hosted.open()
    async with hosted.watch("") as watcher:
        await hosted.act(session, "submit_user_message", {"text": "go"})
        asked = await row_that(watcher, state="blocked", pending_permissions=1)
        shown = (await hosted.http.get(f"/luxe/v2/sessions/{session}")).json()
        prompt = shown["permissions"][0]
        reply = {"id": prompt["id"], "reply": "once"}
        first = await hosted.act(session, "respond_permission", reply)
        second = await hosted.act(session, "respond_permission", reply)
        await row_that(watcher, state="blocked", pending_questions=1)
        question = (await hosted.http.get(f"/luxe/v2/sessions/{session}")).json()["questions"][0]
        answer = {"id": question["id"], "reply": {"answered": ["a"]}}
        await hosted.act(session, "answer_question", answer)
        await row_that(watcher, state="done")

    assert asked["prompts"] == [prompt["id"]]
    assert (prompt["command"], prompt["replies"][0]) == ("touch made", "once")
    assert (first.status_code, second.status_code) == (200, 404)
    assert (hosted.project / "made").exists()


async def test_a_turn_that_fails_is_a_failed_row_that_says_why(hosted: Hosted) -> None:
    hosted.provider.replies.append(Reply(status=401, error=("authentication_error", "no")))
    session = await hosted.open()
    async with hosted.watch("") as watcher:
        await hosted.act(session, "submit_user_message", {"text": "go"})
        failed = await row_that(watcher, state="failed")

    assert failed["error"]


async def test_a_flood_of_deltas_is_few_lists(hosted: Hosted) -> None:
    hosted.provider.replies.append(says("word " * 4_000, piece=4))
    session = await hosted.open()
    async with hosted.watch("") as watcher, hosted.watch(session) as viewer:
        await hosted.act(session, "submit_user_message", {"text": "go"})
        await viewer.until("turn_ended")
        await row_that(watcher, state="done")

    lists = watcher.kinds().count("sessions")
    assert viewer.kinds().count("token_delta") > 1_000
    assert lists < 100


async def test_a_reader_sees_everything_and_acts_on_nothing(hosted: Hosted) -> None:
    hosted.provider.replies.append(says("Hello."))
    session = await hosted.open()
    secret, _ = await token(hosted, "read")
    headers = {"authorization": f"Bearer {secret}"}
    one = f"/luxe/v2/sessions/{session}"

    looks = [
        await hosted.http.get(path, headers=headers)
        for path in ("/luxe/v2/sessions", one, f"/luxe/v2/stored?cwd={hosted.project}")
    ]
    acts = [
        await hosted.http.post("/luxe/v2/sessions", json={"cwd": "/tmp"}, headers=headers),
        await hosted.http.post(f"{one}/cancel", headers=headers),
        await hosted.http.post(f"{one}/submit_user_message", json={"text": "x"}, headers=headers),
        await hosted.http.delete(one, headers=headers),
        await hosted.http.get("/luxe/v2/models", headers=headers),
    ]
    async with hosted.watch(session, secret) as reader, hosted.watch(session) as owner:
        await reader.send("submit_user_message", {"text": "x"})
        refused = await reader.until("action_rejected")
        await owner.send("submit_user_message", {"text": "hi"})
        await reader.until("turn_ended")
        await owner.until("turn_ended")

    assert [answer.status_code for answer in looks] == [200, 200, 200]
    assert [answer.status_code for answer in acts] == [403] * 5
    assert (refused["code"], refused["kind"]) == ("forbidden", "submit_user_message")
    assert "action_rejected" not in owner.kinds()


async def test_a_token_that_is_taken_away_sees_no_further_frame(hosted: Hosted) -> None:
    hosted.provider.replies.append(says("Secret."))
    session = await hosted.open()
    secret, token_id = await token(hosted, "read")
    async with hosted.watch(session, secret) as reader, hosted.watch("", secret) as watcher:
        await reader.until("session_usage")
        await watcher.until("sessions")
        await asyncio.to_thread(hosted.live.call, "uhp.token.revoke", {"id": token_id})
        await hosted.act(session, "submit_user_message", {"text": "go"})
        for stream in (reader, watcher):
            with pytest.raises(ConnectionClosed):
                while True:
                    await stream.until("nothing")

    assert "token_delta" not in reader.kinds()


async def test_stored_sessions_and_models_can_be_chosen_from(hosted: Hosted) -> None:
    session = await hosted.open()
    hosted.provider.replies.append(says("Hello."))
    async with hosted.watch(session) as viewer:
        await hosted.act(session, "submit_user_message", {"text": "remember me"})
        await viewer.until("turn_ended")
    await hosted.http.delete(f"/luxe/v2/sessions/{session}")

    stored = (await hosted.http.get(f"/luxe/v2/stored?cwd={hosted.project}")).json()["sessions"]
    models = (await hosted.http.get("/luxe/v2/models")).json()["models"]
    resumed = await hosted.http.post("/luxe/v2/sessions", json={"resume": session})
    refused = [
        (await hosted.http.get(f"/luxe/v2/stored{query}")).status_code
        for query in ("", "?cwd=relative", "?cwd=/a&cwd=/b", "?cwd=/a%00b", "?cwd=/" + "a" * 20_000)
    ]

    assert [(s["id"], s["first_message"]) for s in stored] == [(session, "remember me")]
    assert ("anthropic", "scripted-1") in {(m["provider"], m["model"]) for m in models}
    assert resumed.json()["content"]["session_id"] == session
    assert refused == [400] * 5


async def test_a_picture_of_the_transcript_is_served_as_a_picture(hosted: Hosted) -> None:
    session = await hosted.open()
    picture = {"data": base64.b64encode(PNG).decode(), "mime": "image/png", "name": "dot.png"}
    async with hosted.watch(session) as viewer:
        content = {"text": "look", "images": [picture]}
        assert (await hosted.act(session, "submit_user_message", content)).status_code == 200
        message = (await viewer.until("message_committed"))["message"]
    sha256 = next(part["sha256"] for part in message["parts"] if part["type"] == "image")

    found = await hosted.http.get(f"/luxe/v2/sessions/{session}/pictures/{sha256}")
    other = await hosted.http.get(f"/luxe/v2/sessions/{session}/pictures/{'0' * 64}")

    assert (found.status_code, found.content) == (200, PNG)
    assert found.headers["content-type"] == "image/png"
    assert other.status_code == 404


async def test_no_more_clients_watch_the_list_than_the_limit(hosted: Hosted) -> None:
    async with asyncio.TaskGroup() as group:
        streams = [hosted.watch("") for _ in range(65)]
        opened = [group.create_task(stream.__aenter__()) for stream in streams]
    watchers = [task.result() for task in opened]
    first = [await watcher.socket.recv() for watcher in watchers]
    for stream in streams:
        await stream.__aexit__(None, None, None)

    refused = [text for text in first if '"busy"' in str(text)]
    assert len(refused) == 1
