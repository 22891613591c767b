"""Prices from the price list, where it is installed."""

from __future__ import annotations

import sys
from dataclasses import replace
from decimal import Decimal
from types import ModuleType, SimpleNamespace

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


@pytest.mark.parametrize(
    ("listed", "pricing"),
    [
        (("0", "0", None, None), Pricing(0.0, 0.0, 0.0, 0.0)),
        (("3", "15", "0", None), Pricing(3.0, 15.0, 0.0, 3.0)),
    ],
    ids=["a model", "cached tokens"],
)
async def test_what_costs_nothing_has_a_price(
    monkeypatch: pytest.MonkeyPatch, listed: tuple[str | None, ...], pricing: Pricing
) -> None:
    monkeypatch.setitem(sys.modules, "genai_prices", ModuleType("genai_prices"))
    monkeypatch.setitem(sys.modules, "genai_prices.data_snapshot", price_list(*listed))

    assert await with_prices([UNPRICED], "anthropic") == [replace(UNPRICED, pricing=pricing)]


def price_list(*listed: str | None) -> ModuleType:
    """Return a price list in which every model costs the same."""
    names = ("input_mtok", "output_mtok", "cache_read_mtok", "cache_write_mtok")
    costs = {
        name: None if price is None else Decimal(price)
        for name, price in zip(names, listed, strict=True)
    }
    info = SimpleNamespace(get_prices=lambda _now: SimpleNamespace(**costs))
    snapshot = SimpleNamespace(find_provider_model=lambda *_asked: (None, info))
    module = ModuleType("genai_prices.data_snapshot")
    module.__dict__["get_snapshot"] = lambda: snapshot
    return module
