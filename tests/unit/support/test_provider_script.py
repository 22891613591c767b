"""Scripts of the local provider server, as they are written in files."""

from __future__ import annotations

import pytest

from tests.support.provider_script import (
    Call,
    Counts,
    Cut,
    Fail,
    Junk,
    Pause,
    Reply,
    Say,
    Think,
    frames,
    reply_of,
)


def test_a_reply_is_read_from_its_written_form() -> None:
    written = {
        "steps": [
            {"think": "a"},
            {"say": "b"},
            {"call": {"name": "ls", "input": {"path": "."}, "call_id": "c9"}},
            {"pause": 1},
            {"junk": "x"},
            {"fail": "overloaded_error"},
            {"cut": "reset"},
        ],
        "status": 200,
        "usage": {"fresh": 7, "cached": 3},
        "headers": {"x": "y"},
        "stop": "max_tokens",
    }

    assert reply_of(written) == Reply(
        (
            Think("a"),
            Say("b"),
            Call("ls", {"path": "."}, "c9"),
            Pause(1.0),
            Junk(b"x"),
            Fail("overloaded_error"),
            Cut(reset=True),
        ),
        counts=Counts(fresh=7, cached=3),
        headers={"x": "y"},
        stop="max_tokens",
    )


def test_a_step_nobody_knows_is_refused() -> None:
    with pytest.raises(ValueError, match="no step 'sing'"):
        reply_of({"steps": [{"sing": "la"}]})


def test_nothing_follows_a_cut() -> None:
    [*_, last] = frames("openai-chat", Reply((Say("a"), Cut(), Say("b"))), "m")

    assert last == Cut()
