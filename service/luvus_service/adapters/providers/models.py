"""The models known without asking anybody: their limits, levels of thinking and prices.

Prices are USD for one million tokens. A model nobody knows gets cautious limits and no price.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from luvus_service.adapters.providers.claude import traits_of
from luvus_service.adapters.providers.wire import FormatName
from luvus_service.luxe.domain.values import Model, PriceTier, Pricing, ThinkingLevel

UNKNOWN_WINDOW: Final = 128_000
UNKNOWN_OUTPUT: Final = 8_192

_MILLION: Final = 1_000_000
# (model, name, context window, longest answer, input, output, cache read, cache write)
_CLAUDE: Final = (
    ("claude-sonnet-5-5", "Claude Sonnet 5.5", _MILLION, 128_000, 2.0, 10.0, 0.1, 2.5),
    ("claude-opus-5-5", "Claude Opus 5.5", _MILLION, 128_000, 4.0, 20.0, 0.2, 5.0),
    ("claude-fable-5-1", "Claude Fable 5.1", _MILLION, 128_000, 10.0, 50.0, 0.25, 12.5),
    ("claude-haiku-5-5", "Claude Haiku 5.5", _MILLION, 128_000, 0.1, 0.5, 0.01, 0.125),
    ("claude-sonnet-5", "Claude Sonnet 5", _MILLION, 128_000, 2.0, 10.0, 0.2, 2.5),
    ("claude-opus-5", "Claude Opus 5", _MILLION, 128_000, 5.0, 25.0, 0.5, 6.25),
    ("claude-opus-4-8", "Claude Opus 4.8", _MILLION, 128_000, 5.0, 25.0, 0.5, 6.25),
    ("claude-opus-4-7", "Claude Opus 4.7", _MILLION, 128_000, 5.0, 25.0, 0.5, 6.25),
    ("claude-opus-4-6", "Claude Opus 4.6", _MILLION, 128_000, 5.0, 25.0, 0.5, 6.25),
    ("claude-sonnet-4-6", "Claude Sonnet 4.6", _MILLION, 64_000, 3.0, 15.0, 0.3, 3.75),
    ("claude-sonnet-4-5", "Claude Sonnet 4.5", 200_000, 64_000, 3.0, 15.0, 0.3, 3.75),
    ("claude-haiku-4-5", "Claude Haiku 4.5", 200_000, 64_000, 1.0, 5.0, 0.1, 1.25),
)
_GPT: Final = (
    ("gpt-6.1-sol", "GPT-6.1 Sol", 1_050_000, 128_000, 2.0, 10.0, 0.1, 2.5),
    ("gpt-6.1-terra", "GPT-6.1 Terra", 1_050_000, 128_000, 1.0, 5.0, 0.05, 1.25),
    ("gpt-6-astra", "GPT-6 Astra", 1_050_000, 128_000, 10.0, 50.0, 1.0, 12.5),
    ("gpt-6-luna", "GPT-6 Luna", 1_050_000, 128_000, 0.1, 0.5, 0.01, 0.125),
    ("gpt-5.6-sol", "GPT-5.6 Sol", 1_050_000, 128_000, 4.0, 20.0, 0.4, 5.0),
    ("gpt-5.6-terra", "GPT-5.6 Terra", 1_050_000, 128_000, 2.0, 12.0, 0.2, 2.5),
    ("gpt-5.5", "GPT-5.5", _MILLION, 128_000, 5.0, 30.0, 0.5, 5.0),
    ("gpt-5.4", "GPT-5.4", 1_050_000, 128_000, 2.5, 15.0, 0.25, 2.5),
    ("gpt-5.4-mini", "GPT-5.4 mini", 400_000, 128_000, 0.75, 4.5, 0.075, 0.75),
    ("gpt-5.3-codex", "GPT-5.3 Codex", 400_000, 128_000, 1.75, 14.0, 0.175, 1.75),
    ("gpt-4.1", "GPT-4.1", _MILLION, 32_768, 2.0, 8.0, 0.5, 2.0),
)

_LONG: Final = {
    "claude-haiku-5-5": (100_000, 5.0, 5.0),
    "claude-sonnet-4-5": (200_000, 2.0, 1.5),
    "gpt-6.1-sol": (272_000, 2.0, 1.5),
    "gpt-6.1-terra": (272_000, 2.0, 1.5),
    "gpt-6-astra": (272_000, 2.0, 1.5),
    "gpt-6-luna": (272_000, 2.0, 1.5),
    "gpt-5.6-sol": (272_000, 2.0, 1.5),
    "gpt-5.6-terra": (272_000, 2.0, 1.5),
    "gpt-5.5": (272_000, 2.0, 1.5),
    "gpt-5.4": (272_000, 2.0, 1.5),
}
"""(prompt tokens above which a call costs more, times for its prompt, times for its answer)"""


def claude_models(provider: str) -> tuple[Model, ...]:
    """Return the models of Anthropic under this provider's name."""
    return tuple(_model(provider, row, traits_of(row[0]).levels) for row in _CLAUDE)


