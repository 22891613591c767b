"""Prices of models that our own table does not know, from the price list `genai-prices`.

The list is imported when it is first asked, in a thread: it is too heavy for a start. Where it is
not installed, prices stay unknown.
"""

from __future__ import annotations

import asyncio
import importlib
import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Final

from luvus_service.luxe.domain.values import Model, PriceTier, Pricing

_log = logging.getLogger(__name__)

_LIST: Final = "genai_prices.data_snapshot"


async def with_prices(models: Sequence[Model], provider: str) -> list[Model]:
    """Return the models whose price was unknown and is in the list, with it."""
    unknown = [model for model in models if model.pricing is None]
    return await asyncio.to_thread(_priced, unknown, provider) if unknown else []


def _priced(models: Sequence[Model], provider: str) -> list[Model]:
    try:
        snapshot: Any = importlib.import_module(_LIST).get_snapshot()
    except ImportError:
        _log.info("no price list is installed; some costs stay unknown")
        return []
    found: list[Model] = []
    for model in models:
        pricing = _pricing(snapshot, model.model, provider)
        if pricing is not None:
            found.append(replace(model, pricing=pricing))
    return found


def _pricing(snapshot: Any, model: str, provider: str) -> Pricing | None:
    try:
        _, info = snapshot.find_provider_model(model, None, provider, None)
    except LookupError:
        return None
    prices: Any = info.get_prices(datetime.now(UTC))
    named = {
        "input": prices.input_mtok,
        "output": prices.output_mtok,
        "cache_read": prices.cache_read_mtok,
        "cache_write": prices.cache_write_mtok,
    }
    if named["input"] is None or named["output"] is None:
        return None
    bounds = {tier.start for price in named.values() for tier in getattr(price, "tiers", ())}
    tiers = [PriceTier(bound, **_rates(named, bound + 1)) for bound in sorted(bounds)]
    return Pricing(**_rates(named, 0), tiers=tuple(tiers))


def _rates(named: Mapping[str, Any], prompt_tokens: int) -> dict[str, float]:
    """Return the four prices of a prompt of this length; cached tokens cost no less unnamed."""
    # A price of nothing is known: there are models, and cached tokens, that cost nothing.
    known = {name: _price(p, prompt_tokens) for name, p in named.items() if p is not None}
    return {name: known.get(name, known["input"]) for name in named}


def _price(price: Any, prompt_tokens: int) -> float:
    """Return a price that may rise with the prompt; the whole call pays what its length costs."""
    for tier in sorted(getattr(price, "tiers", ()), key=lambda tier: -tier.start):
        if prompt_tokens > tier.start:
            return float(tier.price)
    return float(getattr(price, "base", price))
