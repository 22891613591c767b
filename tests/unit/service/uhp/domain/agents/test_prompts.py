from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from luvus_service.uhp.domain.agents.prompts import (
    DEFAULT_UNTIL,
    QUIET_S,
    Turn,
    check_prompt,
    launch_command,
    native_command,
)
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
