"""The Python clients of agent sessions against a real server: the same calls, blocking and not."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from luvus_client import AsyncLuxe, LuvusError, Luxe, NotRunning
from tests.support.hosted import Hosted, hosted_server
from tests.support.provider_script import Call, calls, says


@pytest.fixture
async def hosted() -> AsyncIterator[Hosted]:
    async with hosted_server() as running:
        yield running


def drive(luxe: Luxe, project: Path) -> list[Any]:
    """Do with a session what a program does; return what is worth comparing."""
    session = luxe.open({"cwd": str(project), "mode": "build"})
    seen: list[str] = []
    with session.events() as events:
        session.submit_user_message({"text": "make it"})
        for event in events:
            seen.append(event["kind"])
            if event["kind"] == "permission_requested":
                session.respond_permission({"id": event["content"]["id"], "reply": "once"})
            if event["kind"] == "turn_ended":
                break
    shown = session.show()["session"]
    with pytest.raises(LuvusError) as refused:
        session.cancel()
    listed = [row["session_id"] for row in luxe.sessions()]
    session.close()
    kept = [found["id"] for found in luxe.stored(str(project))]
    gone = list(session_kinds(luxe, session.id))
    return [seen[0], shown["state"], refused.value.code, listed == kept, luxe.sessions(), gone]


def session_kinds(luxe: Luxe, session_id: str) -> list[str]:
    try:
        return [event["kind"] for event in luxe.session(session_id).events()]
    except LuvusError as error:
        return [error.code]


async def test_a_program_drives_a_session_blocking_and_on_a_loop(hosted: Hosted) -> None:
    hosted.provider.replies += [calls(Call("bash", {"command": "touch made"}, "c1")), says("Done.")]
    with Luxe(address=hosted.live.http) as luxe:
        blocking = await asyncio.to_thread(drive, luxe, hosted.project)

    assert blocking == ["ready", "done", "idle", True, [], ["not_found"]]
    assert (hosted.project / "made").exists()

    hosted.provider.replies.append(says("Hello."))
    async with AsyncLuxe(address=hosted.live.http) as far:
        session = await far.open({"cwd": str(hosted.project)})
        async with session.events() as events, far.follow() as lists:
            first = await anext(lists)
            await session.submit_user_message({"text": "hi"})
            text = ""
            async for event in events:
                if event["kind"] == "token_delta":
                    text += event["content"]["delta"]
                if event["kind"] == "turn_ended":
                    break
        models = await far.models()
        await session.end()
        over = [event["kind"] async for event in aiter_of(far, session.id)]

    assert [row["session_id"] for row in first] == [session.id]
    assert text == "Hello."
    assert ("anthropic", "scripted-1") in {(m["provider"], m["model"]) for m in models}
    assert over == []


async def aiter_of(far: AsyncLuxe, session_id: str) -> AsyncIterator[Any]:
    try:
        async for event in far.session(session_id).events():
            yield event
    except LuvusError as error:
        assert error.code == "not_found"


async def test_a_stream_goes_on_with_the_next_server_and_ends_with_its_session(
    hosted: Hosted,
) -> None:
    async with AsyncLuxe(address=hosted.live.http) as far:
        session = await far.open({"cwd": str(hosted.project)})
        seen: list[str] = []

        async def follow() -> None:
            async for event in session.events():
                seen.append(event["kind"])
                if event["kind"] == "ready":
                    ready.set()

        ready = asyncio.Event()
        async with asyncio.timeout(30):
            following = asyncio.create_task(follow())
            await ready.wait()
            ready.clear()
            await hosted.replace("restarted")
            await ready.wait()
            await session.close()
            await following

    assert seen.count("ready") == 2


async def test_a_server_that_is_not_there_is_said_at_once(tmp_path: Path) -> None:
    with pytest.raises(NotRunning):
        Luxe(address=tmp_path / "http.sock").sessions()
    async with AsyncLuxe(address=tmp_path / "http.sock") as far:
        with pytest.raises(NotRunning):
            await anext(far.follow())


async def test_a_token_that_may_only_look_is_refused_to_act(hosted: Hosted) -> None:
    made = await asyncio.to_thread(
        hosted.live.call, "uhp.token.create", {"scopes": ["read"], "ttl_s": 60}
    )
    async with AsyncLuxe(address=hosted.live.http, token=made["token"]) as reader:
        listed = await reader.sessions()
        with pytest.raises(LuvusError) as refused:
            await reader.open({"cwd": str(hosted.project)})

    assert listed == []
    assert refused.value.code == "forbidden"
