"""The user's providers: presets by their keys, and a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from luvus_service.adapters.providers import config
from luvus_service.adapters.providers.config import Configured, configured, without_keys
from luvus_service.adapters.providers.endpoint import Endpoint
from luvus_service.luxe.domain.values import PriceTier, Pricing

PRICED = """base_url = "https://x"
[[providers.mine.models]]
model = "x"
[providers.mine.models.pricing]
input = 1
output = 2
"""


def written(home: Path, text: str, environment: dict[str, str] | None = None) -> Configured:
    (home / "providers.toml").write_text(text)
    (home / "providers.toml").chmod(0o600)
    return configured(home, environment or {})


def endpoint(found: Configured, name: str) -> Endpoint:
    return next(p.endpoint for p in found.providers if p.name == name)


def test_without_anything_the_two_known_providers_wait_for_their_keys(tmp_path: Path) -> None:
    found = configured(tmp_path, {})

    assert [(p.name, p.missing_credential()) for p in found.providers] == [
        ("anthropic", "ANTHROPIC_API_KEY"),
        ("openai", "OPENAI_API_KEY"),
    ]
    assert all(p.models() for p in found.providers)
    assert found.faults == ()


def test_a_key_in_the_environment_or_in_a_file_brings_its_provider(tmp_path: Path) -> None:
    (tmp_path / "keys").mkdir()
    (tmp_path / "keys" / "groq").write_text("k")

    found = configured(tmp_path, {"OPENROUTER_API_KEY": "k", "OLLAMA_HOST": "box"})

    assert [p.name for p in found.providers] == [
        "anthropic",
        "openai",
        "openrouter",
        "ollama",
        "groq",
    ]
    assert endpoint(found, "ollama").base_url == "http://box:11434/v1"
    assert [p.missing_credential() for p in found.providers[2:]] == [None, None, None]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("127.0.0.1:9", "http://127.0.0.1:9/v1"),
        ("https://o.example:443/v1/", "https://o.example:443/v1"),
        ("box", "http://box:11434/v1"),
        ("0.0.0.0:5", "http://127.0.0.1:5/v1"),
    ],
)
def test_the_host_of_ollama_is_completed(tmp_path: Path, given: str, expected: str) -> None:
    found = configured(tmp_path, {"OLLAMA_HOST": given})

    assert endpoint(found, "ollama").base_url == expected


def test_another_address_for_openai_speaks_chat_and_needs_no_key(tmp_path: Path) -> None:
    found = configured(
        tmp_path,
        {"OPENAI_BASE_URL": "http://localhost:8000/v1/", "ANTHROPIC_BASE_URL": "http://l:1/v1"},
    )

    openai = endpoint(found, "openai")
    assert (openai.format, openai.base_url) == ("openai-chat", "http://localhost:8000/v1")
    assert (openai.models, openai.prices, openai.keys.missing()) == ((), None, None)
    assert endpoint(found, "anthropic").base_url == "http://l:1"


def test_an_entry_of_the_file_comes_first_and_says_everything(tmp_path: Path) -> None:
    found = written(
        tmp_path,
        """
        [providers.house]
        format = "openai-chat"
        base_url = "https://llm.example/v1/"
        key_env = "HOUSE_KEY"
        headers = { "X-Team" = "blue" }
        header_env = { "X-Token" = "HOUSE_TOKEN" }
        silence_s = 300
        thinking = "none"
        extra_body = { seed = 1 }

        [[providers.house.models]]
        model = "big"
        name = "Big"
        context_window = 1000
        max_output_tokens = 5000
        supports_images = true
        thinking_levels = ["high", "off"]

        [providers.house.models.pricing]
        input = 1
        output = 2
        tiers = [{ above_tokens = 500, input = 2, output = 3, cache_read = 0.5 }]
        """,
        {"HOUSE_KEY": "k", "HOUSE_TOKEN": "t"},
    )

    house = endpoint(found, "house")
    assert found.faults == ()
    assert found.providers[0].name == "house"
    assert house.headers == {"x-team": "blue", "x-token": "t"}
    assert (house.base_url, house.silence_s) == ("https://llm.example/v1", 300.0)
    assert (house.dialect.thinking, house.dialect.extra_body) == ("none", {"seed": 1})
    [model] = house.models
    assert (model.name, model.context_window, model.max_output_tokens) == ("Big", 1000, 1000)
    long = PriceTier(500, 2, 3, 0.5, 2)
    assert (model.thinking_levels, model.pricing) == (("off", "high"), Pricing(1, 2, 1, 1, (long,)))
    assert "HOUSE_KEY" in found.secret_variables


def test_the_example_of_the_page_is_taken_as_it_stands(tmp_path: Path) -> None:
    page = Path(config.__file__).with_name("README.md").read_text()
    example = page.partition("```toml\n")[2].partition("```")[0]

    found = written(tmp_path, example, {"HOUSE_KEY": "k"})

    assert found.faults == ()
    assert [model.model for model in endpoint(found, "house").models] == ["big"]


def test_an_entry_changes_a_preset_in_what_it_names(tmp_path: Path) -> None:
    found = written(
        tmp_path,
        '[providers.anthropic]\nbase_url = "https://proxy.example/v1"\nmodels = ["claude-opus-5"]',
        {"ANTHROPIC_API_KEY": "k"},
    )

    changed = endpoint(found, "anthropic")
    assert (changed.base_url, changed.format) == ("https://proxy.example", "anthropic")
    assert changed.models[0].model == "claude-opus-5"
    assert len([m for m in changed.models if m.model == "claude-opus-5"]) == 1
    assert changed.keys.missing() is None


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ('base_url = "ftp://x"', "base_url"),
        ("", "base_url"),
        ('base_url = "https://user:pw@x"', "no credential"),
        ('base_url = "https://x?key=1"', "no credential"),
        ('base_url = "https://x y"', "base_url"),
        ('base_url = "https://x"\nformat = "soap"', "openai-responses"),
        ('base_url = "https://x"\nkey = "sk-123"', "`key` is not known"),
        ('base_url = "https://x"\nsilence_s = -1', "silence_s"),
        ('base_url = "https://x"\nheaders = { "A B" = "c" }', "headers"),
        ('base_url = "https://x"\nheaders = { A = "c\\r\\nd" }', "headers"),
        ('base_url = "https://x"\nheader_env = { A = "NOT_SET" }', "header_env"),
        ('base_url = "https://x"\nmodels = [7]', "models"),
        ('base_url = "https://x"\nmodels = [{ name = "x" }]', "needs a `model`"),
        ('base_url = "https://x"\nmodels = [{ model = "x", thinking_levels = ["deep"] }]', "among"),
        ('base_url = "https://x"\nmodels = [{ model = "x", pricing = { input = 1 } }]', "output"),
        (f"{PRICED}tiers = [{{ input = 1, output = 1 }}]", "above_tokens"),
        (f"{PRICED}tiers = [{{ above_tokens = 1, input = 1 }}]", "output"),
        (f"{PRICED}tiers = [200000]", "tiers"),
        (f"{PRICED}tiers = [{{ above_tokens = 1, input = 1, price = 2 }}]", "`price` is not known"),
        ('base_url = "https://x"\nthinking = "hard"', "thinking"),
    ],
)
def test_a_wrong_entry_is_left_out_and_explained(tmp_path: Path, entry: str, words: str) -> None:
    found = written(tmp_path, f"[providers.mine]\n{entry}\n[providers.good]\nbase_url='http://g'")

    assert [p.name for p in found.providers] == ["good", "anthropic", "openai"]
    [fault] = found.faults
    assert "[providers.mine]" in fault
    assert words in fault
    assert "sk-123" not in fault
    assert ":pw" not in fault


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("= nonsense", "no TOML"),
        ("providers = 7", "must be a table"),
        ("[other]", "unknown key"),
        ("[providers]\nx = 1", "must be a table"),
    ],
)
def test_a_wrong_file_is_explained_and_the_presets_stay(
    tmp_path: Path, text: str, words: str
) -> None:
    found = written(tmp_path, text)

    assert [p.name for p in found.providers] == ["anthropic", "openai"]
    assert words in found.faults[0]


def test_a_file_that_others_can_write_decides_about_no_address(tmp_path: Path) -> None:
    (tmp_path / "providers.toml").write_text("[providers.evil]\nbase_url='http://evil'")
    (tmp_path / "providers.toml").chmod(0o666)

    found = configured(tmp_path, {})

    assert [p.name for p in found.providers] == ["anthropic", "openai"]
    assert "chmod go-w" in found.faults[0]


def test_children_get_no_variable_that_holds_a_key(tmp_path: Path) -> None:
    environment = {"PATH": "/bin", "ANTHROPIC_API_KEY": "k", "GEMINI_API_KEY": "k"}

    found = configured(tmp_path, environment)

    assert without_keys(environment, found.secret_variables) == {"PATH": "/bin"}
