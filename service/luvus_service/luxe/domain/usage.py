"""Prices and sums of tokens: decimal arithmetic, and no price is ever taken for zero."""

from __future__ import annotations

from dataclasses import replace
from decimal import ROUND_HALF_UP, Decimal

from luvus_service.luxe.domain.values import CallUsage, PriceTier, Pricing

_PLACES = Decimal("0.000001")
_MILLION = Decimal(1_000_000)


def priced(usage: CallUsage, pricing: Pricing | None) -> CallUsage:
    """Return the usage with its total and, unless the provider reported one, its cost."""
    total = usage.prompt_tokens + usage.completion_tokens
    usage = replace(usage, total_tokens=total)
    if usage.cost_source == "reported" and usage.cost_usd is not None:
        return usage
    if pricing is None:
        return replace(usage, cost_usd=None, cost_source="unknown")
    fresh = usage.prompt_tokens - usage.cached_prompt_tokens - usage.cache_write_tokens
    rates = _rates(pricing, usage.prompt_tokens)
    cost = (
        max(0, fresh) * _exact(rates.input)
        + usage.cached_prompt_tokens * _exact(rates.cache_read)
        + usage.cache_write_tokens * _exact(rates.cache_write)
        + usage.completion_tokens * _exact(rates.output)
    ) / _MILLION
    return replace(usage, cost_usd=_rounded(cost), cost_source="priced")


def added(first: CallUsage, second: CallUsage) -> CallUsage:
    """Return the sum; a known cost is kept when the other one is unknown."""
    costs = [c for c in (first.cost_usd, second.cost_usd) if c is not None]
    sources = {u.cost_source for u in (first, second) if u.cost_usd is not None}
    return CallUsage(
        prompt_tokens=first.prompt_tokens + second.prompt_tokens,
        completion_tokens=first.completion_tokens + second.completion_tokens,
        cached_prompt_tokens=first.cached_prompt_tokens + second.cached_prompt_tokens,
        cache_write_tokens=first.cache_write_tokens + second.cache_write_tokens,
        reasoning_tokens=first.reasoning_tokens + second.reasoning_tokens,
        total_tokens=first.total_tokens + second.total_tokens,
        cost_usd=_rounded(sum(map(_exact, costs), Decimal(0))) if costs else None,
        cost_source="unknown"
        if not sources
        else "reported"
        if sources == {"reported"}
        else "priced",
    )


def _rates(pricing: Pricing, prompt_tokens: int) -> Pricing | PriceTier:
    """Return what holds for a prompt of this length, cached tokens included."""
    reached = [tier for tier in pricing.tiers if prompt_tokens > tier.above_tokens]
    return max(reached, key=lambda tier: tier.above_tokens, default=pricing)


def _exact(number: float) -> Decimal:
    return Decimal(repr(number))


def _rounded(cost: Decimal) -> float:
    return float(cost.quantize(_PLACES, rounding=ROUND_HALF_UP))
