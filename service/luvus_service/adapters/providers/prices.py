"""Prices of models that our own table does not know, from the price list `genai-prices`.

The list is imported when it is first asked, in a thread: it is too heavy for a start. Where it is
not installed, prices stay unknown.
"""

from __future__ import annotations

import asyncio
import importlib
import logging
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Final

from luvus_service.luxe.domain.values import Model, Pricing

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
    prompt, output = _number(prices.input_mtok), _number(prices.output_mtok)
    if prompt is None or output is None:
        return None
    read, write = _number(prices.cache_read_mtok), _number(prices.cache_write_mtok)
    return Pricing(
        prompt, output, prompt if read is None else read, prompt if write is None else write
    )


def _number(price: Any) -> float | None:
    """Return a price; one that rises with the prompt is not one number, and unknown."""
    if price is None or hasattr(price, "tiers"):
        return None
    return float(price)
