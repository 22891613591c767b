"""Wishes: soon, once, and not too often."""

from __future__ import annotations

import asyncio

from luvus_service.uhp.engine.wishes import Wish
from tests.support.virtual_time import in_virtual_time


@in_virtual_time
async def test_many_wishes_are_one_act_and_never_inside_the_wish() -> None:
    acts: list[float] = []
    loop = asyncio.get_running_loop()
    wish = Wish(lambda: acts.append(loop.time()))
    began = loop.time()

    for _ in range(50):
        wish.wish()
    at_once = list(acts)
    await asyncio.sleep(1)

    assert (at_once, acts) == ([], [began])


@in_virtual_time
async def test_a_wish_waits_until_the_gap_is_over() -> None:
    acts: list[float] = []
    loop = asyncio.get_running_loop()
    wish = Wish(lambda: acts.append(loop.time()))
    began = loop.time()

    wish.hold(5)
    wish.wish()
    await asyncio.sleep(10)

    assert acts == [began + 5]


@in_virtual_time
async def test_nothing_is_done_after_the_end() -> None:
    acts: list[int] = []
    wish = Wish(lambda: acts.append(1))
    wish.wish()

    wish.close()
    wish.wish()
    await asyncio.sleep(1)

    assert acts == []
