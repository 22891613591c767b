"""When output is published, in a time that the test owns."""

from __future__ import annotations

import asyncio

import pytest

from luvus_service.uhp.engine.output import ANSWERS, LONGEST_S, SHORTEST_S, OutputPacer
from tests.support.virtual_time import in_virtual_time

NEVER_S = 60.0


class Pace:
    """A pacer and the moments at which it published, counted from its beginning."""

    def __init__(self) -> None:
        self.loop = asyncio.get_running_loop()
        self.began = self.loop.time()
        self.moments: list[float] = []
        self.pacer = OutputPacer(lambda: self.moments.append(self.now()))

    def now(self) -> float:
        """Return the seconds since the beginning."""
        return self.loop.time() - self.began

    async def pour(self, seconds: float, every: float = 0.001) -> None:
        """Touch again and again."""
        end = self.now() + seconds
        while self.now() < end:
            self.pacer.touched()
            await asyncio.sleep(every)

    def gaps(self) -> list[float]:
        """Return the times between publications."""
        return [b - a for a, b in zip(self.moments, self.moments[1:], strict=False)]


@in_virtual_time
async def test_output_after_silence_is_published_at_once() -> None:
    pace = Pace()

    pace.pacer.touched()

    assert (pace.moments, pace.pacer.dirty) == ([0.0], False)


@in_virtual_time
async def test_what_follows_at_once_is_published_together_after_the_shortest_gap() -> None:
    pace = Pace()
    for _ in range(10):
        pace.pacer.touched()
    assert pace.pacer.dirty

    await asyncio.sleep(NEVER_S)

    assert pace.moments == pytest.approx([0.0, SHORTEST_S])
    assert not pace.pacer.dirty


@in_virtual_time
async def test_a_flood_is_published_less_and_less_often_down_to_the_longest_gap() -> None:
    pace = Pace()

    await pace.pour(2.0)

    gaps = pace.gaps()
    assert gaps[0] == pytest.approx(SHORTEST_S)
    assert gaps == sorted(gaps)
    assert gaps[-1] == pytest.approx(LONGEST_S)
    assert len(pace.moments) < 2.0 / LONGEST_S + 12


@in_virtual_time
async def test_the_last_output_of_a_flood_is_published_within_the_longest_gap() -> None:
    pace = Pace()
    await pace.pour(2.0)
    last = pace.now()
    pace.pacer.touched()

    await asyncio.sleep(NEVER_S)

    assert pace.moments[-1] <= last + LONGEST_S
    assert not pace.pacer.dirty


@in_virtual_time
async def test_a_long_silence_after_a_flood_brings_the_shortest_gap_back() -> None:
    pace = Pace()
    await pace.pour(2.0)
    await asyncio.sleep(3 * LONGEST_S)
    pace.moments.clear()

    await pace.pour(SHORTEST_S * 2)

    assert pace.gaps()[0] == pytest.approx(SHORTEST_S)


@in_virtual_time
async def test_a_short_silence_after_a_flood_only_shortens_the_gap() -> None:
    pace = Pace()
    await pace.pour(2.0)
    pace.pacer.flush()
    await asyncio.sleep(1.5 * LONGEST_S)
    pace.moments.clear()

    await pace.pour(LONGEST_S * 2)

    assert pace.gaps()[0] == pytest.approx(LONGEST_S / 2)


@in_virtual_time
async def test_the_first_outputs_after_an_input_are_published_at_once() -> None:
    pace = Pace()
    await pace.pour(0.5)
    pace.moments.clear()
    now = pace.now()
    pace.pacer.prompt()

    for _ in range(ANSWERS + 1):
        pace.pacer.touched()

    assert pace.moments == [now] * ANSWERS
    assert pace.pacer.dirty


@in_virtual_time
async def test_a_program_that_speaks_in_short_bursts_is_not_published_ever_later() -> None:
    pace = Pace()
    for _ in range(15):
        pace.pacer.touched()
        pace.pacer.touched()
        await asyncio.sleep(SHORTEST_S * 10)

    assert len(pace.moments) == 30
    assert max(pace.gaps()[::2]) < LONGEST_S / 2


@in_virtual_time
async def test_what_is_dirty_is_published_by_a_flush_and_only_once() -> None:
    pace = Pace()
    pace.pacer.touched()
    pace.pacer.touched()
    pace.pacer.flush()
    pace.pacer.flush()

    await asyncio.sleep(NEVER_S)

    assert pace.moments == [0.0, 0.0]


@in_virtual_time
async def test_nothing_is_published_after_close() -> None:
    pace = Pace()
    pace.pacer.touched()
    pace.pacer.touched()
    pace.pacer.close()
    pace.pacer.close()
    pace.pacer.flush()

    await asyncio.sleep(NEVER_S)

    assert (pace.moments, pace.pacer.dirty) == ([0.0], False)
