"""What the built-in rules make of screens of real agents, without the help of a title.

Recorded by `python -m tests.agents --record`, at 120 columns and forks at 60.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from luvus_service.adapters.agents.manifest_files import ManifestFiles
from luvus_service.uhp.domain.agents.rules import Inspected, Text, bottom, decide
from luvus_service.uhp.domain.agents.states import State

RECORDED = Path(__file__).parent / "recorded"
BUILT_IN = ManifestFiles(Path("/nowhere")).load()
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


def judge(name: str, title: str = "") -> State | None:
    """Return what a recorded screen is taken for, with the blank rows that are below it."""
    agent = name.partition("-")[0]
    rows = (RECORDED / f"{name}.txt").read_text(encoding="utf-8").rstrip("\n").split("\n")
    screen = "\n".join(rows + [""] * (ROWS - len(rows)))
    text = bottom(screen, filled=agent in BUILT_IN.filled)
    rule = decide(BUILT_IN.rules, agent, Inspected(Text(title), Text(text)))
    return None if rule is None else rule.state


def test_every_recorded_screen_is_expected() -> None:
    assert sorted(path.stem for path in RECORDED.glob("*.txt")) == sorted(EXPECTED)


@pytest.mark.parametrize("name", EXPECTED)
def test_a_recorded_screen_is_taken_for_what_it_showed(name: str) -> None:
    assert judge(name) == EXPECTED[name]


def test_a_spinner_in_the_title_is_enough_where_the_screen_says_nothing_yet() -> None:
    assert judge("claude-working", "⠐ make made.txt") == "working"
