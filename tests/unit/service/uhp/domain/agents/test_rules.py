from __future__ import annotations

import textwrap
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from luvus_service.adapters.agents.manifest_files import ManifestFiles
from luvus_service.uhp.domain.agents.manifests import Catalog
from luvus_service.uhp.domain.agents.rules import (
    HINT_LINES,
    Inspected,
    Rule,
    Text,
    bottom,
    decide,
    hint,
    is_spinner,
)
from luvus_service.uhp.domain.agents.states import State

WIDTHS = (40, 80, 200)
BUILT_IN = ManifestFiles(Path("/nowhere")).load()


def boxed(lines: list[str], width: int) -> str:
    """Draw lines in a box as a program of this width would, broken where they do not fit."""
    inner = width - 4
    broken = [part for line in lines for part in (textwrap.wrap(line, inner) or [""])]
    return "\n".join(
        ["╭" + "─" * (width - 2) + "╮", *(f"│ {p:<{inner}} │" for p in broken), "╰" + "─" * 9 + "╯"]
    )


def wrapped(lines: list[str], width: int) -> str:
    """Write lines as a terminal of this width shows them."""
    return "\n".join(part for line in lines for part in (textwrap.wrap(line, width) or [""]))


def judge(agent: str, screen: str, title: str = "", catalog: Catalog = BUILT_IN) -> State | None:
    """Return what the built-in rules make of a screen."""
    rows = catalog.rows.get(agent, 14)
    text = bottom(screen, rows=rows, filled=agent in catalog.filled)
    rule = decide(catalog.rules, agent, Inspected(Text(title), Text(text)))
    return None if rule is None else rule.state


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize(
    ("agent", "lines"),
    [
        ("claude", ["Bash command", "npm test", "Do you want to proceed?", "❯ 1. Yes", "2. No"]),
        (
            "claude",
            [
                "Claude wants to edit a file whose name is rather long, src/components/Button.tsx",
                "Do you want to make this edit? Enter to select · Tab to add · Esc to cancel",
            ],
        ),
        ("codex", ["Would you like to run the following command?", "Press Enter to confirm"]),
        ("gemini", ["Apply this change?", "● Yes, allow once", "No (esc)"]),
        ("grok", ["Run rm -rf build?", "Always allow", "Never allow this"]),
        ("opencode", ["Permission required", "Allow once", "Waiting for approval"]),
        ("hermes", ["Dangerous command: approve?", "Enter to confirm"]),
        ("cursor", ["Run this command?", "Run (once) (y)", "Skip (esc or n)"]),
        ("droid", ["> Yes, allow", "No, cancel"]),
        ("kimi", ["↑↓ select", "choose with enter to confirm"]),
    ],
)
def test_a_dialog_is_blocked_at_every_width(agent: str, lines: list[str], width: int) -> None:
    assert judge(agent, boxed(lines, width)) == "blocked"


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize(
    ("agent", "lines", "title"),
    [
        ("claude", ["✻ Pondering… (12s · esc to interrupt)", "> "], ""),
        ("claude", ["* Brewing… (3s · ↓ 1.2k tokens)", "> "], ""),
        ("claude", ["> "], "⠂ fix the build"),
        ("codex", ["• Working (3s • esc to interrupt)", "› "], ""),
        ("gemini", ["⠼ Thinking about it (esc to cancel, 4s)", "> "], ""),
        ("grok", ["◐ Editing", "Ctrl+c:cancel"], ""),
        ("cursor", ["Generating", "ctrl+c to stop"], ""),
        ("hermes", ["working", "msg=interrupt"], ""),
        ("hermes", ["> "], "⏳ hermes"),
        ("omp", ["> "], "π : project"),
        ("omp", ["> "], "π ⠋ project"),
        ("fx", ["• Thinking"], ""),
    ],
)
def test_a_busy_screen_or_title_is_working_at_every_width(
    agent: str, lines: list[str], title: str, width: int
) -> None:
    assert judge(agent, wrapped(lines, width), title) == "working"


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("agent", ["claude", "codex", "gemini", "pi", "opencode", "aider"])
def test_a_composer_that_waits_says_nothing_of_work_or_questions(agent: str, width: int) -> None:
    screen = wrapped(["I changed three files.", "", "─" * 30, "> ", "─" * 30, "? for help"], width)

    assert judge(agent, screen) is None


