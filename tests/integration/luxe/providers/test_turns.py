"""Turns of the agent on a provider over real sockets: tools, retries, cuts, cancelling, secrets."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from luvus_service.adapters.providers.caller import FORMATS
from luvus_service.adapters.providers.endpoint import Endpoint
from luvus_service.adapters.providers.keys import KeySource
from luvus_service.adapters.providers.provider import HttpProvider
from luvus_service.adapters.providers.transport import HttpxClient
from luvus_service.adapters.providers.wire import FormatName
from luvus_service.luxe.domain.values import ModelRef, Pricing
from tests.support.key_watch import key_of
from tests.support.luxe_client import LuxeClient, luxe, world_of
from tests.support.luxe_tools import FakeTool
from tests.support.provider_requests import MODEL
from tests.support.provider_script import Call, Counts, Cut, Pause, Reply, Say, Think, says
from tests.support.provider_server import ProviderServer, provider_server
from tests.support.scripted_provider import ScriptedProvider

KEY = key_of("turns")
every_format = pytest.mark.parametrize("form", list(FORMATS))


@pytest.fixture
async def server() -> AsyncIterator[ProviderServer]:
    async with provider_server() as server:
        yield server


@asynccontextmanager
async def session(
    folder: Path, server: ProviderServer, form: FormatName
) -> AsyncIterator[LuxeClient]:
    model = replace(MODEL, pricing=Pricing(3.0, 15.0, 0.3, 3.75))
    base = server.url if form == "anthropic" else f"{server.url}/v1"
    endpoint = Endpoint("p", form, base, KeySource({"K": KEY}, ("K",)), models=(model,))
    provider = HttpProvider(endpoint, HttpxClient())
    world = replace(world_of(folder, ScriptedProvider(), [FakeTool("read")]), providers=[provider])
    ref = ModelRef("p", model.model)
    async with luxe(folder, ScriptedProvider(), world=world, model=ref, thinking="high") as client:
        yield client


@every_format
async def test_a_turn_with_reasoning_and_tools_hands_everything_back(
    tmp_path: Path, server: ProviderServer, form: FormatName
) -> None:
    thought = Reply(
        (
            Think("I look.", "proof"),
            Say("Looking."),
            Call("read", {"path": "a"}, "c1"),
            Call("read", {"path": "b"}, "c2"),
        ),
        counts=Counts(fresh=100, cached=900, output=50),
    )
    server.replies += [thought, says("Two files.")]

    async with session(tmp_path, server, form) as client:
        frames = await client.turn("submit_user_message", {"text": "What is here?"})

    [ended] = [f["content"] for f in frames if f["kind"] == "turn_ended"]
    second = json.dumps(server.asked[1].json)
    assert ended["reason"] == "end_turn"
    assert (ended["model_calls"], ended["tool_calls"]) == (2, 2)
    assert ("I look." if form == "openai-chat" else "proof") in second
    # With their quotes: a session's id may hold the same letters.
    assert second.count('"c1"') == second.count('"c2"') == 2
    [first, _] = [f["content"] for f in frames if f["kind"] == "turn_usage"]
    assert (first["prompt_tokens"], first["cached_prompt_tokens"]) == (1000, 900)
    assert first["cost_usd"] == pytest.approx((100 * 3.0 + 900 * 0.3 + 50 * 15.0) / 1e6)


async def test_a_busy_provider_is_tried_again_after_the_time_it_asks_for(
    tmp_path: Path, server: ProviderServer
) -> None:
    busy = Reply(
        status=429, error=("rate_limit_error", "Slow down"), headers={"retry-after-ms": "40"}
    )
    server.replies += [busy, replace(busy, status=529), says("Here.")]

    async with session(tmp_path, server, "anthropic") as client:
        frames = await client.turn("submit_user_message", {"text": "Hi"})

    retries = [f["content"] for f in frames if f["kind"] == "provider_retrying"]
    assert [(r["attempt"], r["delay_ms"], r["status"]) for r in retries] == [
        (2, 40, 429),
        (3, 40, 529),
    ]
    assert frames[-1]["content"]["reason"] == "end_turn"
    assert len(server.asked) == 3


@pytest.mark.parametrize(
    ("asked", "said"), [("3600", "1 hour"), ("61", "2 minutes"), ("200000", "56 hours")]
)
async def test_a_wait_that_nobody_would_bear_ends_the_turn_and_is_told(
    tmp_path: Path, server: ProviderServer, asked: str, said: str
) -> None:
    server.replies += [
        Reply(status=429, error=("rate_limit_error", "Slow down"), headers={"retry-after": asked})
    ]

    async with session(tmp_path, server, "anthropic") as client:
        frames = await client.turn("submit_user_message", {"text": "Hi"})

    error = frames[-1]["content"]["error"]
    assert error["code"] == "rate_limited"
    assert error["message"] == f"p (429): Slow down; it asks to wait {said}"
    assert len(server.asked) == 1


@every_format
async def test_a_call_that_the_output_limit_cut_is_not_made(
    tmp_path: Path, server: ProviderServer, form: FormatName
) -> None:
    server.replies += [
        Reply(
            (Say("I write."), Call("read", '{"path": "a", "content": "all wo')), stop="max_tokens"
        ),
        says("Smaller."),
    ]

    async with session(tmp_path, server, form) as client:
        frames = await client.turn("submit_user_message", {"text": "Hi"})

    assert "tool_started" not in [f["kind"] for f in frames]
    assert frames[-1]["content"]["reason"] == "end_turn"
    second = json.dumps(server.asked[1].json)
    assert "smaller pieces" in second and "all wo" not in second


@pytest.mark.parametrize(
    ("status", "error", "code"),
    [
        (401, ("authentication_error", f"no {KEY}"), "auth"),
        (429, ("insufficient_quota", "You exceeded your current quota"), "quota_exhausted"),
        (400, ("invalid_request_error", "bad field"), "invalid_request"),
    ],
)
async def test_a_failure_that_stays_is_not_tried_again(
    tmp_path: Path, server: ProviderServer, status: int, error: tuple[str, str], code: str
) -> None:
    server.replies += [Reply(status=status, error=error)]

    async with session(tmp_path, server, "openai-responses") as client:
        frames = await client.turn("submit_user_message", {"text": "Hi"})

    assert frames[-1]["content"]["error"]["code"] == code
    assert len(server.asked) == 1


async def test_after_output_a_broken_answer_ends_the_turn_untried(
    tmp_path: Path, server: ProviderServer
) -> None:
    server.replies += [Reply((Say("Half an ans"), Cut(reset=True)))]

    async with session(tmp_path, server, "openai-chat") as client:
        frames = await client.turn("submit_user_message", {"text": "Hi"})

    ended = frames[-1]["content"]
    assert (ended["reason"], ended["error"]["code"]) == ("error", "stream_interrupted")
    assert len(server.asked) == 1


@every_format
async def test_a_cancelled_turn_ends_soon_and_leaves_no_connection(
    tmp_path: Path, server: ProviderServer, form: FormatName
) -> None:
    server.replies += [Reply((Say("Some words to begin with"), Pause(math.inf)))]

    async with session(tmp_path, server, form) as client:
        client.send("submit_user_message", {"text": "Hi"})
        await client.until("token_delta")
        client.send("cancel")
        async with asyncio.timeout(1):
            ended = await client.until("turn_ended")
            await server.dropped.wait()

    assert ended["reason"] == "cancelled"


async def test_no_frame_and_no_file_holds_the_key(tmp_path: Path, server: ProviderServer) -> None:
    server.replies += [
        Reply(status=400, error=("invalid_request_error", f"your key {KEY} is odd")),
        says("Fine."),
    ]

    async with session(tmp_path, server, "anthropic") as client:
        await client.turn("submit_user_message", {"text": "Hi"})
        await client.turn("retry")
        frames = json.dumps(client.seen)

    files = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert files
    assert "is odd" in frames
    assert KEY not in frames
    assert not any(KEY.encode() in content for content in files)
    assert server.asked[1].headers["x-api-key"] == KEY
