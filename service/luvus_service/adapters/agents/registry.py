"""All built-in adapters in the order of their precedence."""

from __future__ import annotations

from collections.abc import Mapping

from luvus_service.adapters.agents.aider import Aider
from luvus_service.adapters.agents.amp import Amp
from luvus_service.adapters.agents.base import Adapter, Places
from luvus_service.adapters.agents.claude import Claude
from luvus_service.adapters.agents.codex import Codex
from luvus_service.adapters.agents.copilot import Copilot
from luvus_service.adapters.agents.cursor import Cursor
from luvus_service.adapters.agents.droid import Droid
from luvus_service.adapters.agents.gemini import Gemini, Qwen
from luvus_service.adapters.agents.grok import Grok
from luvus_service.adapters.agents.hermes import Hermes
from luvus_service.adapters.agents.kimi import Kimi
from luvus_service.adapters.agents.luxe import Luxe
from luvus_service.adapters.agents.opencode import OpenCode
from luvus_service.adapters.agents.pi import Pi

ALL: tuple[type[Adapter], ...] = (
    Claude,
    Codex,
    Gemini,
    Aider,
    OpenCode,
    Copilot,
    Kimi,
    Qwen,
    Cursor,
    Amp,
    Droid,
    Grok,
    Hermes,
    Pi,
    Luxe,
)


def adapters(env: Mapping[str, str]) -> tuple[Adapter, ...]:
    """Return the adapters for a user's environment."""
    places = Places(env)
    return tuple(adapter(places) for adapter in ALL)
