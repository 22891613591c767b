"""The agents that are driven: their packages, and how each is pointed at the local provider.

Keys are dummies and every file goes to a private home. Versions are those that run on Node 20.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

MODEL = "scripted-1"
KEY = "sk-local-000000000000000000000000"
COMMAND = "touch made.txt"
ANSWER = "The file is made."
FIRST_PAUSE_S = 3
"""How long the provider thinks, so that an agent can be seen working."""

GATE = """export default function (pi: any) {
  pi.on("tool_call", async (event: any, ctx: any) => {
    if (event.toolName !== "bash") return
    const asked = `Run this command?\\n\\n  ${event.input.command}`
    const choice = await ctx.ui.select(asked, ["Yes", "No"])
    if (choice !== "Yes") return { block: true, reason: "refused" }
  })
}
"""
"""pi asks nothing by itself; extensions of this form are how its users make it ask."""


@dataclass(frozen=True)
class Scene:
    """Where an agent is to live: its home, its project, its provider."""

    home: Path
    project: Path
    url: str


@dataclass(frozen=True)
class Kind:
    """One agent."""

    name: str
    package: str
    version: str
    configure: Callable[[Scene], Mapping[str, str]]
    """Write its settings and return the variables it needs."""
    tool: str
    """The tool with which it runs a command."""
    arguments: Mapping[str, Any] = field(default_factory=lambda: {"command": COMMAND})
    yes: Sequence[str] = ("enter",)
    """The keys that allow what it asks for."""
    greeted: Sequence[str] = ()
    """The keys that answer what it asks at its start, if it asks."""

    def script(self) -> list[dict[str, Any]]:
        """Return what the provider answers: a tool call, then a text."""
        call = {"name": self.tool, "input": dict(self.arguments), "call_id": "call_1"}
        used = {"fresh": 1000, "output": 50}
        turns = ([{"pause": FIRST_PAUSE_S}, {"call": call}], [{"pause": 1}, {"say": ANSWER}])
        return [
            {"steps": steps, "usage": used, "message_id": f"msg_{number}"}
            for number, steps in enumerate(turns, 1)
        ]


def written(path: Path, value: Any) -> None:
    """Write a settings file, as JSON unless it is a text."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value, indent=2))


def _claude(scene: Scene) -> Mapping[str, str]:
    written(
        scene.home / ".claude.json",
        {
            "hasCompletedOnboarding": True,
            "theme": "dark",
            "customApiKeyResponses": {"approved": [KEY[-20:]], "rejected": []},
            "projects": {
                str(scene.project): {
                    "hasTrustDialogAccepted": True,
                    "hasCompletedProjectOnboarding": True,
                }
            },
        },
    )
    # Newer versions let a classifier answer instead of the person.
    written(scene.home / ".claude" / "settings.json", {"permissions": {"defaultMode": "default"}})
    return {
        "ANTHROPIC_BASE_URL": scene.url,
        "ANTHROPIC_API_KEY": KEY,
        "ANTHROPIC_MODEL": MODEL,
        "ANTHROPIC_SMALL_FAST_MODEL": MODEL,
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
    }


def _codex(scene: Scene) -> Mapping[str, str]:
    written(
        scene.home / ".codex" / "config.toml",
        f"""model = "{MODEL}"
model_provider = "local"
approval_policy = "on-request"
sandbox_mode = "workspace-write"
check_for_update_on_startup = false

[model_providers.local]
name = "local"
base_url = "{scene.url}/v1"
wire_api = "responses"
env_key = "LOCAL_KEY"

[projects."{scene.project}"]
trust_level = "trusted"
""",
    )
    return {"LOCAL_KEY": KEY}


def _opencode(scene: Scene) -> Mapping[str, str]:
    written(
        scene.home / ".config" / "opencode" / "opencode.json",
        {
            "autoupdate": False,
            "share": "disabled",
            "model": f"local/{MODEL}",
            "permission": {"bash": "ask"},
            "provider": {
                "local": {
                    "npm": "@ai-sdk/openai-compatible",
                    "name": "local",
                    "options": {"baseURL": f"{scene.url}/v1", "apiKey": KEY},
                    "models": {MODEL: {"name": MODEL}},
                }
            },
        },
    )
    return {
        "OPENCODE_DISABLE_MODELS_FETCH": "1",
        "OPENCODE_DISABLE_AUTOUPDATE": "1",
        "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
    }


def _pi(scene: Scene) -> Mapping[str, str]:
    agent = scene.home / ".pi" / "agent"
    written(
        agent / "models.json",
        {
            "providers": {
                "local": {
                    "baseUrl": f"{scene.url}/v1",
                    "api": "openai-completions",
                    "apiKey": KEY,
                    "models": [{"id": MODEL}],
                }
            }
        },
    )
    written(agent / "settings.json", {"defaultProvider": "local", "defaultModel": MODEL})
    written(agent / "extensions" / "gate.ts", GATE)
    return {"PI_OFFLINE": "1", "PI_SKIP_VERSION_CHECK": "1", "PI_TELEMETRY": "0"}


KINDS: tuple[Kind, ...] = (
    Kind("pi", "@earendil-works/pi-coding-agent", "0.74.2", _pi, "bash"),
    Kind(
        "codex",
        "@openai/codex",
        "0.171.0",
        _codex,
        "exec_command",
        {
            "cmd": COMMAND,
            "sandbox_permissions": "require_escalated",
            "justification": "May it make a file?",
        },
        yes=("y",),
        # It wants new hooks to be trusted.
        greeted=("2", "enter"),
    ),
    Kind(
        "opencode",
        "opencode-ai",
        "1.18.33",
        _opencode,
        "bash",
        {"command": COMMAND, "description": "Makes a file"},
    ),
    Kind(
        "claude",
        "@anthropic-ai/claude-code",
        "2.1.332",
        _claude,
        "Bash",
        {"command": COMMAND, "description": "Makes a file"},
        # It wants to ask no more.
        greeted=("down", "enter"),
    ),
)
