from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from luvus_service.adapters.agents.hooks import HookFiles
from luvus_service.uhp.domain.agents.integrations import IntegrationFailed

AGENTS = ("claude", "copilot", "codex", "opencode", "kimi", "grok", "hermes", "omp", "pi")
SETTINGS = {
    "claude": ".claude/settings.json",
    "codex": ".codex/hooks.json",
    "kimi": ".kimi-code/config.toml",
    "hermes": ".hermes/config.yaml",
}
OWN = {
    "claude": '{\n\t"model": "opus",\n\t"hooks": {\n\t\t"Stop": [\n\t\t\t{\n\t\t\t\t"hooks": [\n'
    '\t\t\t\t\t{\n\t\t\t\t\t\t"type": "command",\n\t\t\t\t\t\t"command": "say ünï"\n'
    "\t\t\t\t\t}\n\t\t\t\t]\n\t\t\t}\n\t\t]\n\t}\n}",
    "codex": '{\n  "x": 1\n}\n',
    "kimi": '# my own comment\nmodel = "k2"   # kept\n\n'
    '[[hooks]]\nevent = "Stop"\ncommand = "say"\n',
    "hermes": "# mine\nmodel: x\nplugins:\n  enabled:\n    - other\n",
}


def tree(home: Path) -> dict[str, bytes]:
    """Return every file below a folder with its bytes."""
    return {str(p.relative_to(home)): p.read_bytes() for p in home.rglob("*") if p.is_file()}


def hooks(home: Path) -> HookFiles:
    return HookFiles({"HOME": str(home)})


def own_settings(home: Path) -> None:
    for agent, path in SETTINGS.items():
        (home / path).parent.mkdir(parents=True)
        (home / path).write_text(OWN[agent], encoding="utf-8")


def nothing(home: Path) -> None:
    return


def test_the_order_of_the_integrations_is_fixed(tmp_path: Path) -> None:
    assert hooks(tmp_path).status() == [(agent, False) for agent in AGENTS]


@pytest.mark.parametrize("before", [nothing, own_settings])
@pytest.mark.parametrize("agent", AGENTS)
def test_installing_twice_changes_nothing_and_uninstalling_leaves_all_as_it_was(
    tmp_path: Path, agent: str, before: Callable[[Path], None]
) -> None:
    before(tmp_path)
    found = tree(tmp_path)

    hooks(tmp_path).install(agent)
    once = tree(tmp_path)
    installed = dict(hooks(tmp_path).status())
    hooks(tmp_path).install(agent)
    twice = tree(tmp_path)
    hooks(tmp_path).uninstall(agent)
    after = tree(tmp_path)
    hooks(tmp_path).uninstall(agent)

    assert once == twice != found
    assert installed == {name: name == agent for name in AGENTS}
    assert after == found == tree(tmp_path)


def test_the_entries_stand_beside_those_of_the_user(tmp_path: Path) -> None:
    own_settings(tmp_path)
    for agent in ("claude", "kimi", "hermes"):
        hooks(tmp_path).install(agent)

    settings = json.loads((tmp_path / SETTINGS["claude"]).read_text())
    config = tomllib.loads((tmp_path / SETTINGS["kimi"]).read_text())
    plugins = (tmp_path / SETTINGS["hermes"]).read_text()

    assert settings["model"] == "opus"
    assert len(settings["hooks"]["Stop"]) == 2
    assert set(settings["hooks"]) == {"Stop", "SessionStart", "Notification"}
    assert [table["event"] for table in config["hooks"]] == [
        "Stop",
        "SessionStart",
        "Notification",
        "Stop",
    ]
    assert plugins == OWN["hermes"].replace(
        "    - other\n", "    - luvus-agent-state\n    - other\n"
    )


@pytest.mark.parametrize("text", ["{", "[]", '{"hooks": 1}', "\ufeff{}"])
def test_settings_that_cannot_be_understood_are_left_alone(tmp_path: Path, text: str) -> None:
    path = tmp_path / SETTINGS["claude"]
    path.parent.mkdir()
    path.write_text(text, encoding="utf-8")

    with pytest.raises(IntegrationFailed):
        hooks(tmp_path).install("claude")

    assert tree(tmp_path) == {SETTINGS["claude"]: text.encode()}


def test_a_script_edited_into_something_else_or_a_link_is_never_touched(tmp_path: Path) -> None:
    script = tmp_path / ".claude" / "luvus-agent-hook.sh"
    script.parent.mkdir()
    script.write_text("#!/bin/sh\nmine\n")
    with pytest.raises(IntegrationFailed):
        hooks(tmp_path).install("claude")
    script.unlink()
    target = tmp_path / "target"
    target.write_text("luvus-managed")
    script.symlink_to(target)
    for change in (hooks(tmp_path).install, hooks(tmp_path).uninstall):
        with pytest.raises(IntegrationFailed):
            change("claude")

    assert script.is_symlink()
    assert target.read_text() == "luvus-managed"
    assert not (tmp_path / SETTINGS["claude"]).exists()


def test_settings_behind_a_link_are_changed_where_they_are(tmp_path: Path) -> None:
    real = tmp_path / "dotfiles" / "claude.json"
    real.parent.mkdir()
    real.write_text('{\n  "model": "opus"\n}\n')
    real.chmod(0o640)
    path = tmp_path / SETTINGS["claude"]
    path.parent.mkdir()
    path.symlink_to(real)

    hooks(tmp_path).install("claude")

    assert path.is_symlink()
    assert "hooks" in json.loads(real.read_text())
    assert real.stat().st_mode & 0o777 == 0o640


def test_when_one_file_cannot_be_written_none_is_changed(tmp_path: Path) -> None:
    folder = tmp_path / ".hermes"
    folder.mkdir()
    (folder / "config.yaml").mkdir()

    with pytest.raises(IntegrationFailed):
        hooks(tmp_path).install("hermes")

    assert tree(tmp_path) == {}


def test_a_plugin_list_in_another_form_is_left_to_the_user(tmp_path: Path) -> None:
    path = tmp_path / SETTINGS["hermes"]
    path.parent.mkdir()
    path.write_text("plugins: {enabled: []}\n")

    with pytest.raises(IntegrationFailed, match="add luvus-agent-state"):
        hooks(tmp_path).install("hermes")


def test_an_agent_without_an_integration_is_unknown(tmp_path: Path) -> None:
    with pytest.raises(KeyError):
        hooks(tmp_path).install("aider")
