"""Which variables hold keys, and environments without them for the programs that we start.

Panes are no such programs: what runs in them gets what its user has.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

_KINDS = r"(?:API_?KEY|AUTH_TOKEN|API_TOKEN|ACCESS_TOKEN|OAUTH_TOKEN|SECRET)(?:_\w+)?"
_PROVIDERS = (
    r"(?:ANTHROPIC|OPENAI|OPENROUTER|GEMINI|GOOGLE|DEEPSEEK|MISTRAL|GROQ|XAI|COHERE|TOGETHER"
    r"|FIREWORKS|CEREBRAS|PERPLEXITY|AZURE_OPENAI|MOONSHOT|ZAI|LUXE\w*)"
)
_PROVIDER_KEY = re.compile(f"{_PROVIDERS}_{_KINDS}")
_ANY_KEY = re.compile(rf"(?:\w+_)?{_KINDS}")


def without_provider_keys(env: Mapping[str, str], secrets: Collection[str] = ()) -> dict[str, str]:
    """Return an environment for programs of the user's: keys of models are not for them.

    `secrets` are further variables to leave out.
    """
    return {
        name: value
        for name, value in env.items()
        if name not in secrets and _PROVIDER_KEY.fullmatch(name.upper()) is None
    }


def without_keys(env: Mapping[str, str]) -> dict[str, str]:
    """Return an environment for programs of ours that need nobody's key, such as git.

    Whose key a variable holds is not asked: a configuration may name any for a provider.
    """
    return {name: value for name, value in env.items() if _ANY_KEY.fullmatch(name.upper()) is None}
