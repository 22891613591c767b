"""Soon, once for many requests, and not too often."""

from __future__ import annotations

import asyncio

from luvus_service.uhp.engine.throttle import Throttle
from tests.support.virtual_time import in_virtual_time


@in_virtual_time
async def test_many_requests_are_one_act_and_never_inside_the_request() -> None:
    acts: list[float] = []
    loop = asyncio.get_running_loop()
    throttle = Throttle(lambda: acts.append(loop.time()))
    began = loop.time()

    for _ in range(50):
        throttle.ask()
    at_once = list(acts)
    await asyncio.sleep(1)

    assert (at_once, acts) == ([], [began])


@in_virtual_time
async def test_a_request_waits_until_the_gap_is_over() -> None:
    acts: list[float] = []
    loop = asyncio.get_running_loop()
    throttle = Throttle(lambda: acts.append(loop.time()))
    began = loop.time()

    throttle.hold(5)
    throttle.ask()
    await asyncio.sleep(10)

    assert acts == [began + 5]


@in_virtual_time
async def test_nothing_is_done_after_the_end() -> None:
    acts: list[int] = []
    throttle = Throttle(lambda: acts.append(1))
    throttle.ask()

    throttle.close()
    throttle.ask()
    await asyncio.sleep(1)

    assert acts == []
