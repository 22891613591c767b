from __future__ import annotations

import asyncio

import pytest

from tests.support.virtual_time import in_virtual_time


@in_virtual_time
async def test_a_sleep_takes_exactly_as_long_as_it_says_and_no_time_at_all() -> None:
    loop = asyncio.get_running_loop()
    began = loop.time()

    await asyncio.gather(asyncio.sleep(3600), asyncio.sleep(7200))

    assert loop.time() == began + 7200


def test_a_test_that_would_wait_forever_fails_instead() -> None:
    @in_virtual_time
    async def stuck() -> None:
        await asyncio.get_running_loop().create_future()

    with pytest.raises(RuntimeError, match="waits for nothing that could still come"):
        stuck()
