"""When output is published, on a loop whose time the test owns."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from luvus_service.uhp.engine.output import ANSWERS, LONGEST_S, SHORTEST_S, OutputPacer


class Pace:
    """A pacer and the moments at which it published."""

    def __init__(self) -> None:
        self.loop = asyncio.get_running_loop()
        self.moments: list[float] = []
        self.pacer = OutputPacer(lambda: self.moments.append(self.loop.time()))

    async def pour(self, seconds: float, every: float = 0.001) -> None:
        """Touch again and again."""
        end = self.loop.time() + seconds
        while self.loop.time() < end:
            self.pacer.touched()
            await asyncio.sleep(every)

    def gaps(self) -> list[float]:
        """Return the times between publications."""
        return [b - a for a, b in zip(self.moments, self.moments[1:], strict=False)]


@pytest.fixture
async def pace() -> AsyncIterator[Pace]:
    """A pacer that has published nothing."""
    made = Pace()
    yield made
    made.pacer.close()


async def test_output_after_silence_is_published_at_once(pace: Pace) -> None:
    pace.pacer.touched()

    assert len(pace.moments) == 1
    assert not pace.pacer.dirty


async def test_a_flood_is_published_less_and_less_often(pace: Pace) -> None:
    await pace.pour(0.8)

    assert min(pace.gaps()) < LONGEST_S / 2
    assert max(pace.gaps()) >= LONGEST_S * 0.9


async def test_the_first_outputs_after_an_input_are_published_at_once(pace: Pace) -> None:
    await pace.pour(0.5)
    before = len(pace.moments)
    pace.pacer.prompt()

    for _ in range(ANSWERS + 1):
        pace.pacer.touched()

    assert len(pace.moments) == before + ANSWERS
    assert pace.pacer.dirty


async def test_a_program_that_speaks_in_short_bursts_is_not_published_ever_later(
    pace: Pace,
) -> None:
    for _ in range(15):
        pace.pacer.touched()
        pace.pacer.touched()
        await asyncio.sleep(SHORTEST_S * 10)

    # Each touch, but for those that a busy machine made to come late.
    assert 25 <= len(pace.moments) <= 30


async def test_what_is_dirty_is_published_by_a_flush_and_only_once(pace: Pace) -> None:
    pace.pacer.touched()
    pace.pacer.touched()
    pace.pacer.flush()
    pace.pacer.flush()

    assert len(pace.moments) == 2


async def test_nothing_is_published_after_close(pace: Pace) -> None:
    pace.pacer.touched()
    pace.pacer.touched()
    pace.pacer.close()

    await asyncio.sleep(SHORTEST_S * 3)

    assert len(pace.moments) == 1
