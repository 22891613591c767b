"""The hooks that agents run for us: which files, with which contents, for each agent."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, cast

from luvus_service.adapters.agents import editing
from luvus_service.adapters.agents.base import Places
from luvus_service.adapters.agents.editing import Change
from luvus_service.uhp.domain.agents.integrations import IntegrationFailed

FILES = Path(__file__).parent / "hook_files"
SCRIPT = "luvus-agent-hook.sh"
PLUGIN = "luvus-agent-state"


def packaged(name: str) -> str:
    """Return the text of a file that we install."""
    return (FILES / name).read_text(encoding="utf-8")


class Hook(Protocol):
    """One agent's integration."""

    def installed(self) -> bool:
        """Tell whether all of it is there."""
        ...

    def changes(self, *, install: bool) -> list[Change]:
        """Return what has to change."""
        ...


@dataclass(frozen=True, slots=True)
class SettingsHook:
    """A script, and entries under `hooks` of a JSON settings file."""

    agent: str
    settings: Path
    events: Mapping[str, str]
    """Each event and its matcher; "" for none."""
    copilot: bool = False
    """GitHub's form of the same."""

    @property
    def script(self) -> Path:
        """Our script, beside the settings."""
        return self.settings.parent / SCRIPT

    def installed(self) -> bool:
        """Tell whether script and entries are there."""
        try:
            hooks = editing.read_json(self.settings).get("hooks")
        except IntegrationFailed:
            return False
        if not isinstance(hooks, dict) or not editing.is_ours(self.script):
            return False
        known = cast("dict[str, Any]", hooks)
        return all(any(map(_is_ours, _entries(known, e))) for e in self.events)

    def changes(self, *, install: bool) -> list[Change]:
        """Return the settings with our entries only added or taken away, and the script."""
        settings = editing.read_json(self.settings)
        hooks = settings.get("hooks", {})
        if not isinstance(hooks, dict):
            raise IntegrationFailed(f"`hooks` in {self.settings} is no object; repair it first")
        wanted = dict(cast("dict[str, Any]", hooks))
        for event in dict.fromkeys((*wanted, *self.events)):
            entries = _entries(wanted, event)
            wants = install and event in self.events
            new = self._entry(event, self.events[event]) if wants else None
            if new is None or new not in entries:
                kept = [entry for entry in entries if not _is_ours(entry)]
                _put(wanted, event, kept if new is None else [*kept, new])
        if install and self.copilot:
            settings = {"version": 1, **settings}
        settings = {**settings, "hooks": wanted}
        if not wanted:
            del settings["hooks"]
            if self.copilot and settings == {"version": 1}:
                settings = {}
        text = packaged(SCRIPT) if install else None
        return [
            editing.own(self.script, text, executable=True),
            editing.dumped(self.settings, settings),
        ]

    def _entry(self, event: str, matcher: str) -> dict[str, Any]:
        kind = event[:1].upper() + event[1:]
        command = f"sh {shlex.quote(str(self.script))} {self.agent} {kind}"
        if self.copilot:
            return {"type": "command", "bash": command, "timeoutSec": 10}
        entry: dict[str, Any] = {"matcher": matcher} if matcher else {}
        return {**entry, "hooks": [{"type": "command", "command": command}]}


@dataclass(frozen=True, slots=True)
class TomlHook:
    """A script, and a marked block of `[[hooks]]` at the end of a TOML file."""

    agent: str
    config: Path
    events: Mapping[str, str]

    @property
    def script(self) -> Path:
        """Our script, beside the configuration."""
        return self.config.parent / SCRIPT

    def installed(self) -> bool:
        """Tell whether script and block are there."""
        try:
            return editing.is_ours(self.script) and editing.BEGIN in (
                editing.read(self.config) or ""
            )
        except IntegrationFailed:
            return False

    def changes(self, *, install: bool) -> list[Change]:
        """Return the configuration with or without our block, and the script."""
        block = "\n\n".join(self._table(*event) for event in self.events.items())
        text = packaged(SCRIPT) if install else None
        return [
            editing.own(self.script, text, executable=True),
            editing.with_block(self.config, block if install else None),
        ]

    def _table(self, event: str, matcher: str) -> str:
        command = f"sh {shlex.quote(str(self.script))} {self.agent} {event}"
        lines = ["[[hooks]]", f'event = "{event}"']
        if matcher:
            lines.append(f'matcher = "{matcher}"')
        escaped = command.replace("\\", "\\\\").replace('"', '\\"')
        return "\n".join([*lines, f'command = "{escaped}"'])


@dataclass(frozen=True, slots=True)
class FileHook:
    """Files that are all ours, in a folder that the agent loads."""

    files: Mapping[Path, str]

    def installed(self) -> bool:
        """Tell whether all files are there."""
        return all(map(editing.is_ours, self.files))

    def changes(self, *, install: bool) -> list[Change]:
        """Return the files, or their removal."""
        return [editing.own(path, text if install else None) for path, text in self.files.items()]


