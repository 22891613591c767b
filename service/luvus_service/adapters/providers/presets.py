"""Endpoints that need no configuration but a key."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from luvus_service.adapters.providers.wire import Dialect, FormatName


@dataclass(frozen=True, slots=True)
class Preset:
    """An endpoint everybody knows."""

    name: str
    format: FormatName
    base_url: str
    variables: tuple[str, ...] = ()
    bearer_variables: tuple[str, ...] = ()
    url_variable: str | None = None
    """Names another address; a bare host is taken as well."""
    dialect: Dialect = field(default_factory=Dialect)
    always: bool = False
    """Shown without a key too, so that its models can be asked for by name."""

    @property
    def all_variables(self) -> tuple[str, ...]:
        """Return the variables that may hold its credential."""
        return (*self.variables, *self.bearer_variables)


_OPENAI: Final = Dialect(output_limit_field="max_completion_tokens")
_PLAIN: Final = Dialect(thinking="none")

PRESETS: Final[tuple[Preset, ...]] = (
    Preset(
        "anthropic",
        "anthropic",
        "https://api.anthropic.com",
        ("ANTHROPIC_API_KEY",),
        ("ANTHROPIC_AUTH_TOKEN",),
        "ANTHROPIC_BASE_URL",
        always=True,
    ),
    Preset(
        "openai",
        "openai-responses",
        "https://api.openai.com/v1",
        ("OPENAI_API_KEY",),
        url_variable="OPENAI_BASE_URL",
        dialect=_OPENAI,
        always=True,
    ),
    Preset(
        "openrouter",
        "openai-chat",
        "https://openrouter.ai/api/v1",
        ("OPENROUTER_API_KEY",),
        dialect=Dialect(thinking="openrouter"),
    ),
    Preset(
        "ollama",
        "openai-chat",
        "http://127.0.0.1:11434/v1",
        url_variable="OLLAMA_HOST",
    ),
    Preset(
        "google",
        "openai-chat",
        "https://generativelanguage.googleapis.com/v1beta/openai",
        ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    ),
    Preset(
        "deepseek", "openai-chat", "https://api.deepseek.com", ("DEEPSEEK_API_KEY",), dialect=_PLAIN
    ),
    Preset(
        "mistral", "openai-chat", "https://api.mistral.ai/v1", ("MISTRAL_API_KEY",), dialect=_PLAIN
    ),
    Preset("groq", "openai-chat", "https://api.groq.com/openai/v1", ("GROQ_API_KEY",)),
    Preset("x-ai", "openai-chat", "https://api.x.ai/v1", ("XAI_API_KEY",)),
)
