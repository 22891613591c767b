from __future__ import annotations

import pytest

from luvus_service.uhp.domain.agents.stores import (
    Price,
    Usage,
    check_session_id,
    context_fraction,
    summed,
    table_price,
)
from luvus_service.uhp.domain.errors import InvalidRequest


def test_usages_add_up_and_the_newest_says_model_and_context() -> None:
    parts = [Usage("a", 1, 2, 3, 4, 0.5, 10), Usage("", 10, 20, 30, 40, None, 20)]

    assert summed(parts) == Usage("a", 11, 22, 33, 44, 0.5, 20)
    assert summed([]) is None


def test_a_price_is_found_by_part_of_the_name_and_overrides_win() -> None:
    own = {"sonnet": Price(1, 1, 1)}

    assert table_price("anthropic/Claude-Sonnet-4") == Price(3, 15, 0.3)
    assert table_price("claude-sonnet-4", own) == Price(1, 1, 1)
    assert table_price("unheard-of") is None


def test_cached_tokens_cost_what_the_cache_costs() -> None:
    usage = Usage("opus", 1_000_000, 1_000_000, 500_000, 500_000)

    assert Price(15, 75, 1.5).cost(usage) == pytest.approx(91.5)


@pytest.mark.parametrize(
    ("usage", "fraction"),
    [
        (Usage("gpt-5", context=64_000), 0.5),
        (Usage("claude-opus", context=50_000), 0.25),
        (Usage("claude-opus", context=500_000), 0.5),
        (Usage("gpt-5", context=256_000), 1.0),
        (Usage("", context=5), None),
        (Usage("gpt-5"), None),
    ],
)
def test_the_context_is_part_of_the_models_window(usage: Usage, fraction: float | None) -> None:
    assert context_fraction(usage) == fraction


@pytest.mark.parametrize("session_id", ["", "a b", "x" * 257, "a\n", "ä"])
def test_a_malformed_session_id_is_refused(session_id: str) -> None:
    with pytest.raises(InvalidRequest):
        check_session_id(session_id)
