"""Signals of programs: the first at once, a flood as few."""

from __future__ import annotations

import asyncio

from luvus_service.uhp.domain.ports import Fed
from luvus_service.uhp.engine.signals import GAP_S, NOTIFICATIONS, SignalPacer, Signals
from tests.support.virtual_time import in_virtual_time


class Heard:
    """What a pacer tells, and when."""

    def __init__(self) -> None:
        self.pacer = SignalPacer(self._take)
        self.signals: list[Signals] = []
        self.times: list[float] = []

    def _take(self, signals: Signals) -> None:
        self.signals.append(signals)
        self.times.append(asyncio.get_running_loop().time())


@in_virtual_time
async def test_the_first_bell_is_told_at_once_and_a_thousand_more_together() -> None:
    heard = Heard()
    began = asyncio.get_running_loop().time()

    for _ in range(1001):
        heard.pacer.take(Fed(bells=1))
    await asyncio.sleep(3 * GAP_S)

    assert heard.signals == [Signals(bells=1), Signals(bells=1000)]
    assert heard.times == [began, began + GAP_S]


@in_virtual_time
async def test_of_many_notifications_the_first_few_are_told_and_the_others_counted() -> None:
    heard = Heard()
    many = tuple(("", str(number)) for number in range(10))

    heard.pacer.take(Fed(notifications=many))
    heard.pacer.take(Fed(notifications=many[:3]))
    heard.pacer.take(Fed(notifications=many[:3]))
    await asyncio.sleep(2 * GAP_S)

    assert heard.signals == [
        Signals(notifications=many[:NOTIFICATIONS], dropped=6),
        Signals(notifications=(*many[:3], many[0]), dropped=2),
    ]


@in_virtual_time
async def test_a_glyph_that_turns_in_front_of_a_title_is_no_change() -> None:
    heard = Heard()

    for glyph in "⠋⠙⠹⠸":
        heard.pacer.take(Fed(title=f"{glyph} Fix the login"))
        await asyncio.sleep(GAP_S)

    assert heard.signals == [Signals(retitled=True)]
    assert heard.pacer.title == "Fix the login"


@in_virtual_time
async def test_a_title_that_turns_back_within_the_gap_is_not_told() -> None:
    heard = Heard()
    heard.pacer.begin("one")
    heard.pacer.take(Fed(bells=1))

    heard.pacer.take(Fed(title="two"))
    heard.pacer.take(Fed(title="one"))
    await asyncio.sleep(2 * GAP_S)

    assert heard.signals == [Signals(bells=1)]


@in_virtual_time
async def test_a_closed_pacer_tells_nothing_more() -> None:
    heard = Heard()
    heard.pacer.take(Fed(bells=1))
    heard.pacer.take(Fed(bells=1))

    heard.pacer.close()
    await asyncio.sleep(2 * GAP_S)

    assert heard.signals == [Signals(bells=1)]
