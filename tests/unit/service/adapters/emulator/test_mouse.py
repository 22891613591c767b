"""The mouse reporting in force."""

from __future__ import annotations

import pytest

from luvus_service.adapters.emulator.mouse import mouse_reports


@pytest.mark.parametrize(
    ("modes", "told"),
    [
        (set[int](), "off"),
        ({9}, "x10"),
        ({9, 1000}, "normal"),
        ({1000, 1002}, "button"),
        ({1000, 1002, 1003}, "any"),
    ],
)
def test_the_widest_reporting_counts(modes: set[int], told: str) -> None:
    assert mouse_reports(modes.__contains__) == told
