"""Usage as OpenAI and its relatives count it, brought into the one convention.

Cached tokens are within the prompt count and are not added again. Reasoning is within the
completion count, except where the total shows that it is not.
"""

from __future__ import annotations

from luvus_service.adapters.providers.json_view import View
from luvus_service.luxe.domain.values import CallUsage


def chat_usage(usage: View) -> CallUsage:
    """Return the usage of a chat completion."""
    details = usage.at("prompt_tokens_details")
    cached = details.count("cached_tokens")
    if cached is None:
        cached = usage.count("prompt_cache_hit_tokens")
    return _usage(
        usage,
        prompt=usage.count("prompt_tokens") or 0,
        output=usage.count("completion_tokens") or 0,
        cached=cached or 0,
        written=details.count("cache_write_tokens") or 0,
        reasoning=usage.at("completion_tokens_details").count("reasoning_tokens") or 0,
    )


def responses_usage(usage: View) -> CallUsage:
    """Return the usage of a response."""
    details = usage.at("input_tokens_details")
    return _usage(
        usage,
        prompt=usage.count("input_tokens") or 0,
        output=usage.count("output_tokens") or 0,
        cached=details.count("cached_tokens") or 0,
        written=details.count("cache_write_tokens") or 0,
        reasoning=usage.at("output_tokens_details").count("reasoning_tokens") or 0,
    )


def _usage(
    usage: View, *, prompt: int, output: int, cached: int, written: int, reasoning: int
) -> CallUsage:
    if reasoning and usage.count("total_tokens") == prompt + output + reasoning:
        output += reasoning
    cached = min(cached, prompt)
    cost = usage.get("cost")
    reported = isinstance(cost, int | float) and not isinstance(cost, bool) and 0 <= cost < 1e9
    return CallUsage(
        prompt_tokens=prompt,
        completion_tokens=output,
        cached_prompt_tokens=cached,
        cache_write_tokens=min(written, prompt - cached),
        reasoning_tokens=min(reasoning, output),
        total_tokens=prompt + output,
        cost_usd=float(cost) if reported and isinstance(cost, int | float) else None,
        cost_source="reported" if reported else "unknown",
    )