def test_one_signal_is_enough_for_working_whichever_is_left() -> None:
    title, screen = "⠋ claude", "✻ Thinking (esc to interrupt)"

    assert {
        judge("claude", screen, title),
        judge("claude", screen),
        judge("claude", "> ", title),
    } == {"working"}


def test_a_question_beats_the_spinner_above_it() -> None:
    assert judge("claude", "⠋ running\nDo you want to proceed?\n❯ 1. Yes", "⠋ x") == "blocked"


def test_only_the_last_rows_count_and_blank_ones_only_where_they_are_drawn() -> None:
    old = "do you want to proceed?" + "\n" * 20 + "> "

    assert judge("gemini", old) is None
    assert judge("claude", old) == "blocked"


def test_the_highest_priority_wins_and_of_equal_ones_the_later() -> None:
    rules = (
        Rule("idle", 5, any=("x",)),
        Rule("working", 7, any=("x",)),
        Rule("blocked", 7, any=("x",)),
        Rule("done", 9, agent="other", any=("x",)),
    )

    assert decide(rules, "claude", Inspected(Text(""), Text("X"))) is rules[2]


@pytest.mark.parametrize(
    ("rule", "text", "holds"),
    [
        (Rule("idle", any=("a", "b")), "b", True),
        (Rule("idle", all=("a", "b")), "a", False),
        (Rule("idle", any=("a",), none=("b",)), "a b", False),
        (Rule("idle", groups=(("a", "b"), ("c",))), "b c", True),
        (Rule("idle", groups=(("a", "b"), ("c",))), "b", False),
        (Rule("idle", spinner=True), "  ⠋ x", True),
        (Rule("idle", spinner=True), "x ⠋", False),
        (Rule("idle", spinner=True), "⠙⠙ x", True),
        (Rule("idle", spinner=True), "⣀⣤⣤⣀ a logo", False),
        (Rule("idle", spinner=True), "⠀ x", False),
        (Rule("idle", starts_with=("⚠",)), " ⚠ x", True),
        (Rule("idle", spinner_after=("π ",)), "π ⠋", True),
        (Rule("idle", spinner_after=("π ",)), "⠋", False),
        (Rule("idle", any=("one two",)), "│ one   │\n│ two   │", True),
    ],
)
def test_a_rule_holds_when_all_its_conditions_do(rule: Rule, text: str, holds: bool) -> None:
    assert rule.has_condition
    assert rule.holds(Text(text)) is holds


@pytest.mark.parametrize(
    ("screen", "expected"),
    [
        ("│ Run this? │\n│ 2. No     │\n╰──────────╯\n", "Run this?"),
        ("Sure?\n> do it\nReally do it?\n❯ 1. Yes\n\n  2. No\n  Esc to cancel", "Really do it?"),
        ("△ Permission required\n  Allow once  Reject\n", "Allow once  Reject"),
        ("what is this?\n" + "an answer\n" * HINT_LINES + "1. Yes", "1. Yes"),
        ("1. Yes\n? for shortcuts", "? for shortcuts"),
        ("╰───╯\n  ", None),
        ("", None),
    ],
)
def test_the_hint_is_the_question_above_the_answers_or_the_last_line(
    screen: str, expected: str | None
) -> None:
    assert hint(screen) == expected


@given(st.text(max_size=400), st.text(max_size=80))
def test_any_screen_and_title_can_be_judged(screen: str, title: str) -> None:
    for agent in ("", *BUILT_IN.registry.agents):
        assert judge(agent, screen, title) in (None, "idle", "working", "blocked")


@given(st.characters())
def test_spinners_are_the_braille_moons_and_quarters(character: str) -> None:
    code = ord(character)
    inside = 0x2801 <= code <= 0x28FF or 0x1F311 <= code <= 0x1F318 or 0x25D0 <= code <= 0x25D3

    assert is_spinner(character) is inside
