"""Prices from the price list, where it is installed."""

from __future__ import annotations

import sys
from dataclasses import replace

import pytest

from luvus_service.adapters.providers.prices import with_prices
from luvus_service.luxe.domain.values import PriceTier, Pricing
from tests.support.provider_requests import MODEL

UNPRICED = replace(MODEL, model="claude-sonnet-4-6", pricing=None)


async def test_a_price_that_is_known_is_not_asked_for() -> None:
    assert await with_prices([replace(MODEL, pricing=Pricing(1, 1, 1, 1))], "anthropic") == []


async def test_without_the_list_prices_stay_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "genai_prices", None)
    monkeypatch.setitem(sys.modules, "genai_prices.data_snapshot", None)

    assert await with_prices([UNPRICED], "anthropic") == []


async def test_an_unknown_price_is_looked_up_with_the_tiers_of_long_prompts() -> None:
    pytest.importorskip("genai_prices")
    rising = replace(MODEL, model="claude-sonnet-4-5", pricing=None)
    nobodys = replace(MODEL, model="no-such-model", pricing=None)

    priced = await with_prices([UNPRICED, rising, nobodys], "anthropic")

    long = PriceTier(200_000, 6.0, 22.5, 0.6, 7.5)
    assert priced == [
        replace(UNPRICED, pricing=Pricing(3.0, 15.0, 0.3, 3.75)),
        replace(rising, pricing=Pricing(3.0, 15.0, 0.3, 3.75, (long,))),
    ]
