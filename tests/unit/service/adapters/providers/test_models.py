"""What is known of models without asking anybody."""

from __future__ import annotations

import pytest

from luvus_service.adapters.providers.claude import traits_of
from luvus_service.adapters.providers.models import (
    UNKNOWN_WINDOW,
    assumed_model,
    claude_models,
    gpt_levels,
    gpt_models,
)
from luvus_service.luxe.domain.values import PriceTier, Pricing, ThinkingLevel


@pytest.mark.parametrize(
    ("model", "style", "forceable"),
    [
        ("claude-3-5-haiku-latest", "none", True),
        ("claude-3-7-sonnet-latest", "budget", True),
        ("claude-sonnet-4-20250514", "budget", True),
        ("claude-opus-4-1", "budget", True),
        ("anthropic/claude-sonnet-4.5", "budget", True),
        ("claude-haiku-4-5-20251001", "budget", True),
        ("claude-opus-4-6", "adaptive", True),
        ("claude-opus-4-8", "adaptive", True),
        ("claude-sonnet-5", "adaptive", True),
        ("claude-haiku-5-5", "adaptive", False),
        ("claude-sonnet-5-5", "always", False),
        ("claude-opus-5-5", "always", False),
        ("claude-fable-5", "always", False),
        ("minimax-m2", "budget", True),
    ],
)
def test_a_generation_of_claude_is_read_from_its_name(
    model: str, style: str, forceable: bool
) -> None:
    traits = traits_of(model)

    assert (traits.style, traits.forceable) == (style, forceable)
    assert ("off" in traits.levels) == (style != "always")


@pytest.mark.parametrize(
    ("model", "levels"),
    [
        ("gpt-4.1", ("off",)),
        ("o3", ("low", "medium", "high")),
        ("gpt-5", ("minimal", "low", "medium", "high")),
        ("gpt-5.1", ("off", "low", "medium", "high")),
        ("openai/gpt-5.4", ("off", "low", "medium", "high", "xhigh")),
        ("gpt-5.3-codex", ("low", "medium", "high", "xhigh")),
        ("gpt-5.6-sol", ("off", "low", "medium", "high", "xhigh", "ultra")),
        ("gpt-6.1-sol", ("low", "medium", "high", "xhigh", "ultra")),
        ("llama3", ("off",)),
    ],
)
def test_the_levels_of_an_openai_model_are_read_from_its_name(
    model: str, levels: tuple[ThinkingLevel, ...]
) -> None:
    assert gpt_levels(model) == levels


def test_every_model_of_the_table_is_whole() -> None:
    models = [*claude_models("a"), *gpt_models("o")]

    assert len({m.model for m in models}) == len(models)
    for model in models:
        assert 0 < model.max_output_tokens < model.context_window
        assert model.supports_thinking == (model.thinking_levels != ("off",))
        assert model.pricing is not None and model.pricing.cache_read <= model.pricing.input
        assert all(tier.input > model.pricing.input for tier in model.pricing.tiers)


def test_a_long_prompt_of_a_model_that_says_so_costs_more() -> None:
    priced = {m.model: m.pricing for m in (*claude_models("a"), *gpt_models("o"))}

    assert priced["gpt-5.4"] == Pricing(
        2.5, 15.0, 0.25, 2.5, (PriceTier(272_000, 5.0, 22.5, 0.5, 5.0),)
    )
    assert priced["claude-haiku-5-5"] == Pricing(
        0.1, 0.5, 0.01, 0.125, (PriceTier(100_000, 0.5, 2.5, 0.05, 0.625),)
    )


def test_a_model_nobody_knows_gets_cautious_limits_and_no_price() -> None:
    model = assumed_model("local", "qwen3-coder:30b", "openai-chat")

    assert (model.context_window, model.pricing) == (UNKNOWN_WINDOW, None)
    assert model.thinking_levels == ("off",)


def test_a_known_model_behind_a_router_keeps_its_limits_but_not_its_price() -> None:
    model = assumed_model("openrouter", "anthropic/claude-opus-5", "openai-chat")

    assert (model.context_window, model.supports_images, model.pricing) == (1_000_000, True, None)
