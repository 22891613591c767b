"""What a call costs: by the convention of tokens, and by the length of its prompt."""

from __future__ import annotations

import pytest

from luvus_service.luxe.domain.usage import added, priced
from luvus_service.luxe.domain.values import CallUsage, PriceTier, Pricing

FLAT = Pricing(3.0, 15.0, 0.3, 3.75)
RISING = Pricing(
    3.0,
    15.0,
    0.3,
    3.75,
    (PriceTier(500_000, 12.0, 45.0, 1.2, 15.0), PriceTier(200_000, 6.0, 22.5, 0.6, 7.5)),
)


@pytest.mark.parametrize(
    ("usage", "pricing", "cost"),
    [
        (CallUsage(prompt_tokens=100, completion_tokens=10), FLAT, 0.00045),
        (CallUsage(prompt_tokens=100, cached_prompt_tokens=40), FLAT, 0.000192),
        (CallUsage(prompt_tokens=100, cache_write_tokens=60), FLAT, 0.000345),
        (CallUsage(prompt_tokens=10, cached_prompt_tokens=8, cache_write_tokens=8), FLAT, 0.000032),
        (CallUsage(prompt_tokens=200_000, completion_tokens=10), RISING, 0.60015),
        (CallUsage(prompt_tokens=200_001, completion_tokens=10), RISING, 1.200231),
        (CallUsage(prompt_tokens=200_001, cached_prompt_tokens=200_000), RISING, 0.120006),
        (CallUsage(prompt_tokens=600_000, completion_tokens=10), RISING, 7.20045),
    ],
    ids=[
        "prompt and answer",
        "cached tokens are within the prompt",
        "written tokens are within the prompt",
        "counts that overlap cost nothing twice",
        "a prompt at the bound",
        "a prompt over the bound pays more for all of it",
        "cached tokens count towards the bound",
        "the highest bound that is exceeded counts",
    ],
)
def test_a_call_costs_what_its_tokens_cost(usage: CallUsage, pricing: Pricing, cost: float) -> None:
    found = priced(usage, pricing)

    assert (found.cost_usd, found.cost_source) == (cost, "priced")
    assert found.total_tokens == usage.prompt_tokens + usage.completion_tokens


def test_a_reported_cost_wins_and_a_missing_price_is_never_zero() -> None:
    reported = CallUsage(prompt_tokens=1, cost_usd=0.5, cost_source="reported")

    assert priced(reported, FLAT).cost_usd == 0.5
    assert priced(CallUsage(prompt_tokens=1), None).cost_usd is None


def test_a_sum_keeps_what_is_known() -> None:
    known = priced(CallUsage(prompt_tokens=100), FLAT)
    unknown = priced(CallUsage(prompt_tokens=50), None)

    assert added(known, unknown) == CallUsage(
        prompt_tokens=150, total_tokens=150, cost_usd=0.0003, cost_source="priced"
    )
    assert added(unknown, unknown).cost_usd is None
