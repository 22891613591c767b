from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from luvus_service.rpc.call import StreamClosed
from luvus_service.rpc.models import Result
from luvus_service.rpc.scopes import OWNER, Scope
from luvus_service.rpc.streaming import Say, exchange, forward, until_first


class Line:
    """The other side of a stream: what it gets, and what it says."""

    def __init__(self) -> None:
        self.scopes: frozenset[Scope] = OWNER
        self.sent: list[bytes] = []
        self.said: asyncio.Queue[bytes] = asyncio.Queue()
        self.is_allowed = True
        self.broken = False
        self.arrived = asyncio.Event()

    async def acknowledge(self, result: Result) -> None:
        raise AssertionError("already acknowledged")

    async def send(self, frame: bytes) -> None:
        if self.broken:
            raise StreamClosed
        await asyncio.sleep(0)
        self.sent.append(frame)
        self.arrived.set()

    async def incoming(self) -> AsyncIterator[bytes]:
        while line := await self.said.get():
            yield line

    def allowed(self) -> bool:
        return self.is_allowed


class Source:
    """Frames that a test hands over one by one; an empty one is the end."""

    def __init__(self, *frames: bytes) -> None:
        self.queue: asyncio.Queue[bytes] = asyncio.Queue()
        self.ended = False
        for frame in frames:
            self.queue.put_nowait(frame)

    async def frames(self) -> AsyncIterator[bytes]:
        try:
            while frame := await self.queue.get():
                yield frame
        except asyncio.CancelledError:
            self.ended = True
            raise


async def test_every_frame_is_sent_until_the_source_ends() -> None:
    line, source = Line(), Source(b"1", b"2", b"")

    await forward(line, source.frames())

    assert line.sent == [b"1", b"2"]


async def test_what_the_client_says_is_discarded_until_it_hangs_up() -> None:
    line, source = Line(), Source()
    for said in (b"x", b"y", b""):
        line.said.put_nowait(said)

    await forward(line, source.frames())

    assert (line.sent, source.ended) == ([], True)


async def test_a_revoked_token_gets_no_further_frame() -> None:
    line, source = Line(), Source(b"1")
    async with asyncio.TaskGroup() as group:
        group.create_task(forward(line, source.frames()))
        await line.arrived.wait()
        line.is_allowed = False
        source.queue.put_nowait(b"2")

    assert line.sent == [b"1"]


async def test_a_revoked_token_can_do_nothing_more() -> None:
    line, done = Line(), list[bytes]()

    async def act(said: bytes, _say: Say) -> None:
        done.append(said)
        line.is_allowed = False

    line.said.put_nowait(b"1")
    line.said.put_nowait(b"2")
    await exchange(line, Source().frames(), act)

    assert done == [b"1"]


async def test_an_action_can_send_in_between() -> None:
    line, source = Line(), Source()

    async def act(said: bytes, say: Say) -> None:
        await say(b"re " + said)

    line.said.put_nowait(b"1")
    async with asyncio.TaskGroup() as group:
        group.create_task(exchange(line, source.frames(), act))
        await line.arrived.wait()
        source.queue.put_nowait(b"2")
        source.queue.put_nowait(b"")

    assert line.sent == [b"re 1", b"2"]


async def test_frames_of_both_sides_are_sent_one_after_the_other() -> None:
    line, source = Line(), Source(b"1")
    sending, overlaps = 0, 0
    send = line.send

    async def watched(frame: bytes) -> None:
        nonlocal sending, overlaps
        sending += 1
        overlaps += sending > 1
        await send(frame)
        sending -= 1

    async def act(said: bytes, say: Say) -> None:
        await say(said)

    line.send = watched  # type: ignore[method-assign] # a line that watches itself
    for said in (b"a", b"b", b""):
        line.said.put_nowait(said)
    await exchange(line, source.frames(), act)

    assert overlaps == 0
    assert sorted(line.sent) == [b"1", b"a", b"b"]


async def test_a_client_that_is_gone_ends_both_directions() -> None:
    line, source = Line(), Source(b"1")
    line.broken = True

    with pytest.raises(StreamClosed):
        await forward(line, source.frames())

    assert line.sent == []


async def test_an_action_that_fails_ends_both_directions() -> None:
    line, source = Line(), Source()

    async def act(_said: bytes, _say: Say) -> None:
        raise ZeroDivisionError

    line.said.put_nowait(b"1")
    with pytest.raises(ZeroDivisionError):
        await exchange(line, source.frames(), act)

    assert source.ended


async def test_the_first_direction_that_ends_ends_the_others() -> None:
    ended: list[str] = []

    async def endless(name: str) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            ended.append(name)

    async def short() -> None:
        await asyncio.sleep(0)

    await until_first(endless("a"), short(), endless("b"))

    assert sorted(ended) == ["a", "b"]


async def test_cancelling_the_whole_ends_every_direction() -> None:
    begun, ended = asyncio.Event(), asyncio.Event()

    async def endless() -> None:
        try:
            begun.set()
            await asyncio.Event().wait()
        finally:
            ended.set()

    async with asyncio.TaskGroup() as group:
        whole = group.create_task(until_first(endless(), asyncio.Event().wait()))  # type: ignore[arg-type]
        await begun.wait()
        whole.cancel()

    assert ended.is_set()
    assert whole.cancelled()