@dataclass(frozen=True, slots=True)
class HermesHook:
    """A plugin folder, named in the list of enabled plugins."""

    base: Path

    @property
    def _files(self) -> FileHook:
        folder = self.base / "plugins" / PLUGIN
        texts = {
            folder / "plugin.yaml": packaged("hermes_plugin.yaml"),
            folder / "__init__.py": packaged("hermes_plugin.py.txt"),
        }
        return FileHook(texts)

    def installed(self) -> bool:
        """Tell whether the plugin is there and enabled."""
        try:
            config = editing.read(self.base / "config.yaml") or ""
        except IntegrationFailed:
            return False
        return self._files.installed() and re.search(_ENABLED, config, re.MULTILINE) is not None

    def changes(self, *, install: bool) -> list[Change]:
        """Return the plugin's files, and the configuration with or without its name."""
        path = self.base / "config.yaml"
        found = editing.read(path) or ""
        text = re.sub(_ENABLED + r"\n?", "", found, flags=re.MULTILINE)
        # Our heading goes too, unless somebody has put plugins of their own under it.
        text = re.sub(re.escape(_WHOLE) + r"(?![ \t]+- )", "", text)
        if install:
            text = _enabled(path, text)
        return [*self._files.changes(install=install), Change(path, text or None)]


_ENABLED = rf"^[ \t]*- {PLUGIN}[ \t]*$"
_WHOLE = "plugins:\n  enabled:\n  # luvus-managed\n"


def _enabled(path: Path, text: str) -> str:
    # A YAML library would write the whole file anew; one line in a known place does not.
    listed = re.search(r"^plugins:[ \t]*\n(?:[ \t]+.*\n)*?([ \t]+)enabled:[ \t]*\n", text, re.M)
    if listed is not None:
        line = f"{listed.group(1)}  - {PLUGIN}\n"
        following = re.match(r"([ \t]*)- ", text[listed.end() :])
        if following is not None:
            line = f"{following.group(1)}- {PLUGIN}\n"
        return text[: listed.end()] + line + text[listed.end() :]
    if re.search(r"^plugins:", text, re.M):
        raise IntegrationFailed(
            f"`plugins` in {path} is not written as a list of lines; add {PLUGIN} to `enabled`"
        )
    gap = "" if not text or text.endswith("\n") else "\n"
    return f"{text}{gap}{_WHOLE}  - {PLUGIN}\n"


class HookFiles:
    """The integrations of this user's agents."""

    def __init__(self, env: Mapping[str, str]) -> None:
        places = Places(env)
        home = places.home
        config = places.folder("XDG_CONFIG_HOME", ".config")
        started = {"SessionStart": "startup|resume"}
        talks = {"SessionStart": "", "Notification": "", "Stop": ""}
        extension = packaged("luvus-extension.ts")
        self._hooks: dict[str, Hook] = {
            "claude": SettingsHook(
                "claude", places.folder("CLAUDE_CONFIG_DIR", ".claude") / "settings.json", talks
            ),
            "copilot": SettingsHook(
                "copilot",
                home / ".copilot" / "hooks" / "luvus.json",
                {"sessionStart": ""},
                copilot=True,
            ),
            "codex": SettingsHook(
                "codex", places.folder("CODEX_HOME", ".codex") / "hooks.json", started
            ),
            "opencode": FileHook(
                {config / "opencode" / "plugin" / "luvus.js": packaged("luvus-opencode.js")}
            ),
            "kimi": TomlHook(
                "kimi",
                places.folder("KIMI_CODE_HOME", ".kimi-code") / "config.toml",
                {**talks, **started},
            ),
            "grok": SettingsHook(
                "grok",
                places.folder("GROK_HOME", ".grok") / "hooks" / "luvus.json",
                {**talks, "SubagentStop": ""},
            ),
            "hermes": HermesHook(places.folder("HERMES_HOME", ".hermes")),
            "omp": FileHook(
                {
                    home / ".omp" / "agent" / "extensions" / "luvus.ts": extension.replace(
                        "@AGENT@", "omp"
                    )
                }
            ),
            "pi": FileHook(
                {
                    places.folder("PI_CODING_AGENT_DIR", ".pi", "agent")
                    / "extensions"
                    / "luvus.ts": extension.replace("@AGENT@", "pi")
                }
            ),
        }

    def status(self) -> Sequence[tuple[str, bool]]:
        """Return each agent that can be integrated, and whether it is."""
        return [(agent, hook.installed()) for agent, hook in self._hooks.items()]

    def install(self, agent: str) -> None:
        """Write an agent's hook files; a second time changes nothing."""
        editing.apply(self._hooks[agent].changes(install=True))

    def uninstall(self, agent: str) -> None:
        """Remove our own entries from an agent's files, and nothing else."""
        editing.apply(self._hooks[agent].changes(install=False))


def _put(hooks: dict[str, Any], event: str, entries: list[Any]) -> None:
    """Set an event's entries; an event that only we had goes away, anything else stays."""
    if entries == hooks.get(event, []):
        return
    if entries:
        hooks[event] = entries
    else:
        hooks.pop(event, None)


def _entries(hooks: Mapping[str, Any], event: str) -> list[Any]:
    found: Any = hooks.get(event, [])
    return [*found] if isinstance(found, list) else []


def _is_ours(entry: Any) -> bool:
    if not isinstance(entry, dict):
        return False
    own = cast("dict[str, Any]", entry)
    commands: list[Any] = [own, *_entries(own, "hooks")]
    return any(
        SCRIPT in str(cast("dict[str, Any]", command).get(key, ""))
        for command in commands
        if isinstance(command, dict)
        for key in ("command", "bash")
    )
