"""Runs the two directions of a stream together and ends both when one ends."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from luvus_service.rpc.call import Stream


async def forward(stream: Stream, frames: AsyncIterator[bytes]) -> None:
    """Send every frame until the source ends, the client hangs up or its token dies.

    What the client sends meanwhile is read and discarded.
    """

    async def send() -> None:
        async for frame in frames:
            if not stream.allowed():
                return
            await stream.send(frame)

    async def discard() -> None:
        async for _ in stream.incoming():
            pass

    loop = asyncio.get_running_loop()
    tasks = {loop.create_task(send()), loop.create_task(discard())}
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
