"""Agent sessions in the server: opened, watched and driven over its own HTTP socket."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.support.hosted import KEY, Hosted, hosted_server
from tests.support.provider_script import Pause, Reply, Say, says


@pytest.fixture
async def hosted() -> AsyncIterator[Hosted]:
    async with hosted_server() as running:
        yield running


async def test_a_session_is_driven_over_its_web_socket(hosted: Hosted) -> None:
    hosted.provider.replies.append(says("Hello."))
    session = await hosted.open()

    async with hosted.watch(session) as client:
        await client.until("session_usage")
        first = client.kinds()[:5]
        await client.send("submit_user_message", {"text": "hi"})
        end = await client.until("turn_ended")
        await client.send("close")
        with pytest.raises(Exception, match="1000"):
            while True:
                await client.socket.recv()

    assert first == ["ready", "state_changed", "session_loaded", "context_usage", "session_usage"]
    assert end["reason"] == "end_turn"
    assert (await hosted.http.get("/luxe/v2/sessions")).json() == {"sessions": []}


async def test_a_viewer_that_comes_in_the_middle_sees_the_whole_answer(hosted: Hosted) -> None:
    hosted.provider.replies.append(Reply((Say("One two three. "), Pause(0.5), Say("Four."))))
    session = await hosted.open()
    async with hosted.watch(session) as first:
        assert (await hosted.act(session, "submit_user_message", {"text": "go"})).json() == {}
        await first.until("token_delta")

        async with hosted.watch(session) as second:
            await second.until("turn_ended")
        await first.until("turn_ended")

    whole = [
        "".join(f["content"]["delta"] for f in w.seen if f["kind"] == "token_delta")
        for w in (first, second)
    ]
    assert whole == ["One two three. Four."] * 2
    assert second.kinds()[0] == "ready"
    assert second.kinds().index("turn_started") < second.kinds().index("token_delta")


async def test_refusals_of_an_action_are_statuses(hosted: Hosted) -> None:
    session = await hosted.open()

    answers = [
        await hosted.act(session, "cancel"),
        await hosted.act(session, "nosuch"),
        await hosted.act(session, "steer_turn", {}),
        await hosted.act("0" * 36, "cancel"),
        await hosted.http.get("/luxe/v2/elsewhere"),
        await hosted.http.post("/luxe/v2/sessions", json={"cwd": "relative"}),
        await hosted.http.post("/luxe/v2/sessions", json={"cwd": "/nosuch/folder"}),
        await hosted.http.post("/luxe/v2/sessions", content=b"{"),
        await hosted.http.get("/luxe/v2/sessions", headers={"authorization": "Bearer wrong"}),
    ]

    assert [(a.status_code, a.json()["code"]) for a in answers] == [
        (409, "idle"),
        (404, "unknown_action"),
        (400, "missing_field"),
        (404, "not_found"),
        (404, "not_found"),
        (400, "invalid_field"),
        (404, "not_found"),
        (400, "malformed"),
        (403, "forbidden"),
    ]


WRONG: list[tuple[str, Any]] = [
    ("nosuch", None),
    ("cancel", None),
    ("steer_turn", {}),
    ("steer_turn", None),
    ("steer_turn", {"text": ""}),
    ("submit_user_message", {"text": "x", "images": [{"data": "!", "mime": "image/png"}]}),
    ("submit_user_message", {"text": 7}),
    ("edit_resend", {"text": "x"}),
    ("retry", None),
    ("regenerate", None),
    ("respond_permission", {"id": "perm:none", "reply": "once"}),
    ("respond_permission", {"id": "perm:none", "reply": "maybe"}),
    ("answer_question", {"id": "ask:none", "reply": "cancelled"}),
    ("answer_question", {"id": "ask:none", "reply": {"answered": []}}),
    ("set_permission_auto_approve", "yes"),
    ("select_model", {"provider": "nobody", "model": "x"}),
    ("set_thinking_level", "deep"),
    ("set_mode", 1),
    ("request_review", {"focus": ""}),
    ("load_session", "00000000-nothing"),
    ("load_session", 1),
    ("refresh_sessions", {"limit": 0}),
    ("compact_now", {"focus": 7}),
    ("load_file_diff", {"path": "x"}),
    ("list_directory", {"request_id": "", "path": "x"}),
    ("read_project_file", {"request_id": "r"}),
]


async def test_a_refusal_says_the_same_over_http_as_in_a_frame(hosted: Hosted) -> None:
    session = await hosted.open()
    framed: list[Any] = []
    posted: list[Any] = []

    async with hosted.watch(session) as client:
        for kind, content in WRONG:
            await client.send(kind, content)
            refused = await client.until("action_rejected")
            framed.append({"code": refused["code"], "message": refused["reason"]})
            posted.append((await hosted.act(session, kind, content)).json())

    assert posted == framed


async def test_a_body_that_no_frame_could_carry_is_malformed(hosted: Hosted) -> None:
    session = await hosted.open()
    bodies = [b'{"text": NaN}', b"[" * 100 + b"]" * 100, b'{"text": "\xff"}', b"9" * 40]

    answers = [
        await hosted.http.post(f"/luxe/v2/sessions/{session}/steer_turn", content=body)
        for body in bodies
    ]

    assert {(a.status_code, a.json()["code"]) for a in answers} == {(400, "malformed")}


async def test_a_token_without_every_scope_opens_no_agent(hosted: Hosted) -> None:
    made = await asyncio.to_thread(
        hosted.live.call, "uhp.token.create", {"scopes": ["workspace", "agent"], "ttl_s": 60}
    )
    secret = next(v for v in made.values() if isinstance(v, str) and v.startswith("luv_tok_"))

    answer = await hosted.http.get(
        "/luxe/v2/sessions", headers={"authorization": f"Bearer {secret}"}
    )

    assert (answer.status_code, answer.json()["code"]) == (403, "forbidden")


async def test_a_session_outlives_its_viewers_and_ends_with_the_server(hosted: Hosted) -> None:
    hosted.provider.replies.append(Reply((Say("Begun. "), Pause(60.0))))
    session = await hosted.open()
    async with hosted.watch(session) as client:
        await client.send("submit_user_message", {"text": "go"})
        await client.until("token_delta")

    listed = (await hosted.http.get("/luxe/v2/sessions")).json()["sessions"]
    assert [(s["session_id"], s["streaming"]) for s in listed] == [(session, True)]
    await asyncio.to_thread(hosted.live.stop)

    stored = next((hosted.live.home / "luxe/sessions").glob(f"*/{session}.jsonl")).read_text()
    assert json.loads(stored.splitlines()[-1])["reason"] == "cancelled"
    logs = "".join(path.read_text(errors="replace") for path in hosted.live.home.rglob("*.log"))
    assert KEY not in stored + logs


async def test_a_session_is_found_by_the_id_of_what_is_open_in_it(hosted: Hosted) -> None:
    hosted.provider.replies.extend([says("One."), says("Two.")])
    old = await hosted.open()
    async with hosted.watch(old) as client:
        await client.send("submit_user_message", {"text": "first"})
        await client.until("turn_ended")
    assert (await hosted.http.delete(f"/luxe/v2/sessions/{old}")).status_code == 200
    first = await hosted.open()

    assert (await hosted.act(first, "load_session", old)).json() == {}
    listed = (await hosted.http.get("/luxe/v2/sessions")).json()["sessions"]
    async with hosted.watch(old) as client:
        ready = await client.until("ready")
        loaded = await client.until("session_loaded")
    await hosted.act(first, "new_session")
    resumed = await hosted.open(resume=old)
    both = (await hosted.http.get("/luxe/v2/sessions")).json()["sessions"]
    await hosted.http.delete(f"/luxe/v2/sessions/{old}")
    left = (await hosted.http.get("/luxe/v2/sessions")).json()["sessions"]

    assert [item["session_id"] for item in listed] == [old]
    assert (ready["session_id"], loaded["session"]["id"], resumed) == (old, old, old)
    ids = [item["session_id"] for item in both]
    assert ids[1] == old and ids[0] not in {old, first}
    assert [item["session_id"] for item in left] == [ids[0]]
    assert (await hosted.act(first, "refresh_workspace")).status_code == 200


async def test_no_more_sessions_are_opened_than_the_limit(hosted: Hosted) -> None:
    opened = [await hosted.open() for _ in range(32)]

    refused = await hosted.http.post("/luxe/v2/sessions", json={"cwd": str(hosted.project)})
    gone = await hosted.http.delete(f"/luxe/v2/sessions/{opened[0]}")
    again = await hosted.open()

    assert (refused.status_code, refused.json()["code"]) == (409, "busy")
    assert gone.status_code == 200
    assert again not in opened
