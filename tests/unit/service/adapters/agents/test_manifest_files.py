from __future__ import annotations

import logging
from pathlib import Path

import pytest

from luvus_service.adapters.agents.manifest_files import BUILT_IN, EXAMPLE, ManifestFiles
from luvus_service.uhp.domain.agents.rules import Inspected, Text, bottom, decide
from luvus_service.uhp.domain.agents.states import State

RECORDED = Path(__file__).parent / "recorded"
"""Screens of real agents, from `python -m tests.agents --record`: 120 columns, forks 60."""
CATALOG = ManifestFiles(Path("/nowhere")).load()
ROWS = 40

EXPECTED: dict[str, State | None] = {
    "claude-greeting": "blocked",
    "claude-prompt": "idle",
    # It has shown nothing but the title yet.
    "claude-working": None,
    "claude-blocked": "blocked",
    "claude-keys": "working",
    "claude-done": "idle",
    "codex-greeting": "blocked",
    "codex-prompt": "idle",
    "codex-working": "working",
    "codex-blocked": "blocked",
    "codex-keys": "working",
    "codex-done": "idle",
    "codex-forked": "idle",
    # The shell's echo: a prompt sent now would be lost.
    "opencode-start": None,
    "opencode-prompt": "idle",
    "opencode-working": "working",
    "opencode-blocked": "blocked",
    "opencode-keys": "working",
    "opencode-done": "idle",
    "opencode-forked": "idle",
    "pi-start": "idle",
    "pi-working": "working",
    "pi-blocked": "blocked",
    "pi-keys": "working",
    "pi-done": "idle",
    "pi-forked": "idle",
}


def test_every_built_in_manifest_is_whole(caplog: pytest.LogCaptureFixture) -> None:
    found = ManifestFiles(Path("/nowhere")).load()

    assert not caplog.records
    assert len(found.registry.agents) == len(list(BUILT_IN.glob("*.toml"))) - 1


def test_managed_files_come_before_the_users_and_bad_ones_are_named(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    own, managed = tmp_path / "manifests", tmp_path / "manifests" / "managed"
    managed.mkdir(parents=True)
    (managed / "z.toml").write_text('agent = "m"\n[identity]\n')
    (own / "a.toml").write_text('agent = "u"\n[identity]\n[[rule]]\nstate = "idle"\n')
    (own / "bad.toml").write_text("= [")
    (own / "binary.toml").write_bytes(b"\xff\xfe")
    (own / "huge.toml").write_bytes(b"#" * 300_000)
    (own / "note.txt").write_text("agent = 1")

    with caplog.at_level(logging.WARNING):
        found = ManifestFiles(tmp_path).load()

    assert list(found.registry.agents)[-2:] == ["m", "u"]
    messages = "\n".join(record.getMessage() for record in caplog.records)
    assert [name in messages for name in ("bad", "binary", "huge", "rule 1 has no condition")] == [
        True
    ] * 4


def test_an_example_is_dropped_once_and_not_loaded(tmp_path: Path) -> None:
    ManifestFiles(tmp_path).load()
    example = tmp_path / "manifests" / EXAMPLE
    assert "myagent" in example.read_text()
    example.unlink()

    found = ManifestFiles(tmp_path).load()

    assert not example.exists()
    assert "myagent" not in found.registry.agents


def judge(name: str, title: str = "") -> State | None:
    """Return what a recorded screen is taken for, with the blank rows that are below it."""
    agent = name.partition("-")[0]
    rows = (RECORDED / f"{name}.txt").read_text(encoding="utf-8").rstrip("\n").split("\n")
    screen = "\n".join(rows + [""] * (ROWS - len(rows)))
    text = bottom(screen, filled=agent in CATALOG.filled)
    rule = decide(CATALOG.rules, agent, Inspected(Text(title), Text(text)))
    return None if rule is None else rule.state


def test_every_recorded_screen_is_expected() -> None:
    assert sorted(path.stem for path in RECORDED.glob("*.txt")) == sorted(EXPECTED)


@pytest.mark.parametrize("name", EXPECTED)
def test_a_recorded_screen_is_taken_for_what_it_showed(name: str) -> None:
    assert judge(name) == EXPECTED[name]


def test_a_spinner_in_the_title_is_enough_where_the_screen_says_nothing_yet() -> None:
    assert judge("claude-working", "⠐ make made.txt") == "working"
