"""Which locators mean a live terminal, and what is wrong with the others."""

from __future__ import annotations

from dataclasses import replace

import pytest

from luvus_service.uhp.domain.locators import Found, Locator, Verdict, judge
from luvus_service.uhp.domain.ports import RootProcess

HERE = "1" * 32
GOOD = Locator(HERE, "2" * 32, 7)
LIVE = Found(7, RootProcess(4121, "linux:88"))
UNMARKED = Found(7, RootProcess(4121, None))


def expecting(pid: int, marker: str | None = None) -> Locator:
    return replace(GOOD, expected_root=RootProcess(pid, marker))


@pytest.mark.parametrize(
    ("locator", "found", "verdict"),
    [
        (GOOD, LIVE, Verdict.LIVE),
        (replace(GOOD, server_generation="0" * 32), LIVE, Verdict.OTHER_SERVER),
        (replace(GOOD, server_generation="0" * 32, pane=8), None, Verdict.OTHER_SERVER),
        (GOOD, None, Verdict.GONE),
        (replace(GOOD, pane=8), None, Verdict.GONE),
        (replace(GOOD, pane=8), LIVE, Verdict.OTHER_PANE),
        (replace(expecting(1), pane=8), LIVE, Verdict.OTHER_PANE),
        (GOOD, Found(7, None), Verdict.NOT_READY),
        (expecting(4121), Found(7, None), Verdict.NOT_READY),
        (expecting(4121), LIVE, Verdict.LIVE),
        (expecting(4121, "linux:88"), LIVE, Verdict.LIVE),
        (expecting(4122), LIVE, Verdict.OTHER_PROCESS),
        (expecting(4121, "linux:89"), LIVE, Verdict.OTHER_PROCESS),
        (expecting(4121, "linux:88"), UNMARKED, Verdict.OTHER_PROCESS),
        (expecting(4121), UNMARKED, Verdict.LIVE),
    ],
)
def test_a_locator_is_judged_by_its_first_wrong_part(
    locator: Locator, found: Found | None, verdict: Verdict
) -> None:
    assert judge(locator, HERE, found) is verdict
