from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from luvus_service.uhp.domain.agents.prompts import (
    DEFAULT_UNTIL,
    LINE_READER_S,
    QUIET_S,
    Turn,
    check_prompt,
    launch_command,
    native_command,
    takes_prompts,
)
from luvus_service.uhp.domain.agents.states import State, StateSource
from luvus_service.uhp.domain.errors import InvalidRequest


def test_the_state_before_the_prompt_never_counts() -> None:
    turn = Turn(5, revision=5)

    assert turn.evidence("done", DEFAULT_UNTIL, 100) is None
    assert turn.evidence("blocked", DEFAULT_UNTIL, 100) is None


def test_a_transition_since_counts_in_any_wanted_state() -> None:
    turn = Turn(5, revision=5)
    turn.saw("idle")
    turn.saw("working")
    turn.saw("blocked")

    assert turn.observed == "working"
    assert turn.evidence("working", DEFAULT_UNTIL, 0) is None
    assert turn.evidence("done", DEFAULT_UNTIL, 0) == "state_transition"


def test_new_output_counts_once_it_has_fallen_silent() -> None:
    turn = Turn(5, revision=5)
    turn.changed(6, 10.0)

    assert turn.evidence("idle", ("idle",), 10 + QUIET_S - 0.01) is None
    assert turn.evidence("idle", ("idle",), 10 + QUIET_S) == "output_settled"
    turn.changed(7, 11.0)
    assert turn.settles_at() == 11 + QUIET_S


@pytest.mark.parametrize("text", ["", "\x1b[A", "a\x00", "x" * 262_145, "\x7f", "\ud800", "\x9b"])
def test_a_text_with_control_characters_or_of_the_wrong_size_is_no_prompt(text: str) -> None:
    with pytest.raises(InvalidRequest):
        check_prompt(text)


@pytest.mark.parametrize("text", ["x" * 262_144, "a\n\tb\r\n", "第二行 🙂"])
def test_plain_text_is_a_prompt(text: str) -> None:
    check_prompt(text)


words = st.text(st.characters(exclude_categories=["Cc", "Cs"]), max_size=12)


@given(st.lists(words, max_size=4))
def test_a_shell_reads_a_launch_line_as_the_words_it_was_made_of(args: list[str]) -> None:
    assert shlex.split(launch_command("claude", args)) == ["claude", *args]


@pytest.mark.parametrize("arg", ["a\nb", "a\rb", "a\0b", "\x1b", "x" * 4097])
def test_an_argument_that_would_end_the_line_is_refused(arg: str) -> None:
    with pytest.raises(InvalidRequest):
        launch_command("claude", [arg])


def test_a_session_id_is_quoted_wherever_it_stands() -> None:
    assert native_command(("copilot", "--resume={id}"), "a-1") == "copilot --resume='a-1'"
    assert shlex.split(native_command(("pi", "--fork", "{id}"), "a'b"))[2] == "a'b"


@pytest.mark.parametrize(
    ("reading", "source", "published", "pastes", "silent_s", "ready"),
    [
        ("idle", "manifest_rule", "unknown", True, 0.0, True),
        ("idle", "manifest_rule", "working", True, 0.0, True),
        ("idle", "manifest_rule", "unknown", False, 60.0, False),
        ("idle", "none", "unknown", True, 60.0, False),
        ("idle", "none", "idle", True, 0.0, True),
        ("idle", "none", "done", True, 0.0, True),
        ("idle", "none", "idle", False, LINE_READER_S - 0.1, False),
        ("idle", "none", "idle", False, LINE_READER_S, True),
        ("idle", "integration_report", "idle", False, 0.0, True),
        ("done", "integration_report", "done", False, 0.0, True),
        ("working", "integration_report", "working", True, 60.0, False),
        ("working", "manifest_rule", "idle", True, 60.0, False),
        ("blocked", "manifest_rule", "idle", True, 60.0, False),
        ("idle", "manifest_rule", "blocked", True, 60.0, False),
        ("unknown", "none", "idle", True, 60.0, False),
    ],
)
def test_an_agent_counts_as_ready_only_once_it_would_take_a_prompt(
    reading: State,
    source: StateSource,
    published: State,
    pastes: bool,
    silent_s: float,
    ready: bool,
) -> None:
    said = takes_prompts(reading, source, published, pastes=pastes, silent_s=silent_s)

    assert said is ready
