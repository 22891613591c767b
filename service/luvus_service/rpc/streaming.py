"""Runs the two directions of a stream together and ends both when one ends."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from typing import Any, TypeAlias

from luvus_service.rpc.call import Stream

Say: TypeAlias = Callable[[bytes], Awaitable[None]]


async def forward(stream: Stream, frames: AsyncIterator[bytes]) -> None:
    """Send every frame until the source ends, the client hangs up or its token dies.

    What the client sends meanwhile is read and discarded.
    """

    async def discard(_line: bytes, _say: Say) -> None:
        pass

    await exchange(stream, frames, discard)


async def exchange(
    stream: Stream, frames: AsyncIterator[bytes], act: Callable[[bytes, Say], Awaitable[None]]
) -> None:
    """Send every frame as `forward` does, and call `act` with what the client sends.

    `act` may send frames in between with the function it is given.
    """
    sending = asyncio.Lock()

    async def say(frame: bytes) -> None:
        async with sending:
            await stream.send(frame)

    async def send() -> None:
        async for frame in frames:
            if not stream.allowed():
                return
            await say(frame)

    async def listen() -> None:
        async for line in stream.incoming():
            if not stream.allowed():
                return
            await act(line, say)

    await until_first(send(), listen())


async def until_first(*directions: Coroutine[Any, Any, None]) -> None:
    """Run these together until one of them ends, then end the others."""
    loop = asyncio.get_running_loop()
    tasks = {loop.create_task(direction) for direction in directions}
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
