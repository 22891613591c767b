"""Calls over real sockets: cut, slow, hanging and cancelled answers, connections and retries."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import replace

import pytest

from luvus_service.adapters.providers.caller import FORMATS, Caller
from luvus_service.adapters.providers.endpoint import Endpoint
from luvus_service.adapters.providers.keys import KeySource
from luvus_service.adapters.providers.transport import HttpxClient
from luvus_service.adapters.providers.wire import FormatName
from luvus_service.luxe.domain.ports import (
    AnswerEnded,
    BlockDelta,
    Delta,
    ModelRequest,
    ProviderFailure,
)
from tests.support.provider_requests import asked, blocks, conversation, user
from tests.support.provider_script import (
    Call,
    Cut,
    Fail,
    Junk,
    Pause,
    Reply,
    Say,
    Think,
    calls,
    says,
)
from tests.support.provider_server import Asked, ProviderServer, provider_server

every_format = pytest.mark.parametrize("form", list(FORMATS))
SOON_S = 0.3
"""How long the providers of these tests may be silent."""


@pytest.fixture
async def server() -> AsyncIterator[ProviderServer]:
    async with provider_server() as server:
        yield server


@pytest.fixture
async def http() -> AsyncIterator[HttpxClient]:
    client = HttpxClient()
    yield client
    await client.close()


def to(
    server: ProviderServer, http: HttpxClient, form: FormatName, silence_s: float = 5.0
) -> Caller:
    base = server.url if form == "anthropic" else f"{server.url}/v1"
    keys = KeySource({"K": "sk-local-key-0123456789"}, ("K",))
    return Caller(Endpoint("p", form, base, keys, silence_s=silence_s, stall_s=silence_s), http)


async def collected(caller: Caller, request: ModelRequest | None = None) -> list[Delta]:
    return [delta async for delta in caller.answer(request or asked())]


async def broken(caller: Caller) -> tuple[list[Delta], ProviderFailure]:
    """Return what came and the failure it ended with."""
    deltas: list[Delta] = []
    with pytest.raises(ProviderFailure) as failure:
        async for delta in caller.answer(asked()):
            deltas += [delta]
    return deltas, failure.value


@every_format
async def test_every_kind_of_block_crosses_the_wire_byte_by_byte(
    server: ProviderServer, http: HttpxClient, form: FormatName
) -> None:
    steps = (Think("Hm 😀"), Say("Grüße"), Call("ls", {"path": "ä"}, "c1"), Call("ls", {}, "c2"))
    server.replies.append(Reply(steps, piece=2, write=1))

    deltas = await collected(to(server, http, form))

    assert [block[:3] for block in blocks(deltas)] == [
        ("thinking", "Hm 😀", None),
        ("text", "Grüße", None),
        ("tool_call", '{"path": "\\u00e4"}', "ls"),
        ("tool_call", "{}", "ls"),
    ]
    assert deltas[-1] == AnswerEnded("tool_calls")


@every_format
async def test_a_whole_conversation_is_taken_and_its_connection_used_again(
    server: ProviderServer, http: HttpxClient, form: FormatName
) -> None:
    caller = to(server, http, form)

    for _ in range(3):
        await collected(caller, asked(*conversation("sig"), user("And now?")))

    assert (len(server.asked), server.connections) == (3, 1)


@every_format
async def test_a_cut_answer_is_interrupted_and_keeps_what_came(
    server: ProviderServer, http: HttpxClient, form: FormatName
) -> None:
    server.replies += [Reply((Say("Hello"), Cut())), Reply((Say("Hello"), Cut(reset=True)))]
    caller = to(server, http, form)

    for _ in range(2):
        deltas, failure = await broken(caller)
        assert any(isinstance(delta, BlockDelta) for delta in deltas)
        assert not any(isinstance(delta, AnswerEnded) for delta in deltas)
        assert (failure.info.code, failure.info.retryable) == ("stream_interrupted", True)


@every_format
async def test_a_provider_that_hangs_is_reported(
    server: ProviderServer, http: HttpxClient, form: FormatName
) -> None:
    server.replies += [Reply((Say("Hel"), Pause(math.inf)))]

    _, failure = await broken(to(server, http, form, SOON_S))

    assert (failure.info.code, failure.info.retryable) == ("timeout", True)
    await asyncio.wait_for(server.dropped.wait(), 5)


async def test_signs_of_life_without_an_answer_are_not_waited_for_forever(
    server: ProviderServer, http: HttpxClient
) -> None:
    pings = tuple(s for _ in range(200) for s in (Junk(b": ping\n\n"), Pause(SOON_S / 10)))
    server.replies.append(Reply(pings))

    _, failure = await broken(to(server, http, "anthropic", SOON_S))

    assert failure.info.code == "timeout"
    assert "signs of life" in str(failure)


@every_format
async def test_garbage_in_an_answer_is_an_interruption(
    server: ProviderServer, http: HttpxClient, form: FormatName
) -> None:
    server.replies += [Reply((Say("a"), Junk(b"data: \xff\xfe{{{\n\n"), Say("b")))]

    _, failure = await broken(to(server, http, form))

    assert failure.info.code == "stream_interrupted"


@every_format
async def test_an_error_within_the_answer_keeps_its_meaning(
    server: ProviderServer, http: HttpxClient, form: FormatName
) -> None:
    server.replies += [Reply((Say("a"), Fail("overloaded_error", "Overloaded")))]

    _, failure = await broken(to(server, http, form))

    assert (failure.info.code, failure.info.retryable) == ("overloaded", True)


@every_format
async def test_a_status_keeps_its_meaning_and_its_wait(
    server: ProviderServer, http: HttpxClient, form: FormatName
) -> None:
    error = ("rate_limit_error", "Slow down")
    server.replies += [Reply(status=429, error=error, headers={"retry-after": "3"})]

    _, failure = await broken(to(server, http, form))

    assert failure.info.code == "rate_limited"
    assert failure.retry_after_s == 3.0


@every_format
async def test_leaving_an_answer_drops_the_connection_at_once(
    server: ProviderServer, http: HttpxClient, form: FormatName
) -> None:
    server.replies += [Reply((Say("x" * 100), Pause(math.inf)))]

    async with aclosing(to(server, http, form).answer(asked())) as answer:
        async for delta in answer:
            if isinstance(delta, BlockDelta):
                break

    await asyncio.wait_for(server.dropped.wait(), 1)


@every_format
@pytest.mark.parametrize("reply", [Reply((Pause(math.inf),)), Reply((Say("x"), Pause(math.inf)))])
async def test_cancelling_the_reader_drops_the_connection_at_once(
    server: ProviderServer, http: HttpxClient, form: FormatName, reply: Reply
) -> None:
    server.replies.append(reply)
    async with asyncio.TaskGroup() as group:
        reading = group.create_task(collected(to(server, http, form)))
        await asyncio.wait_for(server.began.wait(), 5)

        reading.cancel()

        await asyncio.wait_for(server.dropped.wait(), 1)
    assert reading.cancelled()


async def test_cancelling_before_the_first_byte_drops_the_connection(
    server: ProviderServer, http: HttpxClient
) -> None:
    came = asyncio.Event()
    server.on_asked = lambda _: came.set()
    server.replies.append(Reply((Say("x"),), before=math.inf))
    async with asyncio.TaskGroup() as group:
        reading = group.create_task(collected(to(server, http, "anthropic")))
        await asyncio.wait_for(came.wait(), 5)

        reading.cancel()

        await asyncio.wait_for(server.dropped.wait(), 1)


async def test_silence_before_the_first_byte_is_reported(
    server: ProviderServer, http: HttpxClient
) -> None:
    server.replies.append(Reply((Say("x"),), before=math.inf))

    deltas, failure = await broken(to(server, http, "anthropic", SOON_S))

    assert deltas == []
    assert failure.info.code == "timeout"


async def test_a_refused_connection_is_named_with_its_address(http: HttpxClient) -> None:
    endpoint = Endpoint("p", "anthropic", "http://127.0.0.1:1", KeySource({}, required=False))

    _, failure = await broken(Caller(endpoint, http))

    assert failure.info.code == "provider_unavailable"
    assert str(failure) == "p: the connection was refused (127.0.0.1:1)"


async def test_an_answer_goes_on_when_its_provider_is_closed_meanwhile(
    server: ProviderServer, http: HttpxClient
) -> None:
    server.replies.append(says("Hello, world, hello", piece=1, delay=0.005))
    caller = to(server, http, "anthropic")
    text = ""

    async with aclosing(caller.answer(asked())) as answer:
        async for delta in answer:
            if isinstance(delta, BlockDelta):
                text += delta.text
                await http.close()

    assert text == "Hello, world, hello"
    assert blocks(await collected(caller)) == [("text", "Done.", None, None)]


async def test_ten_thousand_deltas_arrive_in_order(
    server: ProviderServer, http: HttpxClient
) -> None:
    text = "".join(f"{n:05d}" for n in range(10_000))
    server.replies.append(says(text, piece=5))

    [block] = blocks(await collected(to(server, http, "openai-responses")))

    assert block[1] == text


async def test_models_are_listed_over_the_wire(server: ProviderServer, http: HttpxClient) -> None:
    for form in FORMATS:
        found = await to(server, http, form).listed({})
        assert [model.model for model in found] == ["scripted-1", "scripted-2"]


async def test_a_redirect_is_not_followed_and_takes_no_key_along(
    server: ProviderServer, http: HttpxClient
) -> None:
    async with provider_server() as elsewhere:
        server.replies.append(
            Reply(status=307, headers={"location": f"{elsewhere.url}/v1/messages"})
        )

        _, failure = await broken(to(server, http, "anthropic"))

        assert failure.info.code == "invalid_request"
        assert elsewhere.asked == []


async def test_parallel_answers_of_one_client_stay_apart(
    server: ProviderServer, http: HttpxClient
) -> None:
    def choose(asked: Asked) -> Reply:
        return calls(Call("ls", {"of": asked.json["model"]}), piece=1)

    server.choose = choose
    caller = to(server, http, "anthropic")
    models = [replace(asked().model, model=f"claude-opus-4-8-{n}") for n in range(8)]

    found = await asyncio.gather(*(collected(caller, asked(model=model)) for model in models))

    told = [blocks(deltas)[0][1] for deltas in found]
    assert told == [f'{{"of": "{model.model}"}}' for model in models]
