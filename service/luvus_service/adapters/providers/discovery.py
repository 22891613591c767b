"""Reads the lists of models that endpoints give: Anthropic, OpenAI, OpenRouter, vLLM, Ollama."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from luvus_service.adapters.providers.endpoint import Endpoint
from luvus_service.adapters.providers.json_view import View
from luvus_service.adapters.providers.models import assumed_model
from luvus_service.luxe.domain.values import Model, Pricing, ThinkingLevel

MODELS: Final = 2_000
"""Taken from one list."""
NAME_CHARS: Final = 200
QUERY: Final = {"anthropic": "?limit=1000"}

_NO_CHAT: Final = re.compile(
    r"embed|whisper|tts|audio|realtime|transcri|image|dall-e|moderation|rerank|search|sora"
    r"|instruct|davinci|babbage|live|computer-use|guard",
    re.IGNORECASE,
)
_LEVELS: Final[tuple[ThinkingLevel, ...]] = ("off", "low", "medium", "high")


def listed(answer: View, endpoint: Endpoint, known: Mapping[str, Model]) -> list[Model]:
    """Return the models of a list; what is known of one already is kept."""
    found: list[Model] = []
    for item in answer.items("data"):
        model = item.text("id")
        if not 0 < len(model) <= NAME_CHARS or not model.isprintable() or len(found) >= MODELS:
            continue
        if model in known:
            continue
        if endpoint.prices == "openai" and _NO_CHAT.search(model):
            continue
        found.append(_model(item, model, endpoint))
    return found


def _model(item: View, model: str, endpoint: Endpoint) -> Model:
    base = assumed_model(endpoint.name, model, endpoint.format)
    window = (
        item.count("context_length")
        or item.count("max_model_len")
        or item.count("max_input_tokens")
        or item.count("context_window")
        or base.context_window
    )
    output = (
        item.at("top_provider").count("max_completion_tokens")
        or item.count("max_tokens")
        or item.count("max_completion_tokens")
        or min(base.max_output_tokens, max(1, window // 2))
    )
    pictures = item.at("architecture").strings("input_modalities")
    thinks = "reasoning" in item.strings("supported_parameters")
    levels = _LEVELS if thinks and not base.supports_thinking else base.thinking_levels
    return replace(
        base,
        name=(item.text("display_name") or item.text("name") or base.name)[:NAME_CHARS],
        context_window=window,
        max_output_tokens=output,
        supports_images="image" in pictures or (not pictures and _sees(item, base)),
        supports_thinking=levels != ("off",),
        thinking_levels=levels,
        pricing=_pricing(item.at("pricing")),
    )


def _sees(item: View, base: Model) -> bool:
    told = item.at("capabilities").at("image_input").get("supported")
    return told if isinstance(told, bool) else base.supports_images


def _pricing(prices: View) -> Pricing | None:
    """Return prices given as USD for one token, in strings."""
    told = {
        name: _dollars(prices.get(name))
        for name in ("prompt", "completion", "input_cache_read", "input_cache_write")
    }
    prompt, output = told["prompt"], told["completion"]
    if prompt is None or output is None:
        return None
    read, write = told["input_cache_read"], told["input_cache_write"]
    return Pricing(
        prompt, output, prompt if read is None else read, prompt if write is None else write
    )


def _dollars(value: object) -> float | None:
    if not isinstance(value, str) or not re.fullmatch(
        r"\d{1,6}(?:\.\d{1,20})?(?:e-\d{1,2})?", value
    ):
        return None
    return round(float(value) * 1_000_000, 6)
