"""How often usage is read."""

from __future__ import annotations

from luvus_service.uhp.engine.agents.scanning import SCAN_GAP_S, gap_after


def test_scans_take_a_small_part_of_the_time_however_slow_they_are() -> None:
    assert (gap_after(0.01), gap_after(1.0)) == (SCAN_GAP_S, 50.0)
