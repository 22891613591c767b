"""Runs of words: one search finds what a match of every run would find."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from luvus_service.luxe.domain.patterns import any_run_matches, command_matches

WORDS = ["git", "push", "rm", "-rf", "a", "b*", "x?", "push-all"]
PATTERNS = [
    "git *",
    "git push*",
    "rm -rf *",
    "*",
    "?",
    "git",
    "* push",
    "git * a",
    "b\\* *",
    "x\\?",
    "*a*",
]


def every_run(pattern: str, words: list[str]) -> bool:
    """Match each run by itself, as the rule is worded."""
    return any(
        command_matches(pattern, " ".join(words[start:end]))
        for start in range(len(words))
        for end in range(start + 1, len(words) + 1)
    )


@given(
    words=st.lists(st.sampled_from(WORDS), max_size=7),
    pattern=st.sampled_from(PATTERNS),
    gap=st.sampled_from([" ", "  ", "\t", "\n"]),
)
def test_one_search_agrees_with_a_match_of_every_run(
    words: list[str], pattern: str, gap: str
) -> None:
    assert any_run_matches(pattern, gap.join(words)) == every_run(pattern, words)
