from __future__ import annotations

from luvus_service.luxe.domain.thinking import nearest_level


def test_a_level_is_kept_or_lowered_or_raised_to_the_lowest() -> None:
    assert nearest_level("high", ("off", "low", "high")) == "high"
    assert nearest_level("ultra", ("off", "low", "high")) == "high"
    assert nearest_level("medium", ("off", "low", "high")) == "low"
    assert nearest_level("off", ("low", "high")) == "low"
    assert nearest_level("high", ()) == "off"
