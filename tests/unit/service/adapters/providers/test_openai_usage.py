"""Usage of OpenAI and its relatives in the one convention."""

from __future__ import annotations

from typing import Any

import pytest

from luvus_service.adapters.providers.json_view import View
from luvus_service.adapters.providers.openai_usage import chat_usage, responses_usage
from luvus_service.luxe.domain.values import CallUsage


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        (
            {
                "prompt_tokens": 100,
                "completion_tokens": 20,
                "total_tokens": 120,
                "prompt_tokens_details": {"cached_tokens": 60, "cache_write_tokens": 30},
                "completion_tokens_details": {"reasoning_tokens": 5},
            },
            CallUsage(100, 20, 60, 30, 5, 120),
        ),
        (
            {"prompt_tokens": 100, "completion_tokens": 2, "prompt_cache_hit_tokens": 64},
            CallUsage(100, 2, 64, 0, 0, 102),
        ),
        (
            {
                "prompt_tokens": 10,
                "completion_tokens": 4,
                "total_tokens": 44,
                "completion_tokens_details": {"reasoning_tokens": 30},
            },
            CallUsage(10, 34, 0, 0, 30, 44),
        ),
        (
            {"prompt_tokens": 10, "completion_tokens": 4, "cost": 0.00012},
            CallUsage(10, 4, 0, 0, 0, 14, 0.00012, "reported"),
        ),
        (
            {
                "prompt_tokens": 5,
                "completion_tokens": 1,
                "prompt_tokens_details": {"cached_tokens": 50},
                "completion_tokens_details": {"reasoning_tokens": 9},
                "cost": -1,
            },
            CallUsage(5, 1, 5, 0, 1, 6),
        ),
        ({"prompt_tokens": "many", "prompt_tokens_details": None}, CallUsage()),
    ],
)
def test_counts_of_chat_completions(usage: dict[str, Any], expected: CallUsage) -> None:
    assert chat_usage(View(usage)) == expected


def test_counts_of_a_response_keep_cached_tokens_within_the_prompt() -> None:
    usage = {
        "input_tokens": 100,
        "input_tokens_details": {"cached_tokens": 80},
        "output_tokens": 20,
        "output_tokens_details": {"reasoning_tokens": 15},
        "total_tokens": 120,
    }

    assert responses_usage(View(usage)) == CallUsage(100, 20, 80, 0, 15, 120)
