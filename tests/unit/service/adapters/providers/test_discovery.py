"""Lists of models as endpoints give them."""

from __future__ import annotations

from typing import Any

from luvus_service.adapters.providers.discovery import MODELS, listed
from luvus_service.adapters.providers.endpoint import Endpoint
from luvus_service.adapters.providers.json_view import View
from luvus_service.adapters.providers.keys import KeySource
from luvus_service.luxe.domain.values import Model, Pricing
from tests.support.provider_requests import MODEL


def found(*entries: Any, prices: str | None = None, form: Any = "openai-chat") -> list[Model]:
    endpoint = Endpoint("e", form, "http://x", KeySource({}), prices=prices)
    return listed(View({"data": list(entries)}), endpoint, {"known": MODEL})


def test_a_router_tells_limits_pictures_thinking_and_prices() -> None:
    [model] = found(
        {
            "id": "a/b",
            "name": "A: B",
            "context_length": 262_144,
            "architecture": {"input_modalities": ["text", "image"]},
            "top_provider": {"max_completion_tokens": 32_000},
            "supported_parameters": ["tools", "reasoning"],
            "pricing": {"prompt": "0.0000012", "completion": "0.000006", "input_cache_read": "0"},
        }
    )

    assert model == Model(
        provider="e",
        model="a/b",
        name="A: B",
        context_window=262_144,
        max_output_tokens=32_000,
        supports_images=True,
        supports_thinking=True,
        thinking_levels=("off", "low", "medium", "high"),
        pricing=Pricing(1.2, 6.0, 0.0, 1.2),
    )


def test_the_other_servers_tell_what_they_can() -> None:
    vllm, claude, plain = found(
        {"id": "qwen", "max_model_len": 32_768},
        {
            "id": "claude-new",
            "display_name": "New",
            "max_input_tokens": 500_000,
            "max_tokens": 64_000,
        },
        {"id": "llama3:latest", "object": "model"},
    )

    assert (vllm.context_window, vllm.max_output_tokens) == (32_768, 8_192)
    assert (claude.name, claude.context_window, claude.max_output_tokens) == (
        "New",
        500_000,
        64_000,
    )
    assert (plain.name, plain.pricing) == ("llama3:latest", None)


def test_what_is_known_or_is_no_model_is_left_out() -> None:
    names = ["known", "", "x" * 300, "a\nb", 7, None, "gpt-7", "text-embedding-9", "gpt-audio"]

    models = found(*({"id": name} for name in names), "text", prices="openai")

    assert [model.model for model in models] == ["gpt-7"]


def test_prices_that_are_no_prices_are_unknown() -> None:
    wrong: list[Any] = [{"prompt": "-1", "completion": "1"}, {"prompt": "free"}, {}, [], None]

    for pricing in wrong:
        [model] = found({"id": "m", "pricing": pricing})
        assert model.pricing is None


def test_a_list_without_end_is_cut_and_a_strange_one_is_empty() -> None:
    assert len(found(*({"id": f"m{n}"} for n in range(MODELS + 5)))) == MODELS
    endpoint = Endpoint("e", "openai-chat", "http://x", KeySource({}))
    assert listed(View([1]), endpoint, {}) == listed(View({"data": "x"}), endpoint, {}) == []