def gpt_models(provider: str) -> tuple[Model, ...]:
    """Return the models of OpenAI under this provider's name."""
    return tuple(_model(provider, row, gpt_levels(row[0])) for row in _GPT)


def gpt_levels(model: str) -> tuple[ThinkingLevel, ...]:
    """Return the levels of an OpenAI model by its name."""
    name = model.rpartition("/")[2].lower()
    if re.match(r"o\d", name):
        return ("low", "medium", "high")
    found = re.match(r"gpt-(\d+)(?:\.(\d+))?", name)
    if found is None or int(found[1]) < 5:
        return ("off",)
    version = (int(found[1]), int(found[2] or 0))
    if version == (5, 0):
        return ("minimal", "low", "medium", "high")
    # The codex models, and the larger ones from 6 on, cannot be kept from reasoning.
    always = "codex" in name or "astra" in name or (version >= (6, 1) and "sol" in name)
    levels: tuple[ThinkingLevel, ...] = ("low", "medium", "high")
    levels = levels if always else ("off", *levels)
    if version >= (5, 2):
        levels = (*levels, "xhigh")
    return (*levels, "ultra") if version >= (5, 6) else levels


def assumed_model(provider: str, model: str, form: FormatName) -> Model:
    """Return a model of which only the name is known."""
    known = next(
        (
            m
            for m in (*claude_models(provider), *gpt_models(provider))
            if m.model == model.rpartition("/")[2]
        ),
        None,
    )
    levels: Sequence[ThinkingLevel] = ("off",)
    if known is not None:
        levels = known.thinking_levels
    elif form == "openai-responses":
        levels = gpt_levels(model)
    elif form == "anthropic" and "claude" in model.lower():
        levels = traits_of(model).levels
    return Model(
        provider=provider,
        model=model,
        name=model if known is None else known.name,
        context_window=UNKNOWN_WINDOW if known is None else known.context_window,
        max_output_tokens=UNKNOWN_OUTPUT if known is None else known.max_output_tokens,
        supports_images=known is not None,
        supports_thinking=tuple(levels) != ("off",),
        thinking_levels=tuple(levels),
    )


def _model(
    provider: str,
    row: tuple[str, str, int, int, float, float, float, float],
    levels: tuple[ThinkingLevel, ...],
) -> Model:
    model, name, window, output, *money = row
    return Model(
        provider=provider,
        model=model,
        name=name,
        context_window=window,
        max_output_tokens=output,
        supports_images=True,
        supports_thinking=levels != ("off",),
        thinking_levels=levels,
        pricing=_pricing(model, *money),
    )


def _pricing(
    model: str, prompt: float, answer: float, cache_read: float, cache_write: float
) -> Pricing:
    if model not in _LONG:
        return Pricing(prompt, answer, cache_read, cache_write)
    above, more, more_answer = _LONG[model]
    long = PriceTier(
        above,
        _times(prompt, more),
        _times(answer, more_answer),
        _times(cache_read, more),
        _times(cache_write, more),
    )
    return Pricing(prompt, answer, cache_read, cache_write, (long,))


def _times(price: float, times: float) -> float:
    return round(price * times, 6)
