from __future__ import annotations

import pytest

from luvus_service.uhp.domain.agents.usage_history import (
    MINUTES,
    History,
    Sample,
    burn,
    noted,
)


def test_what_was_used_before_a_session_was_seen_belongs_to_no_minute() -> None:
    history = noted((), Sample(10, 5_000, 1.0))

    assert history == (Sample(9, 5_000, 1.0), Sample(10, 5_000, 1.0))


def test_a_minute_has_one_sample_and_the_last_one_counts() -> None:
    history = noted((), Sample(10, 100, None))
    for tokens in (150, 200):
        history = noted(history, Sample(10, tokens, None))
    history = noted(history, Sample(13, 300, None))

    assert [(s.minute, s.tokens) for s in history] == [(9, 100), (10, 200), (13, 300)]


def test_a_history_is_bounded_and_its_first_minute_keeps_where_it_began() -> None:
    history: History = ()
    for minute in range(1_000):
        history = noted(history, Sample(minute, minute * 10, None))
    after_a_pause = noted(history, Sample(5_000, 99_999, None))

    assert len(history) == MINUTES + 1
    assert history[0] == Sample(939, 9_390, None)
    assert after_a_pause == (Sample(4_940, 9_990, None), Sample(5_000, 99_999, None))


@pytest.mark.parametrize(
    ("history", "minute", "dollars"),
    [
        ((), 10, None),
        ((Sample(9, 0, None), Sample(10, 5, None)), 10, None),
        ((Sample(9, 0, 0.0), Sample(10, 5, 0.1)), 10, 6.0),
        # The same dime is less an hour the longer it is ago.
        ((Sample(9, 0, 0.0), Sample(10, 5, 0.1)), 14, 1.2),
        ((Sample(0, 0, 0.0), Sample(10, 5, 0.1)), 100, 0.0),
        # Only the last ten minutes count.
        ((Sample(0, 0, 0.0), Sample(50, 5, 9.0), Sample(60, 9, 9.5)), 60, 3.0),
        # A session that is read anew may seem to have cost less.
        ((Sample(9, 0, 2.0), Sample(10, 5, 1.0)), 10, 0.0),
    ],
)
def test_burn_is_what_the_last_minutes_cost_an_hour(
    history: History, minute: int, dollars: float | None
) -> None:
    assert burn(history, minute) == (None if dollars is None else pytest.approx(dollars))
