from __future__ import annotations

import pytest

from luvus_service.adapters.agents.prices import PriceList
from luvus_service.uhp.domain.agents.stores import Price, Usage


def test_an_override_wins_over_every_list() -> None:
    prices = PriceList({"Sonnet": Price(1, 2, 0.5)})

    cost = prices.cost("claude", Usage("claude-sonnet-4-5", 1_000_000, 1_000_000, 1_000_000))

    assert cost == pytest.approx(3.5)


def test_an_unknown_model_has_no_price() -> None:
    assert PriceList().cost("x", Usage("a-model-nobody-knows", 5, 5)) is None
    assert PriceList().cost("x", Usage("", 5, 5)) is None


def test_many_short_requests_do_not_cost_what_one_long_one_does() -> None:
    prices = PriceList()
    short = prices.cost("claude", Usage("claude-sonnet-4-5", 40_000, 400))
    assert short is not None

    total = prices.cost("claude", Usage("claude-sonnet-4-5", 4_000_000, 40_000))

    assert total == pytest.approx(short * 100, rel=0.01)


def test_overrides_can_change_while_prices_are_in_use() -> None:
    prices = PriceList()
    usage = Usage(model="house-model-1", tokens_in=1_000_000)
    assert prices.cost("claude", usage) is None

    prices.override({"house-model": Price(3.0, 15.0, 0.3)})

    assert prices.cost("claude", usage) == 3.0
